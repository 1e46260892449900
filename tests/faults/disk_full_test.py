"""A disk that fills up, at every size: never a crash, never a verdict against the lab, and the run goes on when there is room again.

The disk is a tmpfs of a user namespace, so nothing of the machine is touched."""

import json
import shutil
import subprocess
import sys

import harness

UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]
MOUNT = 'mount -t tmpfs -o size="$1" none "$2" && shift 2 && exec "$@"'


def can_mount():
    if not shutil.which("unshare"):
        return False
    done = subprocess.run(UNSHARE + ["mount", "-t", "tmpfs", "-o", "size=1m", "none", "/mnt"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


class DiskFull(harness.Cli):
    def on_disk_of(self, size, script):
        """Runs a Python script below a mount of `size` at folder/disk; MPSGATE names the binary, DISK the mount."""
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        environment = dict(self.environment, MPSGATE=str(harness.BIN / "mpsgate"), DISK=str(disk))
        return subprocess.run(UNSHARE + ["sh", "-c", MOUNT, "sh", size, str(disk), sys.executable, "-c", script], env=environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", timeout=600)

    def test_no_size_of_disk_blames_the_lab(self):
        protocol = harness.PROTOCOLS / "plain.yaml"
        script = """
import json, os, pathlib, subprocess
run = pathlib.Path(os.environ["DISK"]) / "run"
done = subprocess.run([os.environ["MPSGATE"], "rehearse", %r, "--out", str(run)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
verdict = run / "verdict.txt"
text = verdict.read_text() if verdict.exists() else ""
lines = 0
if (run / "journal.jsonl").exists():
    for line in (run / "journal.jsonl").read_text().splitlines():
        json.loads(line) if line.endswith("}") else None
print(json.dumps([done.returncode, text, done.stdout + done.stderr]))
""" % str(protocol)
        codes = set()
        for size in ("8k", "32k", "64k", "96k", "128k", "192k", "256k", "512k", "8m"):
            with self.subTest(size):
                done = self.on_disk_of(size, script)
                self.assertEqual(done.returncode, 0, self.said(done))
                code, verdict, said = json.loads(done.stdout)
                codes.add(code)
                self.assertIn(code, (0, 3, 4), said)
                self.assertFalse(verdict.startswith("abort"), said)
                if code != 0:
                    self.assertRegex(said.lower(), "disk is full|no space left|disk filled up", said)
        self.assertIn(0, codes, "the largest disk is large enough")
        self.assertTrue(codes & {3, 4}, "the smallest is not")

    def test_resume_when_there_is_room_again(self):
        protocol = harness.PROTOCOLS / "plain.yaml"
        script = """
import os, pathlib, subprocess
disk = pathlib.Path(os.environ["DISK"])
ballast = disk / "ballast"
size = 8 << 20
with open(ballast, "wb") as file:
    file.write(b"x" * (size - 150 * 1024))
first = subprocess.run([os.environ["MPSGATE"], "rehearse", %r, "--out", str(disk / "run")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
assert first.returncode in (3, 4), (first.returncode, first.stdout)
ballast.unlink()
second = subprocess.run([os.environ["MPSGATE"], "resume", str(disk / "run")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
print(first.stdout, second.stdout)
assert second.returncode in (0, 3), (second.returncode, first.stdout, second.stdout)
assert (disk / "run" / "report.md").stat().st_size > 500
""" % str(protocol)
        done = self.on_disk_of("8m", script)
        self.assertEqual(done.returncode, 0, self.said(done))


if __name__ == "__main__":
    if not can_mount():
        print("skipped: this machine lets nobody mount a tmpfs in a user namespace")
        sys.exit(77)
    harness.main()
