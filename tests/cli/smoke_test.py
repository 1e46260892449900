"""A protocol in, a verdict out, and the same reports again from the journal; under the sanitizers too."""

import harness


class Smoke(harness.Cli):
    def test_plain_lab_proceeds(self):
        completed = self.rehearse("plain")
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertEqual(completed.stderr, "")
        self.assertIn("proceed (cpu)", completed.stdout)
        self.assertTrue((self.run_folder() / "verdict.txt").read_text().startswith("proceed (cpu)"))
        for name in harness.REPORTS + ("protocol.yaml", "environment.json"):
            self.assertTrue((self.run_folder() / name).stat().st_size > 0, name)
        self.assertEqual(list((self.run_folder() / "work").iterdir()) if (self.run_folder() / "work").exists() else [], [])
        ends = {record["step"]: record["data"]["status"] for record in self.journal() if record["kind"] == "step" and record["id"] == "end"}
        self.assertEqual(len(ends), 17, "every row of the sequence is there")
        self.assertEqual({step for step, status in ends.items() if status == "passed"},
                         {"host", "source", "environment", "control", "repeat", "relaunch", "cleanup"})

    def test_report_is_rebuilt_byte_for_byte(self):
        self.rehearse("plain")
        before = {name: (self.run_folder() / name).read_bytes() for name in harness.REPORTS}
        for name in harness.REPORTS:
            (self.run_folder() / name).unlink()
        completed = self.mpsgate("report", self.run_folder())
        self.assertEqual(completed.returncode, 0, self.said(completed))
        for name in harness.REPORTS:
            self.assertEqual((self.run_folder() / name).read_bytes(), before[name], name)

    def test_a_failing_lab_under_observation(self):
        completed = self.rehearse("crashes")
        self.assertEqual(completed.returncode, 1, self.said(completed))
        self.assertIn("SIGSEGV", completed.stdout)
        self.assertIn("| about to crash", completed.stdout)
        self.assertIn("reproduce: sh ", completed.stdout)


if __name__ == "__main__":
    harness.main()
