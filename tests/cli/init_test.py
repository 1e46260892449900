"""mpsgate init: a first protocol for a repository, which validates as written."""

import os
import subprocess
import unittest

import harness

GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "lab", "GIT_AUTHOR_EMAIL": "lab@example.org",
       "GIT_COMMITTER_NAME": "lab", "GIT_COMMITTER_EMAIL": "lab@example.org"}
SCRIPT = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
parser.add_argument("--out", required=True)
arguments = parser.parse_args()
open(arguments.out + "/scores.csv", "w").write("a,b\\n1,2\\n")
"""


class Init(harness.Cli):
    def git(self, *words, cwd=None):
        return subprocess.run(["git", *map(str, words)], cwd=cwd or self.folder / "lab", env=dict(os.environ, **GIT), check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8").stdout.strip()

    def lab(self, remote="https://example.org/lab/tones.git", **files):
        """A repository "lab" of one commit."""
        folder = self.folder / "lab"
        for name, text in dict({"predict.py": SCRIPT}, **files).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        if remote:
            self.git("remote", "add", "origin", remote)
        return folder

    def written(self, *words, file=None):
        """Runs init, then validate; the text of the protocol."""
        completed = self.mpsgate("init", *words)
        self.assertEqual(completed.returncode, 0, self.said(completed))
        file = file or self.folder / "lab" / "mpsgate.yaml"
        valid = self.mpsgate("validate", file)
        self.assertEqual(valid.returncode, 0, self.said(valid) + file.read_text())
        return file.read_text()

    def refused(self, said, *words):
        completed = self.mpsgate("init", *words)
        self.assertEqual(completed.returncode, 2, self.said(completed))
        self.assertIn(said, completed.stderr)

    def test_a_protocol_that_validates(self):
        lab = self.lab()
        completed = self.mpsgate("init", lab)
        self.assertEqual(completed.returncode, 0, self.said(completed))
        for said in ("https://example.org/lab/tones.git", "python predict.py", "--device (predict.py:3)", "--out: scores.csv", "next: mpsgate validate %s" % (lab / "mpsgate.yaml"), "mpsgate rehearse"):
            self.assertIn(said, completed.stdout)
        text = (lab / "mpsgate.yaml").read_text()
        self.assertIn("commit: %s\n" % self.git("rev-parse", "HEAD"), text.replace('"', ""))
        self.assertIn("  predict: python predict.py {device_args} --out {out}\n", text)
        self.assertEqual(self.mpsgate("validate", lab / "mpsgate.yaml").returncode, 0)

    def test_it_can_be_rehearsed(self):
        self.lab(remote=None)
        self.written("lab")
        completed = self.mpsgate("rehearse", "lab/mpsgate.yaml", "--out", self.run_folder(), "--only", "source,environment,control")
        steps = {step["id"]: step["status"] for step in self.report()["steps"]}
        self.assertEqual((steps["source"], steps["environment"], steps["control"]), ("passed", "passed", "passed"), self.said(completed))

    def test_every_state_of_a_checkout(self):
        lab = self.lab()
        first = self.git("rev-parse", "HEAD")
        self.git("pack-refs", "--all")
        self.assertIn(first, self.written(lab))
        (lab / "more.py").write_text("")
        self.git("add", "more.py")
        self.git("commit", "-q", "-m", "second")
        self.assertIn(self.git("rev-parse", "HEAD"), self.written(lab, "--force"))
        self.git("checkout", "-q", "--detach", first)
        self.assertIn(first, self.written(lab, "--force"))
        self.git("worktree", "add", "-q", "-b", "side", self.folder / "tree")
        text = self.written(self.folder / "tree", file=self.folder / "tree" / "mpsgate.yaml")
        self.assertIn("branch side", text)
        self.assertIn("url: https://example.org/lab/tones.git", text)

    def test_no_credential_is_written(self):
        text = self.written(self.lab(remote="https://me:sesame@example.org/lab/tones"))
        self.assertIn("url: https://example.org/lab/tones\n", text)
        self.assertNotIn("sesame", text)
        self.git("remote", "set-url", "origin", "git@example.org:lab/tones.git")
        self.assertIn("url: git@example.org:lab/tones.git\n", self.written("lab", "--force"))

    def test_an_existing_file_is_kept(self):
        lab = self.lab()
        first = self.written(lab)
        (lab / "mpsgate.yaml").write_text("mine")
        self.refused("--force", lab)
        self.assertEqual((lab / "mpsgate.yaml").read_text(), "mine")
        self.assertEqual(self.written(lab, "--force"), first)
        self.assertEqual(self.written(lab, "--force"), first)

    def test_printed(self):
        lab = self.lab()
        completed = self.mpsgate("init", lab, "--out", "-")
        self.assertEqual(completed.returncode, 0)
        self.assertFalse((lab / "mpsgate.yaml").exists())
        self.assertEqual(completed.stdout, self.written(lab))
        self.assertIn("--device", completed.stderr)

    def test_another_place_and_name(self):
        lab = self.lab(remote=None)
        text = self.written(lab, "--out", "elsewhere.yaml", "--name", "my-tones", file=self.folder / "elsewhere.yaml")
        self.assertIn("\nname: my-tones\n", text)
        self.assertIn("file://", text)
        text = self.written(lab, "--out", lab / "protocols" / "a.yaml", file=lab / "protocols" / "a.yaml")
        self.assertIn('url: "."', text)

    def test_refusals(self):
        self.refused("repository is required")
        self.refused("there is no folder", "absent")
        (self.folder / "plain").mkdir()
        self.refused("no git checkout", "plain")
        self.git("init", "-q", cwd=self.folder / "plain")
        self.refused("there is no commit yet", "plain")
        self.git("init", "-q", "--bare", "bare.git", cwd=self.folder)
        self.refused("bare repository", "bare.git")
        lab = self.lab(**{"sub/a.py": ""})
        self.refused("lies inside the checkout", lab / "sub")
        self.refused("for example my-lab", lab, "--name", "My Lab")
        self.refused("is a folder", lab, "--out", self.folder, "--force")
        (self.folder / "a file").write_text("")
        self.refused("cannot be written", lab, "--out", self.folder / "a file" / "x.yaml")

    def test_a_hostile_name(self):
        lab = self.lab(**{"predict.py": "", "a: b #{x}'\"\n.py": SCRIPT})
        text = self.written(lab)
        self.assertIn('{{x}}', text)
        completed = self.mpsgate("init", lab, "--force")
        self.assertNotIn("\x1b", completed.stdout)

    def test_every_fixture_lab(self):
        labs = sorted(path for path in (harness.SOURCE / "labs").iterdir() if (path / ".git").exists())
        self.assertGreater(len(labs), 20)
        for lab in labs:
            with self.subTest(lab.name):
                copy = self.folder / lab.name
                self.git("clone", "-q", lab, copy, cwd=self.folder)
                text = self.written(copy, file=copy / "mpsgate.yaml")
                self.assertEqual("No script was found" in text, lab.name == "notebook")
                self.assertEqual("notebook: analysis/tones.ipynb" in text, lab.name == "notebook")
                if lab.name == "tones":
                    self.assertIn("{weights.tones}", text)


if __name__ == "__main__":
    unittest.main()
