#!/usr/bin/env python3
"""Benchmarks: run after ci/mpsgate has built, on a quiet machine. Prints figures with their spread; judges nothing.

usage: tests/bench/run.py [PAIRS]
"""

import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MPSGATE = (ROOT / "build/current/bin/mpsgate").resolve()
PROTOCOL = ROOT / "protocols/quickstart.yaml"
PAIRS = int(sys.argv[1]) if len(sys.argv) > 1 else 10


def timed(argv, **options):
    start = time.perf_counter()
    subprocess.run([str(word) for word in argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, **options)
    return time.perf_counter() - start


def spread(name, values, unit="ms", bound=""):
    scaled = [value * 1000 for value in values] if unit == "ms" else values
    print("%-46s median %8.1f %s   min %.1f   max %.1f   n %d   %s" % (name, statistics.median(scaled), unit, min(scaled), max(scaled), len(scaled), bound))


def rehearse(folder):
    """One warm rehearsal of the quickstart: (wall time, journal)."""
    seconds = timed([MPSGATE, "rehearse", PROTOCOL, "--out", folder])
    return seconds, [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def shell_script(folder, journal):
    """The same programs, started by a shell: each pass in a copy of the checkout, as the sequence has them."""
    notes = {record["id"]: record["data"]["value"] for record in journal if record["kind"] == "note"}
    python = notes["environment.python"]
    probe = (ROOT / "harness/device/probe.py").read_text()
    (folder / "probe.py").write_text(probe)
    predict = '%s -m tones.predict --device cpu --weights weights/tones.pt --input clips --out "$work/out"' % python
    lines = ["#!/bin/sh", "set -e", "export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONFAULTHANDLER=1 PYTHONHASHSEED=0 PYTHONNOUSERSITE=1",
             "fresh() { rm -rf \"$work\"; mkdir -p \"$work/out\"; cp -R %s/source \"$work/checkout\"; cd \"$work/checkout\"; }" % (folder / "first"),
             "work=%s" % (folder / "work"),
             "echo '{\"op\": \"probe\", \"protocol\": 1}' | %s -I %s" % (python, folder / "probe.py"),
             "echo '{\"op\": \"probe\", \"protocol\": 1}' | %s" % (MPSGATE.parent / "mpsgate-device")]
    for _ in range(5):  # control, three of repeat, relaunch
        lines += ["fresh", predict]
    lines += ["fresh", '%s -m tones.export --device cpu --weights weights/tones.pt --out "$work/out"' % python, "cp \"$work/out/model.npz\" %s/model.npz" % folder,
              "fresh", "%s -m tones.check_export --device cpu --archive %s/model.npz" % (python, folder)]
    script = folder / "same.sh"
    script.write_text("\n".join(lines) + "\n")
    return script


def main():
    if not MPSGATE.exists():
        sys.exit("there is no %s: run ci/mpsgate --version first" % MPSGATE)
    spread("start of mpsgate (--version)", [timed([MPSGATE, "--version"]) for _ in range(50)], bound="bound 10")
    spread("second start of the wrapper", [timed([ROOT / "ci/mpsgate", "--version"]) for _ in range(30)], bound="bound 100")
    spread("validate one protocol, a whole process", [timed([MPSGATE, "validate", PROTOCOL]) for _ in range(50)], bound="bound 15")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="mpsgate-bench."))
    try:
        (folder / "thousand").mkdir()
        text = (ROOT / "protocols/examples/makemore.yaml").read_text()
        for number in range(1000):
            (folder / "thousand" / ("p%d.yaml" % number)).write_text(text.replace("files: [makemore_logits.py]\n", ""))
        spread("validate a folder of 1,000", [timed([MPSGATE, "validate", folder / "thousand"]) for _ in range(5)], bound="bound 1000")
        _, journal = rehearse(folder / "first")
        script = shell_script(folder, journal)
        timed(["sh", script])
        harness, environment, ratios, whole, shell = [], [], [], [], []
        for number in range(PAIRS):
            pair = {}
            for side in random.sample(("mpsgate", "shell"), 2):
                if side == "mpsgate":
                    pair[side], journal = rehearse(folder / ("run%d" % number))
                    end = [record["data"] for record in journal if record["id"] == "run.end"][0]
                    harness.append(end["seconds"] - end["child_seconds"])
                    environment += [record["data"]["seconds"] for record in journal if record["step"] == "environment" and record["id"] == "end"]
                    shutil.rmtree(folder / ("run%d" % number))
                else:
                    pair[side] = timed(["sh", script])
            whole.append(pair["mpsgate"])
            shell.append(pair["shell"])
            ratios.append(pair["mpsgate"] / pair["shell"])
        spread("harness alone, no child alive (quickstart)", harness, bound="bound 150")
        spread("warm environment step", environment, bound="bound 300")
        spread("whole sequence", whole, "s")
        spread("shell script with the same programs", shell, "s")
        means = sorted(statistics.mean(random.choices(ratios, k=len(ratios))) for _ in range(5000))
        print("%-46s mean %.3f   95 %% interval %.3f to %.3f   median %.3f   n %d   bound 1.05" %
              ("paired ratio, sequence : shell script", statistics.mean(ratios), means[125], means[4875], statistics.median(ratios), len(ratios)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
