"""action.yml: its shell steps run as a runner runs them, on labs of every outcome; linters of others accept it and the workflows."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness

ACTION = harness.SOURCE / "action.yml"
WORKFLOWS = sorted((harness.SOURCE / "ci" / "workflows").glob("*.yml"))
GITHUB = [path for path in WORKFLOWS if path.name != "gitlab-ci.yml"]


def load(path):
    from ruamel.yaml import YAML  # part of the test environment: its absence is a failure, not a skip
    return YAML(typ="safe", pure=True).load(path.read_text())


def outputs_of(text):
    """What a runner reads from GITHUB_OUTPUT."""
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        if re.match(r"[a-z-]+<<", line):
            name, mark = line.split("<<", 1)
            value = []
            for inner in lines:
                if inner == mark:
                    break
                value.append(inner)
            else:
                raise AssertionError("the end of %s is missing" % name)
            outputs[name] = "\n".join(value)
        else:
            name, _, value = line.partition("=")
            assert re.fullmatch(r"[a-z-]+", name), line
            outputs[name] = value
    return outputs


class Action(harness.Cli):
    def setUp(self):
        super().setUp()
        self.workspace = self.folder / "work space"
        self.workspace.mkdir()
        self.action = load(ACTION)
        self.summary = self.folder / "summary.md"
        self.steps = {}
        self.said = ""

    def expression(self, text, inputs):
        """The two kinds of expressions that the shell steps' variables hold."""
        def value(match):
            what = match.group(1).strip()
            if what.startswith("inputs."):
                return inputs[what[len("inputs."):]]
            step, name = re.fullmatch(r"steps\.([a-z]+)\.outputs\.([a-z-]+)", what).groups()
            return self.steps.get(step, {}).get(name, "")
        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def use(self, **given):
        """Runs the composite action's shell steps; its exit code. Steps after a failed one are skipped unless they say always()."""
        inputs = {name: row.get("default", "") for name, row in self.action["inputs"].items()}
        inputs.update({name.replace("_", "-"): value for name, value in given.items()})
        self.assertEqual(set(inputs), set(self.action["inputs"]))
        code = 0
        for step in self.action["runs"]["steps"]:
            if "run" not in step or (code != 0 and "always()" not in step.get("if", "")):
                continue
            output = self.folder / "output"
            output.write_text("")
            environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_OUTPUT": str(output),
                           "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_WORKSPACE": str(self.workspace), "RUNNER_TEMP": str(self.folder),
                           "GITHUB_ACTION_PATH": str(harness.SOURCE), "MPSGATE_PROGRAM": str(harness.BIN / "mpsgate"), "MPSGATE_CACHE": self.environment["MPSGATE_CACHE"]}
            environment.update({name: self.expression(str(value), inputs) for name, value in step.get("env", {}).items()})
            completed = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.workspace, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=800)
            self.said += completed.stdout
            code = code or completed.returncode
            if "id" in step:
                self.steps[step["id"]] = outputs_of(output.read_text())
        self.outputs = {name: self.expression(row["value"], inputs) for name, row in self.action["outputs"].items()}
        return code

    def commands(self):
        """Lines that a runner takes for a workflow command."""
        return [line for line in self.said.splitlines() if line.lstrip().startswith("::") or "##[" in line]

    def protocol(self, name, to=None, change=()):
        """A fixture protocol at its place in the workspace; a copy, if it is changed."""
        text = (harness.PROTOCOLS / (name + ".yaml")).read_text()
        for old, new in change:
            self.assertIn(old, text)
            text = text.replace(old, new)
        lab = self.workspace / "labs" / name
        if not lab.exists():
            shutil.copytree(harness.SOURCE / "labs" / name, lab)
        path = self.workspace / (to or name + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (self.workspace / ".mpsgate-root").touch()
        return str(path.relative_to(self.workspace))

    def test_proceed(self):
        self.assertEqual(self.use(protocol=self.protocol("plain")), 0, self.said)
        self.assertEqual((self.outputs["decision"], self.outputs["scope"], self.outputs["exit-code"]), ("proceed", "cpu", "0"))
        self.assertTrue(self.outputs["report"].endswith("/report.md"))
        self.assertTrue(pathlib.Path(self.outputs["report"]).is_file())
        self.assertIn("proceed", self.summary.read_text())
        self.assertEqual(len(self.commands()), 1)
        self.assertTrue(self.commands()[0].startswith("::notice file=plain.yaml,line=1,"), self.commands())

    def test_abort_is_annotated_and_fails(self):
        self.assertEqual(self.use(protocol=self.protocol("exits")), 1, self.said)
        self.assertEqual((self.outputs["decision"], self.outputs["cause"], self.outputs["route"]), ("abort", "crash", "adapt"))
        errors = [line for line in self.commands() if line.startswith("::error ")]
        self.assertEqual(len(errors), 1)
        self.assertIn("file=exits.yaml,line=1,", errors[0])
        self.assertRegex(errors[0], r"predict\.py:\d+ of the lab's repository")
        self.assertIn("abort", self.summary.read_text())

    def test_inconclusive_fails_unless_it_may_pass(self):
        protocol = self.protocol("imports")
        self.assertEqual(self.use(protocol=protocol), 3, self.said)
        self.assertEqual(self.outputs["decision"], "inconclusive")
        self.assertTrue(any(line.startswith("::warning ") for line in self.commands()))
        self.assertFalse(any(line.startswith("::error ") for line in self.commands()))
        self.assertEqual(self.use(protocol=protocol, inconclusive="pass"), 0)
        self.assertEqual(self.outputs["exit-code"], "3")
        self.assertEqual(self.use(protocol=self.protocol("exits"), inconclusive="pass"), 1, "an abort never passes")

    def test_an_invalid_protocol_is_annotated_where_it_is_wrong(self):
        protocol = self.protocol("plain", change=[("commands:", "comands:")])
        self.assertEqual(self.use(protocol=protocol), 2, self.said)
        self.assertEqual(self.outputs["decision"], "invalid")
        self.assertEqual(self.outputs["report"], "")
        self.assertTrue(any(re.match(r"::error file=plain\.yaml,line=\d+,col=1,title=.*commands", line) for line in self.commands()), self.commands())
        # The excerpt of a faulty line is the protocol's own text, and a stranger may have written it.
        self.said = ""
        self.use(protocol=self.protocol("plain", change=[("commands:", "commands:\n  ::warning file=x::pwned: y\n  '##[error]x': y")]))
        self.assertIn("pwned", self.said)
        for line in self.commands():
            self.assertRegex(line, r"^::error file=plain\.yaml,line=\d+,col=\d+,title=mpsgate")
        self.assertEqual(self.use(protocol="absent.yaml"), 2)
        self.assertTrue(any("absent.yaml" in line for line in self.commands()))

    def test_a_hostile_lab_gives_no_commands(self):
        self.assertEqual(self.use(protocol=self.protocol("injects")), 1)
        for line in self.commands():
            self.assertRegex(line, r"^::(error|warning|notice) file=injects\.yaml,line=\d+,(col=\d+,)?title=mpsgate")
        self.assertEqual(set(self.steps["gate"]) - {"decision", "scope", "cause", "route", "effort", "who", "because", "run", "report", "exit-code"}, set())

    def test_hostile_inputs_are_only_words(self):
        ran = self.folder / "ran"
        for name in ("it's $(touch ran) `touch ran`.yaml", 'a "b"; touch ran.yaml', "ümläut & space.yaml"):
            with self.subTest(name):
                protocol = self.protocol("plain", to=name)
                self.assertEqual(self.use(protocol=protocol), 0, self.said)
                self.assertEqual(self.outputs["decision"], "proceed")
        self.assertEqual(self.use(protocol=self.protocol("plain"), arguments="--only=source\n\n--format=json; touch ran\n"), 2)
        self.assertFalse(ran.exists() or (self.workspace / "ran").exists())
        for given in ({"protocol": "--help"}, {"protocol": ""}, {"mode": "run; touch ran"}, {"mode": "::error::x"}, {"out": "a\nrun=/etc"}, {"inconclusive": "maybe"}):
            with self.subTest(given):
                self.said = ""
                self.assertEqual(self.use(**{"protocol": self.protocol("plain"), **given}), 2, self.said)
                self.assertTrue(any(line.startswith("::error title=mpsgate::") for line in self.commands()), self.said)

    def test_arguments_are_one_a_line(self):
        self.assertEqual(self.use(protocol=self.protocol("plain"), arguments="--only\r\nsource\n"), 3)
        steps = {line.split()[0] for line in self.said.splitlines() if "passed" in line}
        self.assertIn("source", steps)
        self.assertNotIn("control", steps)

    def test_what_is_uploaded_holds_no_data(self):
        out = self.folder / "run"
        self.assertEqual(self.use(protocol=self.protocol("plain"), out=str(out), **{"upload-outputs": "true"}), 0, self.said)
        import glob
        patterns = self.steps["prepare"]["upload"].splitlines()
        uploaded = {str(pathlib.Path(path).relative_to(out)) for pattern in patterns for path in glob.glob(pattern, recursive=True)}
        for name in ("report.json", "report.md", "junit.xml", "journal.jsonl", "verdict.txt", "protocol.yaml"):
            self.assertIn(name, uploaded)
        self.assertTrue(any(name.startswith("logs/") for name in uploaded))
        self.assertTrue(any(name.startswith("outputs/") for name in uploaded))
        self.assertFalse(any(name.startswith(("source", "artefacts", "work")) for name in uploaded))
        self.use(protocol=self.protocol("plain"), out=str(self.folder / "run2"))
        self.assertNotIn("outputs", self.steps["prepare"]["upload"].replace(str(self.folder), ""))

    def test_what_is_not_public_leaves_no_cache(self):
        cache = self.folder / "cache"
        stored = cache / "artefacts" / ("a" * 64)
        stored.mkdir(parents=True)
        (stored / "data").write_text("secret")
        (stored / "about.json").write_text('{"confidentiality": "internal"}')
        for name in ("environments", "installers"):
            (cache / name).symlink_to(pathlib.Path(self.environment["MPSGATE_CACHE"]) / name)
        self.environment["MPSGATE_CACHE"] = str(cache)
        self.use(protocol=self.protocol("plain"))
        self.assertTrue(stored.exists())
        self.use(protocol=self.protocol("plain"), cache="true")
        self.assertFalse(stored.exists())
        self.assertEqual(self.steps["prepare"]["cache"], str(cache))

    def test_the_files_say_what_they_use(self):
        text = ACTION.read_text()
        used = set(re.findall(r"inputs\.([a-z-]+)", text))
        self.assertEqual(used, set(self.action["inputs"]))
        self.assertTrue(all(row.get("required") or "default" in row for row in self.action["inputs"].values()))
        script = (harness.SOURCE / "ci" / "action").read_text()
        passed = set(re.findall(r"(MPSGATE_INPUT_[A-Z_]+):", text))
        self.assertEqual(set(re.findall(r"MPSGATE_INPUT_[A-Z_]+", script)), passed)
        for path in [ACTION, *GITHUB]:
            for run in re.findall(r"^ *(?:- )?run: (.*)$", path.read_text(), re.MULTILINE):
                self.assertNotIn("${{", run, "%s: an expression in a script is an injection" % path)
            for uses in re.findall(r"uses: (\S+)", path.read_text()):
                self.assertRegex(uses, r"@v\d")
        for path in GITHUB:
            workflow = load(path)
            for job in workflow["jobs"].values():
                for step in job["steps"]:
                    self.assertNotIn("pull_request_target", workflow["on"])
                    if "mpsgate@" in step.get("uses", ""):
                        self.assertEqual(set(step["with"]) - set(self.action["inputs"]), set(), path)

    def test_linters_of_others(self):
        tools = pathlib.Path(sys.executable).parent
        self.assertTrue((tools / "check-jsonschema").exists(), "part of the test environment")
        for schema, files in (("github-actions", [ACTION]), ("github-workflows", GITHUB), ("gitlab-ci", [harness.SOURCE / "ci/workflows/gitlab-ci.yml"])):
            completed = subprocess.run([tools / "check-jsonschema", "--builtin-schema", "vendor." + schema, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            self.assertEqual(completed.returncode, 0, completed.stdout)
        completed = subprocess.run([tools / "zizmor", "--offline", "--no-progress", "--config", harness.SOURCE / "ci/zizmor.yml", ACTION, *GITHUB],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        self.assertEqual(completed.returncode, 0, completed.stdout)
        if shutil.which("shellcheck"):
            completed = subprocess.run(["shellcheck", harness.SOURCE / "ci" / "action"], stdout=subprocess.PIPE, encoding="utf-8")
            self.assertEqual(completed.returncode, 0, completed.stdout)


if __name__ == "__main__":
    wanted = os.environ.get("MPSGATE_TEST_PYTHON")
    if wanted and "MPSGATE_ACTION_TEST" not in os.environ:
        sys.exit(subprocess.call([wanted, __file__], env=dict(os.environ, MPSGATE_ACTION_TEST="1")))
    harness.main()
