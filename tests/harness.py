"""What the cli tests share: running the real programs in a scratch folder with a scratch HOME."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MPSGATE_SOURCE_DIR"])
BIN = pathlib.Path(os.environ["MPSGATE_BIN"])
PROTOCOLS = SOURCE / "fixtures" / "protocols"


class Cli(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mpsgate-cli."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "FORCE_COLOR", "CLICOLOR_FORCE")}
        # Environments are built once for all tests.
        self.environment.setdefault("MPSGATE_CACHE", str(SOURCE / "build" / "test-cache"))

    def command(self, *arguments):
        return [str(BIN / "mpsgate"), *map(str, arguments)]

    def mpsgate(self, *arguments, **options):
        environment = dict(self.environment, **options.pop("env", {}))
        return subprocess.run(self.command(*arguments), cwd=options.pop("cwd", self.folder), env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=800, **options)

    def rehearse(self, name, *arguments, **options):
        """Rehearses a fixture protocol into folder/run; the completed process."""
        return self.mpsgate("rehearse", PROTOCOLS / (name + ".yaml"), "--out", self.run_folder(), *arguments, **options)

    def run_folder(self):
        return self.folder / "run"

    def report(self):
        return json.loads((self.run_folder() / "report.json").read_text())

    def journal(self):
        return [json.loads(line) for line in (self.run_folder() / "journal.jsonl").read_text().splitlines()]

    def said(self, completed):
        return "exit %d\n%s\n%s" % (completed.returncode, completed.stdout, completed.stderr)


REPORTS = ("report.json", "report.md", "junit.xml", "junit-strict.xml", "verdict.txt")
main = unittest.main
