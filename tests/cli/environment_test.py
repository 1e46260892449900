"""Environments that cannot be built, each for one reason, against a package index that the test makes itself."""

import base64
import hashlib
import io
import pathlib
import sys
import tarfile
import zipfile

import harness


def wheel(folder, name, version, requires=(), tag="py3-none-any"):
    stem = "%s-%s" % (name.replace("-", "_"), version)
    metadata = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version) + "".join("Requires-Dist: %s\n" % line for line in requires)
    files = {name.replace("-", "_") + "/__init__.py": "VALUE = 1\n", stem + ".dist-info/METADATA": metadata,
             stem + ".dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: %s\n" % tag}
    record = ""
    with zipfile.ZipFile(folder / ("%s-%s.whl" % (stem, tag)), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += "%s,sha256=%s,%d\n" % (path, digest, len(text))
        archive.writestr(stem + ".dist-info/RECORD", record + stem + ".dist-info/RECORD,,\n")


def source_archive(folder, name, version, setup):
    stem = "%s-%s" % (name.replace("-", "_"), version)
    # A backend of its own: nothing has to be downloaded to see it fail.
    files = {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n', "backend.py": setup,
             "PKG-INFO": "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)}
    with tarfile.open(folder / (stem + ".tar.gz"), "w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(stem + "/" + path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))


class Environments(harness.Cli):
    def setUp(self):
        super().setUp()
        index = self.folder / "index"
        for name in ("alpha", "beta", "gamma", "delta", "epsilon"):
            (index / (name + "-of-the-lab")).mkdir(parents=True)
        wheel(index / "alpha-of-the-lab", "alpha-of-the-lab", "1.0", ["gamma-of-the-lab<2"])
        wheel(index / "beta-of-the-lab", "beta-of-the-lab", "1.0", ["gamma-of-the-lab>=2"])
        wheel(index / "gamma-of-the-lab", "gamma-of-the-lab", "1.0")
        wheel(index / "gamma-of-the-lab", "gamma-of-the-lab", "2.0")
        machine = "linux_x86_64" if sys.platform == "linux" else "macosx_11_0_x86_64"
        wheel(index / "delta-of-the-lab", "delta-of-the-lab", "1.0", tag="py3-none-" + machine)
        source_archive(index / "epsilon-of-the-lab", "epsilon-of-the-lab", "1.0", 'raise RuntimeError("no compiler for epsilon")\n')
        for folder in index.iterdir():
            links = "".join('<a href="%s">%s</a>\n' % (path.name, path.name) for path in sorted(folder.iterdir()))
            (folder / "index.html").write_text("<!DOCTYPE html><html><body>\n%s</body></html>\n" % links)
        self.environment.update(PIP_INDEX_URL=index.as_uri(), PIP_CONFIG_FILE="/dev/null", MPSGATE_CACHE=str(self.folder / "cache"))
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT", "PIP_NO_INDEX"):
            self.environment.pop(name, None)

    def expect(self, name, code, decision, finding, said, **options):
        completed = self.rehearse(name, **options)
        self.assertEqual(completed.returncode, code, self.said(completed))
        verdict = self.report()["verdict"]
        self.assertEqual(verdict["decision"], decision)
        found = [record for record in self.journal() if record["kind"] == "finding" and record["id"] == finding]
        self.assertTrue(found, self.said(completed))
        self.assertIn(said, found[0]["data"]["message"])
        return found[0]["data"]

    def test_pins_that_exclude_each_other_abort(self):
        data = self.expect("conflicting", 1, "abort", "environment.unbuildable", "of-the-lab")
        self.assertEqual(data["basis"], "static")
        self.assertEqual(self.report()["verdict"]["cause"], "environment")
        self.assertEqual(self.report()["verdict"]["route"], "adapt")

    def test_a_release_that_the_index_does_not_have_aborts(self):
        self.expect("stale-pin", 1, "abort", "environment.unbuildable", "alpha-of-the-lab")

    def test_what_no_mac_can_install_aborts_a_rehearsal(self):
        if sys.platform != "linux":
            self.skipTest("predicted on Linux only")
        self.expect("linux-only", 1, "abort", "environment.unbuildable", "delta-of-the-lab")

    def test_a_build_that_fails_on_linux_is_inconclusive(self):
        if sys.platform != "linux":
            self.skipTest("on macOS it aborts")
        data = self.expect("broken-build", 3, "inconclusive", "environment.build-failed", "epsilon-of-the-lab")
        self.assertTrue(data["evidence"])

    def test_an_unreachable_index_is_inconclusive(self):
        self.expect("stale-pin", 3, "inconclusive", "environment.index-unreachable", "index", env={"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"})

    def test_torch_must_be_pinned(self):
        self.expect("loose-torch", 3, "inconclusive", "environment.torch-unpinned", "torch>=2.0")

    def test_a_python_that_is_not_here(self):
        data = self.expect("future-python", 3, "inconclusive", "environment.python-missing", "3.99")
        self.assertIn("install", data["remedy"])

    def test_the_labs_own_package_is_installed_and_reused(self):
        completed = self.rehearse("packaged")
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertIn("packaged-lab 1.0", (self.run_folder() / "logs" / "control.infer.out").read_text())
        self.run_folder().rename(self.folder / "first")
        self.rehearse("packaged")
        reused = [record for record in self.journal() if record["id"] == "environment.reused"]
        self.assertTrue(reused[0]["data"]["value"])
        self.assertNotIn("credential", pathlib.Path(self.run_folder() / "environment.json").read_text())

    def test_credentials_reach_no_file(self):
        self.environment["PIP_EXTRA_INDEX_URL"] = "http://someone:s3cret-w0rd@127.0.0.1:9/simple"
        self.environment["PIP_RETRIES"] = "0"
        self.environment["LAB_TOKEN"] = "s3cret-w0rd"
        self.rehearse("conflicting")
        for path in self.run_folder().rglob("*"):
            if path.is_file() and path.parent.name != "logs":
                self.assertNotIn(b"s3cret-w0rd", path.read_bytes(), path)


if __name__ == "__main__":
    harness.main()
