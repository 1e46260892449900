"""Trains makemore by its own script, then writes the logits of the first names and the losses that it printed."""

import argparse
import contextlib
import csv
import io
import re
import runpy
import sys
from pathlib import Path

import numpy as np
import torch

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--device", default="cpu")
parser.add_argument("--steps", type=int, default=501)
parser.add_argument("--out", type=Path, required=True)
arguments = parser.parse_args()
arguments.out.mkdir(parents=True, exist_ok=True)

sys.argv = ["makemore.py", "--input-file", "names.txt", "--work-dir", str(arguments.out / "model"), "--device", arguments.device,
            "--max-steps", str(arguments.steps), "--num-workers", "0"]
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    trained = runpy.run_path("makemore.py", run_name="__main__")

with open(arguments.out / "losses.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["step", "loss"])
    writer.writerows(re.findall(r"^step (\d+) \| loss ([0-9.]+) ", printed.getvalue(), re.MULTILINE))

model = trained["model"].eval()
# The split is shuffled: the first names of the file are the same on every machine.
words = Path("names.txt").read_text().split()[:64]
inputs = torch.zeros(len(words), trained["block_size"], dtype=torch.long)
for row, word in enumerate(words):
    code = trained["train_dataset"].encode(word)
    inputs[row, 1:1 + len(code)] = code
with torch.no_grad():
    logits, _ = model(inputs.to(arguments.device))
np.save(arguments.out / "logits.npy", logits.cpu().numpy())
print(f"{len(words)} names, logits {tuple(logits.shape)} on {arguments.device}")
