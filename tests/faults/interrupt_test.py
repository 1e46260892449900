"""Interrupts, kills and two at once: reports are written, nothing is lost, no process stays."""

import os
import signal
import subprocess
import time

import harness


class Interrupt(harness.Cli):
    def start(self, name="hangs", limit="600 s"):
        text = (harness.PROTOCOLS / (name + ".yaml")).read_text().replace("command: 2 s", "command: " + limit)
        protocol = harness.SOURCE / "build" / ("interrupt-test-%d.yaml" % os.getpid())
        protocol.parent.mkdir(exist_ok=True)
        protocol.write_text(text)
        self.addCleanup(protocol.unlink, missing_ok=True)
        process = subprocess.Popen(self.command("rehearse", protocol, "--out", self.run_folder()), env=self.environment, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(process.kill)
        journal = self.run_folder() / "journal.jsonl"
        for _ in range(3000):
            log = self.run_folder() / "logs" / "control.infer.err"
            if log.exists() and '"step":"control"' in journal.read_text():
                time.sleep(0.3)
                return process
            time.sleep(0.02)
        self.fail("control was not reached")

    def stray(self):
        """Processes that still work in the run's folder."""
        found = []
        for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
            if entry.isdigit():
                try:
                    if os.readlink("/proc/%s/cwd" % entry).startswith(str(self.run_folder())):
                        found.append(entry)
                except OSError:
                    pass
        return found

    def test_the_first_signal_writes_reports(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                self.setUp()
                process = self.start()
                process.send_signal(number)
                out, err = process.communicate(timeout=30)
                self.assertEqual(process.returncode, code, out + err)
                self.assertIn("inconclusive", (self.run_folder() / "verdict.txt").read_text())
                for name in harness.REPORTS:
                    self.assertTrue((self.run_folder() / name).exists(), name)
                self.assertEqual(self.stray(), [])
                self.assertFalse(any(r["kind"] == "step" and r["step"] == "control" and r["id"] == "end" for r in self.journal()))

    def test_a_kill_is_mended_by_resume(self):
        process = self.start()
        process.kill()
        process.communicate()
        # The lab's process is an orphan now; a resume must not depend on it.
        for entry in self.stray():
            os.kill(int(entry), signal.SIGKILL)
        finished = [r["step"] for r in self.journal() if r["id"] == "end"]
        text = (self.run_folder() / "journal.jsonl").read_text()
        (self.run_folder() / "journal.jsonl").write_text(text + '{"v":1,"seq":99')
        completed = self.resume_and_interrupt()
        self.assertEqual(completed.returncode, 130, self.said(completed))
        ends = [r["step"] for r in self.journal() if r["id"] == "end"]
        self.assertEqual(ends[:len(finished)], finished)
        self.assertEqual(len(ends), len(set(ends)), "no finished step is repeated")

    def resume_and_interrupt(self):
        """Resumes, interrupts once control runs again, and gives what that left."""
        process = subprocess.Popen(self.command("resume", self.run_folder()), env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        for _ in range(1000):
            if "run.resume" in (self.run_folder() / "journal.jsonl").read_text() and self.stray():
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        return subprocess.CompletedProcess([], process.returncode, out, err)

    def test_what_an_orphan_writes_counts_for_nothing(self):
        process = self.start()
        process.kill()
        process.communicate()
        work = self.run_folder() / "work"
        first = [path for path in work.iterdir()]
        self.assertEqual(len(first), 1)
        resumed = subprocess.Popen(self.command("resume", self.run_folder()), env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        for _ in range(1000):
            second = [path for path in work.iterdir() if path not in first]
            if second:
                break
            time.sleep(0.02)
        self.assertEqual(len(second), 1, "the resumed pass has a folder of its own")
        resumed.send_signal(signal.SIGINT)
        resumed.communicate(timeout=30)
        for entry in self.stray():
            os.kill(int(entry), signal.SIGKILL)

    def test_a_run_is_locked(self):
        process = self.start()
        completed = self.mpsgate("resume", self.run_folder())
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("another mpsgate is at work", completed.stderr)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)

    def test_two_runs_at_once(self):
        cache = str(self.folder / "cache")
        processes = []
        for number in (1, 2):
            processes.append(subprocess.Popen(self.command("rehearse", harness.PROTOCOLS / "plain.yaml", "--out", self.folder / ("run%d" % number)),
                                              env=dict(self.environment, MPSGATE_CACHE=cache), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                              stderr=subprocess.PIPE, encoding="utf-8"))
        for process in processes:
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + err)


if __name__ == "__main__":
    harness.main()
