"""Arguments: what is refused, with which exit code, and what each option does."""

import json
import os

import harness


class Options(harness.Cli):
    def refused(self, code, said, *arguments, **options):
        completed = self.mpsgate(*arguments, **options)
        self.assertEqual(completed.returncode, code, self.said(completed))
        self.assertIn(said, completed.stderr)

    def test_usage(self):
        plain = harness.PROTOCOLS / "plain.yaml"
        self.refused(2, 'did you mean "rehearse"?', "reherse")
        self.refused(2, "protocol is required", "rehearse")
        self.refused(2, "no-such.yaml cannot be read", "rehearse", "no-such.yaml")
        self.refused(2, 'there is no step "controll"; did you mean'.split(";")[0], "rehearse", plain, "--only", "controll")
        self.refused(2, "--source wants URL=DIR", "rehearse", plain, "--source", "x")
        self.refused(2, "there is no folder", "rehearse", plain, "--source", "https://h/x=/no/such")
        self.refused(5, "no step of the sequence is left to run", "rehearse", plain, "--only", "cleanup", "--out", self.run_folder())
        self.assertFalse(self.run_folder().exists())
        self.refused(2, "is not a run directory", "resume", self.folder)
        self.refused(2, "journal.jsonl cannot be read", "report", self.folder)
        completed = self.mpsgate("--help")
        self.assertEqual(completed.returncode, 0)
        self.assertNotIn("internal-compare", completed.stdout)

    def test_an_invalid_protocol_shows_every_fault(self):
        (self.folder / "p.yaml").write_text("mpsgate: 1\nname: x\ncomands: {a: b}\noutputs: {o: {file: f}}\n")
        completed = self.mpsgate("validate", "p.yaml")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("p.yaml:3:1: comands:", completed.stderr)
        self.assertIn('did you mean "commands"?', completed.stderr)
        self.assertIn("repository", completed.stderr)
        self.assertIn("    ^", completed.stderr)

    def test_a_protocol_commands_no_runner(self):
        hostile = "##[error]gone"
        (self.folder / "p.yaml").write_text("mpsgate: 1\nname: x\n::warning::y: 1\n'%s': 2\ngating: {drop: {probe: '%s'}}\n" % (hostile, hostile))
        for arguments in (("validate", "p.yaml"), ("validate", "p.yaml", "--format", "json"), ("validate", "p.yaml", "--tree"), ("rehearse", "p.yaml")):
            completed = self.mpsgate(*arguments)
            said = completed.stdout + completed.stderr
            self.assertIn("error]gone", said, arguments)
            self.assertNotIn("##[", said, arguments)
            self.assertNotRegex(said, r"(?m)^\s*::", arguments)
        faults = json.loads(self.mpsgate("validate", "p.yaml", "--format", "json").stdout)["protocols"][0]["faults"]
        self.assertTrue(any(fault["path"] == hostile for fault in faults), "the value itself is whole")

        (self.folder / "q.yaml").write_text((harness.PROTOCOLS / "plain.yaml").read_text().replace("this lab needs no torch", "'%s'" % hostile))
        for arguments in ((), ("--format", "json")):
            completed = self.mpsgate("rehearse", "q.yaml", "--plan", *arguments)
            self.assertEqual(completed.returncode, 0, self.said(completed))
            self.assertIn("error]gone", completed.stdout.replace("##\\u005b", "["), arguments)
            self.assertNotIn("##[", completed.stdout)

    def test_annotations_name_the_file_from_the_top_of_its_repository(self):
        (self.folder / ".git").mkdir()
        (self.folder / "protocols").mkdir()
        (self.folder / "protocols" / "p.yaml").write_text("mpsgate: 1\nname: x\ncomands: {a: b}\n")
        completed = self.mpsgate("validate", "p.yaml", "--format", "github", cwd=self.folder / "protocols")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("::error file=protocols/p.yaml,line=3,col=1,title=mpsgate%3A invalid protocol::comands: ", completed.stdout)
        self.assertEqual(completed.stderr, "")
        completed = self.mpsgate("validate", harness.PROTOCOLS / "plain.yaml", "--format", "github")
        self.assertEqual((completed.returncode, completed.stdout), (0, ""))

    def test_the_verdict_as_outputs(self):
        self.rehearse("plain")
        (self.run_folder() / "report.md").unlink()
        completed = self.mpsgate("report", self.run_folder(), "--format", "outputs")
        self.assertEqual((completed.returncode, completed.stdout), (0, "decision=proceed\nscope=cpu\ncause=\nroute=mps\neffort=none\nwho=nobody\n"))
        completed = self.mpsgate("report", self.run_folder(), "--format", "github")
        self.assertRegex(completed.stdout, r"^::notice file=[^,]*plain.yaml,title=mpsgate plain%3A proceed::proceed \(cpu\)")
        self.assertFalse((self.run_folder() / "report.md").exists(), "nothing is written")

    def test_shipped_protocols_are_valid(self):
        files = sorted((harness.SOURCE / "protocols").rglob("*.yaml"))
        self.assertGreaterEqual(len(files), 3)
        completed = self.mpsgate("validate", *files)
        self.assertEqual(completed.returncode, 0, self.said(completed))

    def test_plan_runs_nothing(self):
        completed = self.rehearse("plain", "--plan")
        self.assertEqual(completed.returncode, 0)
        self.assertIn("needs MPS", completed.stdout)
        self.assertEqual(len(completed.stdout.splitlines()), 18)
        self.assertFalse(self.run_folder().exists())

    def test_only_and_skip_keep_the_gating_rules(self):
        completed = self.rehearse("plain", "--skip", "repeat")
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("--skip", completed.stdout)

    def test_json_is_alone_on_standard_output(self):
        completed = self.rehearse("plain", "--format", "json")
        self.assertEqual(json.loads(completed.stdout)["verdict"]["decision"], "proceed")
        self.assertIn("control", completed.stderr)

    def test_out_is_not_overwritten(self):
        self.rehearse("plain")
        before = (self.run_folder() / "journal.jsonl").read_bytes()
        completed = self.rehearse("plain")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("is not empty", completed.stderr)
        self.assertEqual((self.run_folder() / "journal.jsonl").read_bytes(), before)

    def test_options_may_stand_anywhere(self):
        plain = harness.PROTOCOLS / "plain.yaml"
        for words in (("--only", "repeat", plain, "--plan"), ("--plan", "--only", "repeat,source", plain), ("--skip", "host", "--skip", "repeat", plain, "--plan")):
            completed = self.mpsgate("rehearse", *words)
            self.assertEqual(completed.returncode, 0, self.said(completed))
        plan = json.loads(self.mpsgate("rehearse", plain, "--plan", "--format", "json", "--skip", "export").stdout)
        self.assertEqual([step["plan"] for step in plan["steps"] if step["id"] in ("control", "export", "strict")], ["run", "skip", "left out"])

    def test_purge_leaves_what_is_no_cache(self):
        precious = self.folder / "precious"
        precious.mkdir()
        (precious / "file").write_text("keep")
        completed = self.mpsgate("purge", "--cache", env={"MPSGATE_CACHE": str(precious)})
        self.assertEqual(completed.returncode, 2, self.said(completed))
        self.assertEqual((precious / "file").read_text(), "keep")

    def test_a_source_without_a_folder_is_refused(self):
        self.refused(2, "--source wants URL=DIR", "rehearse", harness.PROTOCOLS / "plain.yaml", "--source", "labs/plain=", "--out", self.run_folder())

    def test_both_schemas_are_printed(self):
        for words, title in (((), "mpsgate protocol"), (("protocol",), "mpsgate protocol"), (("report",), "")):
            schema = json.loads(self.mpsgate("schema", *words).stdout)
            self.assertIn(title, schema.get("title", ""))
        self.assertEqual(json.loads((harness.SOURCE / "protocols" / "report.schema.json").read_text()), schema)

    def test_the_default_place(self):
        completed = self.mpsgate("rehearse", harness.PROTOCOLS / "plain.yaml")
        self.assertEqual(completed.returncode, 0)
        self.assertEqual((self.folder / "mpsgate-runs" / ".gitignore").read_text(), "*\n")
        runs = [path for path in (self.folder / "mpsgate-runs").iterdir() if path.name != ".gitignore"]
        self.assertEqual(len(runs), 1)
        self.assertRegex(runs[0].name, r"^plain-\d{8}-\d{6}-[0-9a-f]{6}$")

    def test_a_local_copy_stands_in(self):
        text = (harness.PROTOCOLS / "plain.yaml").read_text().replace("labs/plain", "https://git.invalid/lab/plain")
        (self.folder / "p.yaml").write_text(text)
        lab = harness.SOURCE / "labs" / "plain"
        completed = self.mpsgate("rehearse", "p.yaml", "--source", "https://git.invalid/lab/plain=%s" % lab, "--out", self.run_folder())
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertTrue(any(record["id"] == "source.substituted" for record in self.journal()))

    def test_a_source_that_nothing_names_is_said(self):
        self.rehearse("plain", "--only", "source", "--source", "https://lab.example/typo=%s" % self.folder)
        found = [record for record in self.journal() if record["id"] == "source.unused"]
        self.assertEqual(len(found), 1)
        self.assertIn("https://lab.example/typo", found[0]["data"]["message"])

    def test_a_run_where_there_is_no_mps_is_inconclusive(self):
        if os.uname().sysname == "Darwin":
            self.skipTest("this is a Mac")
        completed = self.mpsgate("run", harness.PROTOCOLS / "plain.yaml", "--out", self.run_folder())
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("mpsgate rehearse", completed.stdout)
        self.assertEqual(self.report()["verdict"]["cause"], "machine")

    def test_colour_only_where_asked(self):
        self.assertNotIn("\x1b", self.rehearse("plain").stdout)
        self.run_folder().rename(self.folder / "first")
        self.assertIn("\x1b[32m", self.rehearse("plain", env={"CLICOLOR_FORCE": "1"}).stdout)
        self.run_folder().rename(self.folder / "second")
        self.assertNotIn("\x1b", self.rehearse("plain", env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).stdout)

    def test_purge(self):
        cache = self.folder / "cache"
        self.rehearse("plain", env={"MPSGATE_CACHE": str(cache)})
        self.assertTrue(any((cache / "environments").iterdir()))
        completed = self.mpsgate("purge", "--cache", env={"MPSGATE_CACHE": str(cache)})
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertFalse(cache.exists())
        self.assertEqual(self.mpsgate("purge").returncode, 2)


if __name__ == "__main__":
    harness.main()
