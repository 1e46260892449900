"""Trains minGPT's adder by its own script, then writes the logits of the first test sums and the losses that it printed."""

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
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--out", type=Path, required=True)
arguments = parser.parse_args()
arguments.out.mkdir(parents=True, exist_ok=True)

sys.argv = ["adder.py", f"--trainer.device={arguments.device}", f"--trainer.max_iters={arguments.steps}",
            "--trainer.num_workers=0", f"--system.work_dir={str(arguments.out / 'model')!r}"]  # it is read as a Python literal
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    trained = runpy.run_path("projects/adder/adder.py", run_name="__main__")

with open(arguments.out / "losses.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["iteration", "loss"])
    writer.writerows(re.findall(r"iter (\d+): train loss ([0-9.]+)", printed.getvalue()))

model = trained["model"].eval()
inputs = torch.stack([trained["test_dataset"][i][0] for i in range(64)])
with torch.no_grad():
    logits, _ = model(inputs.to(arguments.device))
np.save(arguments.out / "logits.npy", logits.cpu().numpy())
print(f"{len(inputs)} sums, logits {tuple(logits.shape)} on {arguments.device}")
