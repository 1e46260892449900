"""mpsgate doctor, on this machine and on one without Python."""

import json
import platform

import harness


class Doctor(harness.Cli):
    def test_this_machine_rehearses(self):
        completed = self.mpsgate("doctor")
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertRegex(completed.stdout, r"mpsgate rehearse +yes")
        self.assertEqual(self.mpsgate("doctor", "capture").returncode, 0)
        answer = json.loads(self.mpsgate("doctor", "--format", "json").stdout)
        self.assertEqual(set(answer["abilities"]), {"rehearse", "run", "capture"})

    def test_linux_cannot_run(self):
        if platform.system() != "Linux":
            self.skipTest("a Mac may")
        completed = self.mpsgate("doctor", "run")
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("no mps device", completed.stdout)
        self.assertIn("a Mac with Apple silicon", completed.stdout)

    def test_words(self):
        self.assertEqual(self.mpsgate("doctor", "dance").returncode, 2)


if __name__ == "__main__":
    harness.main()
