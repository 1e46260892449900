"""The first rule, as the linker has it: mpsgate links none of LibTorch, libgit2 and libcurl."""

import os
import subprocess

import harness


def libraries(program):
    tool = ["otool", "-L", str(program)] if os.uname().sysname == "Darwin" else ["ldd", str(program)]
    return subprocess.run(tool, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


class Links(harness.Cli):
    def test_mpsgate(self):
        linked = libraries(harness.BIN / "mpsgate")
        self.assertIn("crypto", linked)
        for name in ("torch", "c10", "git2", "curl"):
            self.assertNotIn("lib" + name, linked)

    def test_fetch(self):
        linked = libraries(harness.BIN / "mpsgate-fetch")
        self.assertIn("libgit2", linked)
        self.assertIn("libcurl", linked)
        self.assertNotIn("libtorch", linked)

    def test_device(self):
        if not (harness.BIN / "mpsgate-device").exists():
            return  # built without LibTorch (the asan and tsan presets)
        linked = libraries(harness.BIN / "mpsgate-device")
        self.assertIn("libtorch", linked)
        for name in ("git2", "curl"):
            self.assertNotIn("lib" + name, linked)


if __name__ == "__main__":
    harness.main()
