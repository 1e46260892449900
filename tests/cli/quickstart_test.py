# labels: torch
"""The main job: ci/mpsgate rehearse protocols/quickstart.yaml, with a real torch in the lab's environment."""

import harness


class Quickstart(harness.Cli):
    def test_it_proceeds(self):
        completed = self.mpsgate("rehearse", harness.SOURCE / "protocols" / "quickstart.yaml", "--out", self.run_folder())
        self.assertEqual(completed.returncode, 0, self.said(completed))
        report = self.report()
        self.assertEqual((report["verdict"]["decision"], report["verdict"]["scope"]), ("proceed", "cpu"))
        ends = {record["step"]: record["data"] for record in self.journal() if record["kind"] == "step" and record["id"] == "end"}
        for step in ("probe", "control", "repeat", "parity", "export", "relaunch"):
            self.assertEqual(ends[step]["status"], "passed", ends[step])
        for step in ("strict", "census"):
            self.assertEqual(ends[step]["status"], "skipped")
            self.assertTrue(ends[step]["reason"])
        tables = {record["id"]: record["data"] for record in self.journal() if record["kind"] == "table"}
        self.assertGreaterEqual(len(tables["repeat"]["rows"]), 9)
        self.assertEqual({(row[1], row[2]) for row in tables["parity"]["rows"]}, {("cpu against reference:linux-cpu", "within")})
        canaries = [record for record in self.journal() if record["kind"] == "table" and record["id"] == "probe.canaries"]
        self.assertEqual(len(canaries), 2, "the lab's torch, and LibTorch as a second witness")
        for table in canaries:
            for row in table["data"]["rows"]:
                self.assertIn(row[1], ("passed", "not-run"), row)
        markdown = (self.run_folder() / "report.md").read_text()
        self.assertIn("proceed", markdown.splitlines()[0] + markdown.splitlines()[2])
        self.assertIn("+cpu", markdown, "the rewrite of the torch pin is reported")


if __name__ == "__main__":
    harness.main()
