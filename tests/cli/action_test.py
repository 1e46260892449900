"""action.yml and its shell, ci/action, as a runner of GitHub Actions starts it: everything by the environment, the outcome in files."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import harness

SHELL = harness.SOURCE / "ci" / "action"


def output_values(text):
    """The file that GITHUB_OUTPUT names, as the runner reads it; later values win."""
    values = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        assert equals and "<<" not in name, line
        values[name] = value
    return values


class Action(harness.Cli):
    def setUp(self):
        super().setUp()
        self.workspace = self.folder / "workspace"
        self.workspace.mkdir()
        for name in ("temp", "home"):
            (self.folder / name).mkdir()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "MPSGATE_CACHE": self.environment["MPSGATE_CACHE"],
            "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.workspace), "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "lab/tones", "RUNNER_TEMP": str(self.folder / "temp"), "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
            "RUNNER_ENVIRONMENT": "github-hosted", "GITHUB_OUTPUT": str(self.folder / "output"), "GITHUB_ENV": str(self.folder / "env"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "MPSGATE_PROGRAM": str(harness.BIN / "mpsgate"),
        }

    def protocol(self, name, path=None):
        """A fixture protocol and its lab in the workspace, as a checkout has them."""
        text = (harness.PROTOCOLS / (name + ".yaml")).read_text()
        lab = re.search(r"url: (labs/[a-z0-9-]+)", text).group(1)
        (self.workspace / ".git").mkdir(exist_ok=True)
        (self.workspace / "labs").mkdir(exist_ok=True)
        if not (self.workspace / lab).exists():
            shutil.copytree(harness.SOURCE / lab, self.workspace / lab, symlinks=True)
        file = self.workspace / (path or "protocols/%s.yaml" % name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return str(file.relative_to(self.workspace))

    def start(self, verb, protocol, **inputs):
        for name in ("output", "summary"):
            (self.folder / name).write_text("")
        environment = dict(self.environment, INPUT_PROTOCOL=protocol)
        environment.update({"INPUT_" + name.upper(): value for name, value in inputs.items()})
        # As the runner does: a script of its own whose last command becomes ci/action.
        script = self.folder / "step.sh"
        script.write_text('exec "$GITHUB_ACTION_PATH/ci/action" %s\n' % verb)
        environment["GITHUB_ACTION_PATH"] = str(harness.SOURCE)
        return subprocess.Popen(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)], cwd=self.workspace, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")

    def finish(self, process):
        self.log, _ = process.communicate(timeout=300)
        self.outputs = output_values((self.folder / "output").read_text())
        self.summary = (self.folder / "summary").read_text()
        return process.returncode

    def act(self, verb, protocol, **inputs):
        return self.finish(self.start(verb, protocol, **inputs))

    def commands(self):
        """The workflow commands that the runner obeys, as (name, properties, message)."""
        obeyed, token = [], None
        for line in self.log.split("\n"):
            found = re.match(r"\s*::([^ :]+)(?: ([^:]*))?::(.*)$", line)
            if token:
                if found and found.group(1) == token:
                    token = None
                continue
            self.assertNotIn("##[", line)
            if not found:
                continue
            if found.group(1) == "stop-commands":
                token = found.group(3)
                continue
            obeyed.append((found.group(1), dict(one.split("=", 1) for one in (found.group(2) or "").split(",") if one), found.group(3)))
        self.assertIsNone(token, "commands are obeyed again at the end:\n" + self.log)
        return obeyed

    def test_a_lab_that_proceeds(self):
        self.assertEqual(self.act("gate", self.protocol("plain")), 0, self.log)
        self.assertEqual({name: self.outputs[name] for name in ("decision", "scope", "cause", "route", "effort", "exit-code", "upload")},
                         {"decision": "proceed", "scope": "cpu", "cause": "", "route": "mps", "effort": "none", "exit-code": "0", "upload": "true"})
        report = pathlib.Path(self.outputs["report"])
        self.assertEqual(report.parent, pathlib.Path(self.outputs["run"]))
        self.assertTrue(self.outputs["run"].startswith(self.environment["RUNNER_TEMP"]))
        self.assertEqual(self.summary, report.read_text())
        self.assertEqual({name for name, _, _ in self.commands()}, {"notice"})
        self.assertIn("proceed (cpu)", self.log)
        self.assertEqual(sorted(path.name for path in self.workspace.iterdir()), [".git", "labs", "protocols"], "nothing is left in the workspace")
        self.assertFalse((self.folder / "env").exists())

    def test_an_abort_marks_the_line_of_the_lab(self):
        self.assertEqual(self.act("gate", self.protocol("exits")), 1, self.log)
        self.assertEqual([self.outputs[name] for name in ("decision", "cause", "route", "exit-code")], ["abort", "crash", "adapt", "1"])
        self.assertTrue(self.summary.startswith("# exits: abort"))
        errors = [command for command in self.commands() if command[0] == "error"]
        self.assertEqual(errors[0][1]["file"], "labs/exits/predict.py")
        self.assertTrue(int(errors[0][1]["line"]) > 1)
        self.assertIn("crash.exit", errors[0][2])

    def test_fail_on(self):
        for name, fail_on, code in (("differs", "inconclusive", 3), ("differs", "abort", 0), ("exits", "abort", 1), ("exits", "never", 0)):
            with self.subTest(name=name, fail_on=fail_on):
                self.assertEqual(self.act("gate", self.protocol(name), fail_on=fail_on, upload="failure"), code, self.log)
                self.assertEqual([self.outputs["exit-code"], self.outputs["upload"]], ["3" if name == "differs" else "1", "true"])
        self.assertEqual(self.act("gate", self.protocol("plain"), upload="failure", summary="false"), 0, self.log)
        self.assertEqual([self.outputs["upload"], self.summary], ["false", ""])

    def test_an_inconclusive_one_warns(self):
        self.assertEqual(self.act("gate", self.protocol("differs")), 3, self.log)
        self.assertEqual([self.outputs["decision"], self.outputs["cause"]], ["inconclusive", "numerics"])
        names = {name for name, _, _ in self.commands()}
        self.assertIn("warning", names)
        self.assertNotIn("error", names)

    def test_an_invalid_protocol_is_marked_where_it_is_wrong(self):
        file = self.protocol("plain")
        (self.workspace / file).write_text("mpsgate: 1\nname: x\ncomands: {a: '::error::a'}\n##[error]b: c\n")
        for fail_on in ("inconclusive", "never"):
            self.assertEqual(self.act("gate", file, fail_on=fail_on), 2, self.log)
        self.assertEqual([self.outputs[name] for name in ("decision", "exit-code", "upload")], ["invalid", "2", "false"])
        self.assertNotIn("report", self.outputs)
        marks = [(at["file"], at.get("line"), at.get("col")) for name, at, _ in self.commands() if name == "error"]
        self.assertIn((file, "3", "1"), marks)
        self.assertIn("no run", self.summary)
        self.assertEqual(self.act("gate", "no/such.yaml"), 2, self.log)
        self.assertEqual(self.outputs["decision"], "invalid")
        self.assertEqual([name for name, _, _ in self.commands()], ["error"])

    def test_wrong_arguments(self):
        file = self.protocol("plain")
        self.assertEqual(self.act("gate", file, arguments="--no-such"), 2, self.log)
        self.assertIn("arguments are wrong", self.commands()[0][2])
        for words in ("--only control", "--out=x", "--format\njson", "--out\nx"):
            self.assertEqual(self.act("gate", file, arguments=words), 2, self.log)
            self.assertEqual(self.outputs["decision"], "invalid", words)
        for inputs in ({"mode": "both"}, {"fail_on": "x"}, {"upload": "yes"}, {"summary": "1"}):
            for verb in ("prepare", "gate"):
                self.assertEqual(self.act(verb, file, **inputs), 2, self.log)
                self.assertEqual(self.outputs["decision"], "invalid", inputs)
        self.assertEqual(self.act("gate", ""), 2)
        self.assertEqual(self.act("gate", file, arguments="--only=cleanup"), 5, self.log)
        self.assertEqual(self.outputs["decision"], "nothing")
        self.assertEqual(self.act("gate", file, arguments="--plan"), 4, "nothing was decided, so it does not pass")
        self.assertEqual(self.outputs["decision"], "error")

    def test_a_full_run_directory_is_no_verdict(self):
        file = self.protocol("plain")
        self.assertEqual(self.act("gate", file, out="here"), 0, self.log)
        self.assertEqual(self.outputs["run"], str(self.workspace / "here"))
        self.assertEqual(self.act("gate", file, out="here"), 2, self.log)
        self.assertEqual(self.outputs["decision"], "invalid")
        self.assertNotIn("report", self.outputs)

    def test_words_are_words_and_no_shell_reads_them(self):
        trap = "$(touch trapped)`touch trapped`;touch trapped;\"'& *.yaml"
        file = self.protocol("plain", "a folder/%s\nsecond line.yaml" % trap.replace("/", "_"))
        lab = self.workspace / "lab of $(touch trapped) 'x'"
        shutil.copytree(harness.SOURCE / "labs/plain", lab, symlinks=True)
        path = self.workspace / file
        path.write_text(path.read_text().replace("labs/plain", "https://git.invalid/lab/plain"))
        words = "\n  --skip=export  \r\n--source\nhttps://git.invalid/lab/plain=%s\n\n--keep-going" % lab
        self.assertEqual(self.act("gate", file, arguments=words), 0, self.log)
        options = json.loads((pathlib.Path(self.outputs["run"]) / "report.json").read_text())["run"]["options"]
        self.assertEqual([options["skip"], options["keep_going"]], [["export"], True])
        self.assertEqual(list(self.folder.rglob("trapped")), [])
        self.assertEqual(self.act("prepare", file), 0, self.log)
        self.assertRegex(self.outputs["artifact-name"], r"^mpsgate-[A-Za-z0-9._-]+-rehearse-Linux-X64$")
        self.assertEqual(list(self.folder.rglob("trapped")), [])
        self.assertEqual(self.act("gate", "--help"), 2, self.log)

    def test_a_lab_commands_nothing(self):
        self.assertEqual(self.act("gate", self.protocol("injects")), 1, self.log)
        commands = self.commands()
        self.assertLessEqual({name for name, _, _ in commands}, {"error", "warning", "notice"})
        for _, at, _ in commands:
            self.assertNotIn("pwned", at.get("file", ""))
            self.assertNotEqual(at.get("file"), "protocol.yaml")
        inside = self.log.split("::stop-commands::")[1]
        for line in inside.split("\n")[1:]:
            self.assertFalse(line.strip().startswith("::error file=protocol.yaml"), line)
        self.assertEqual(set(self.outputs), {"decision", "scope", "cause", "route", "effort", "who", "run", "report", "exit-code", "upload"})
        self.assertEqual(self.summary, pathlib.Path(self.outputs["report"]).read_text())

    def test_a_cancelled_job_still_reports(self):
        process = self.start("gate", self.protocol("hangs"))
        deadline = time.time() + 120
        while time.time() < deadline and not any(self.folder.glob("temp/mpsgate.*/run/logs/control*.out")):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        stopped = time.time()
        self.assertEqual(self.finish(process), 130, self.log)
        self.assertLess(time.time() - stopped, 7.5, "the runner waits no longer")
        self.assertEqual([self.outputs["decision"], self.outputs["exit-code"], self.outputs["upload"]], ["inconclusive", "130", "true"])

    def test_a_program_that_does_not_start(self):
        broken = self.folder / "broken"
        broken.write_text("#!/bin/sh\necho '::set-output name=decision::continue'\nenv\nexit 2\n")
        broken.chmod(0o755)
        self.environment["MPSGATE_PROGRAM"] = str(broken)
        self.assertEqual(self.act("gate", self.protocol("plain")), 2, self.log)
        self.assertEqual(self.outputs["decision"], "error", "not the protocol's fault")
        self.assertEqual([name for name, _, _ in self.commands()], ["error"])
        self.assertIn("\nGITHUB_WORKSPACE=", self.log)
        self.assertNotIn("\nGITHUB_OUTPUT=", self.log, "children cannot write the outputs")
        self.assertNotIn("\nGITHUB_ENV=", self.log)

    def test_prepare(self):
        file = self.protocol("plain")
        self.assertEqual(self.act("prepare", file), 0, self.log)
        cache = self.environment["MPSGATE_CACHE"]
        self.assertEqual([self.outputs["cache"], self.outputs["cache-folder"], self.outputs["artifact-name"]], ["true", cache, "mpsgate-plain-rehearse-Linux-X64"])
        self.assertRegex(self.outputs["cache-key"], "^" + re.escape(self.outputs["cache-prefix"]) + "[0-9a-f]{20}$")
        self.assertRegex(self.outputs["cache-prefix"], r"^mpsgate-Linux-X64-\d+\.\d+\.\d+-$")
        first = self.outputs["cache-key"]
        with (self.workspace / file).open("a") as stream:
            stream.write("# changed\n")
        self.assertEqual(self.act("prepare", file, cache="true"), 0)
        self.assertNotEqual(self.outputs["cache-key"], first)
        self.environment.update(RUNNER_ENVIRONMENT="self-hosted", GITHUB_RUN_ATTEMPT="2")
        for value, keep, folder in (("auto", "false", cache), ("false", "false", cache), ("true", "true", cache), ("/srv/cache", "false", "/srv/cache")):
            self.assertEqual(self.act("prepare", file, cache=value, artifact_name="a/b: c"), 0)
            self.assertEqual([self.outputs["cache"], self.outputs["cache-folder"], "compiler-cache" in self.outputs], [keep, folder, keep == "true"])
            self.assertEqual(self.outputs["artifact-name"], "a-b--c")
        self.assertEqual(self.act("prepare", file), 0)
        self.assertEqual(self.outputs["artifact-name"], "mpsgate-plain-rehearse-Linux-X64-2")
        self.assertEqual(self.act("prepare", file, cache="/a\ncache-key=b"), 2)
        del self.environment["MPSGATE_CACHE"]
        self.assertEqual(self.act("prepare", file), 0)
        self.assertEqual(self.outputs["cache-folder"], self.environment["HOME"] + "/.cache/mpsgate")

    def test_what_is_not_public_leaves_no_cache(self):
        cache = self.folder / "cache"
        stored = cache / "artefacts" / ("a" * 64)
        stored.mkdir(parents=True)
        (stored / "data").write_text("secret")
        (stored / "about.json").write_text('{"confidentiality": "internal"}')
        for name in ("environments", "installers"):
            (cache / name).symlink_to(pathlib.Path(self.environment["MPSGATE_CACHE"]) / name)
        self.environment["MPSGATE_CACHE"] = str(cache)
        file = self.protocol("plain")
        self.assertEqual(self.act("gate", file), 0, self.log)
        self.assertTrue(stored.exists(), "on the machine's own disk it stays")
        self.environment["LEAVES_CACHE"] = "true"
        self.assertEqual(self.act("gate", file), 0, self.log)
        self.assertFalse(stored.exists())

    def test_excerpts_of_a_protocol_command_nothing(self):
        file = self.protocol("plain")
        path = self.workspace / file
        path.write_text(path.read_text().replace("commands:", "commands:\n  ::warning file=x::pwned: y\n  '##[error]x': y"))
        self.assertEqual(self.act("gate", file), 2, self.log)
        self.assertIn("pwned", self.log)
        for name, at, _ in self.commands():
            self.assertEqual((name, at.get("file")), ("error", file))

    def test_without_a_runner_it_says_so(self):
        del self.environment["GITHUB_OUTPUT"]
        completed = subprocess.run([str(SHELL), "gate"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("ci/mpsgate", completed.stderr)


if __name__ == "__main__":
    harness.main()
