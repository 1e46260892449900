# labels: torch
"""Which torch mpsgate-device is built against, and which are refused at configure with advice."""

import subprocess

import harness


class LibTorch(harness.Cli):
    def configure(self, version, cuda="None", *arguments):
        root = self.folder / "torch"
        (root / "share/cmake/Torch").mkdir(parents=True, exist_ok=True)
        (root / "version.py").write_text("__version__ = '%s'\ncuda: str | None = %s\n" % (version, cuda))
        arguments = arguments or ("-DTorch_DIR=%s" % (root / "share/cmake/Torch"),)
        completed = subprocess.run(["cmake", "-S", str(harness.SOURCE), "-B", str(self.folder / "build"), "-DMPSGATE_TESTS=OFF", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=300)
        self.assertNotEqual(completed.returncode, 0)
        return " ".join(completed.stdout.split())

    def test_a_cuda_build_is_refused(self):
        said = self.configure("2.13.0+cu128", "'12.8'")
        self.assertIn("is a CUDA build", said)
        self.assertIn("torch==2.13.0+cpu", said)

    def test_the_old_abi_is_refused(self):
        said = self.configure("2.6.0+cpu")
        self.assertIn("older than 2.7", said)

    def test_a_python_without_torch(self):
        said = self.configure("2.13.0", "None", "-DMPSGATE_PYTHON=/usr/bin/python3-that-is-not-there")
        self.assertIn("There is no torch for mpsgate-device", said)
        self.assertIn("MPSGATE_DEVICE=OFF", said)

    def test_no_torch_at_all_in_the_folder(self):
        root = self.folder / "other"
        (root / "share/cmake/Torch").mkdir(parents=True)
        self.assertIn("is no torch", self.configure("2.13.0", "None", "-DTorch_DIR=%s" % (root / "share/cmake/Torch")))


if __name__ == "__main__":
    harness.main()
