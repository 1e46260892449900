# labels: wrapper
"""ci/mpsgate: quiet when there is nothing to do, from anywhere, through a link; runs from an installed tree."""

import os
import subprocess
import unittest

import harness

WRAPPER = harness.SOURCE / "ci" / "mpsgate"


class Wrapper(harness.Cli):
    def run_wrapper(self, program, *arguments, cwd=None):
        return subprocess.run([str(program), *arguments], cwd=cwd or self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", timeout=800)

    def setUp(self):
        super().setUp()
        # The first call installs what this build made; it is allowed to speak.
        first = self.run_wrapper(WRAPPER, "--version")
        self.assertEqual(first.returncode, 0, first.stderr)

    def test_quiet_the_second_time_from_anywhere(self):
        link = self.folder / "gate"
        link.symlink_to(os.path.relpath(WRAPPER, self.folder))
        for program in (WRAPPER, link):
            completed = self.run_wrapper(program, "--version")
            self.assertEqual((completed.returncode, completed.stderr), (0, ""))
            self.assertTrue(completed.stdout.startswith("mpsgate "))

    def test_exit_codes_pass_through(self):
        self.assertEqual(self.run_wrapper(WRAPPER, "reherse").returncode, 2)

    def test_it_becomes_the_program(self):
        completed = self.run_wrapper(WRAPPER, "rehearse", str(harness.PROTOCOLS / "plain.yaml"), "--out", str(self.run_folder()))
        self.assertEqual(completed.returncode, 0, self.said(completed))

    def test_the_action_goes_through_it(self):
        output = self.folder / "output"
        environment = dict(self.environment, GITHUB_OUTPUT=str(output), GITHUB_WORKSPACE=str(harness.SOURCE), RUNNER_TEMP=str(self.folder),
                           INPUT_PROTOCOL="fixtures/protocols/plain.yaml", INPUT_OUT=str(self.run_folder()))
        environment.pop("MPSGATE_PROGRAM", None)
        completed = subprocess.run([str(harness.SOURCE / "ci" / "action"), "gate"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8", timeout=800)
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertIn("decision=proceed\n", output.read_text())

    def test_two_at_once(self):
        stamp = harness.SOURCE / "build" / "current" / ".stamp"
        os.utime(stamp, (1, 1))  # as if the sources were newer
        processes = [subprocess.Popen([str(WRAPPER), "--version"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, encoding="utf-8") for _ in range(2)]
        for process in processes:
            out, err = process.communicate(timeout=800)
            self.assertEqual(process.returncode, 0, err)
            self.assertTrue(out.startswith("mpsgate "))
        self.assertEqual(self.run_wrapper(WRAPPER, "--version").stderr, "")

    def test_the_installed_tree_works(self):
        installed = (harness.SOURCE / "build" / "current").resolve()
        moved = self.folder / "elsewhere"
        subprocess.run(["cp", "-R", str(installed), str(moved)], check=True)
        protocol = moved / "share" / "mpsgate" / "protocols" / "quickstart.yaml"
        completed = self.run_wrapper(moved / "bin" / "mpsgate", "rehearse", str(protocol), "--only", "source", "--out", str(self.run_folder()))
        ends = {record["step"]: record["data"]["status"] for record in self.journal() if record["id"] == "end"}
        self.assertEqual(ends["source"], "passed", self.said(completed))
        self.assertTrue((moved / "share" / "mpsgate" / "libtorch.txt").read_text().strip())
        self.assertTrue((moved / "share" / "doc" / "mpsgate" / "verdict.md").exists())


if __name__ == "__main__":
    unittest.main()
