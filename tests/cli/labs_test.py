"""Each fixture lab ends with the decision, cause, route, rule and exit code that fixtures/protocols/expected.tsv has."""

import csv

import harness


class Labs(harness.Cli):
    def test_every_lab(self):
        with open(harness.PROTOCOLS / "expected.tsv", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        self.assertGreater(len(rows), 15)
        for row in rows:
            with self.subTest(row["protocol"]):
                self.setUp()
                completed = self.rehearse(row["protocol"])
                verdict = self.report()["verdict"]
                said = [str(completed.returncode), verdict["decision"], verdict["cause"], verdict["route"], str(verdict["rule"])]
                self.assertEqual(said, [row["exit"], row["word"], row["cause"], row["route"], row["rule"]], self.said(completed))
                found = {record["id"] for record in self.journal() if record["kind"] == "finding"}
                if row["finding"]:
                    self.assertIn(row["finding"], found)

    def test_a_hidden_error_is_quoted_where_work_was_lost(self):
        self.rehearse("swallows")
        absent = [record for record in self.journal() if record["id"] == "result.absent"][0]
        self.assertIn("hidden error: RuntimeError: the model file is truncated", absent["data"]["evidence"])

    def test_every_report_says_that_the_checkout_is_sparse(self):
        completed = self.rehearse("measures")
        said = "only these paths are checked out: measure.py, tools, assets"
        self.assertIn("note: " + said, completed.stdout)
        for name in ("report.json", "report.md", "junit.xml", "junit-strict.xml"):
            self.assertIn(said, (self.run_folder() / name).read_text(), name)
        self.assertFalse((self.run_folder() / "source/unused").exists())
        self.assertTrue((self.run_folder() / "source/measure.py").exists())

    def test_the_traceback_names_the_line_of_the_lab(self):
        self.rehearse("exits")
        finding = [record for record in self.journal() if record["id"] == "crash.exit"][0]
        self.assertEqual(finding["data"]["place"]["file"], "predict.py")
        line = (harness.SOURCE / "fixtures/labs/exits/predict.py").read_text().splitlines()[finding["data"]["place"]["line"] - 1]
        self.assertIn("value / total", line)

    def test_the_reproduce_line_reproduces(self):
        import subprocess
        self.rehearse("exits")
        end = [record for record in self.journal() if record["kind"] == "step" and record["step"] == "control" and record["id"] == "end"][0]
        completed = subprocess.run(end["data"]["reproduce"].split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                   env={"PATH": "/usr/bin:/bin", "TMPDIR": str(self.folder)}, timeout=60)
        self.assertEqual(completed.returncode, 1)
        self.assertIn("ZeroDivisionError", completed.stderr)

    def test_the_pinned_commits_are_those_that_the_build_makes(self):
        import re
        import subprocess
        pinned = 0
        for protocol in [*harness.PROTOCOLS.glob("*.yaml"), harness.SOURCE / "protocols/quickstart.yaml"]:
            text = protocol.read_text()
            lab = re.search(r"url: (labs/[a-z0-9-]+)", text)
            if not lab:
                continue
            head = subprocess.run(["git", "-C", str(harness.SOURCE / lab.group(1)), "rev-parse", "HEAD"], stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
            self.assertIn('commit: "%s"' % head, text, "%s: run ci/make-labs --pin" % protocol)
            pinned += 1
        self.assertGreater(pinned, 15)


if __name__ == "__main__":
    harness.main()
