"""Asks the lab's torch about mps and runs the canaries: small computations whose right answers are known.

Reads a JSON request from standard input and writes one JSON answer line to standard output; see docs/workers.md.
Works with torch 1.13 to 2.14.
"""
import json
import os
import platform
import sys

request = json.loads(sys.stdin.read() or "{}")
answer_stream = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(value):
    answer_stream.write(json.dumps(value) + "\n")
    answer_stream.flush()
    os._exit(0)


def refuse(code, message, advice=""):
    answer({"error": {"code": code, "message": message, "advice": advice}})


try:
    import torch
except ModuleNotFoundError as error:
    if error.name == "torch":
        refuse("probe.no-torch", "the environment has no torch",
               "name it under environment, or drop the probe in the protocol with a reason")
    refuse("probe.torch-broken", "import torch failed: %s" % error)
except Exception as error:
    refuse("probe.torch-broken", "import torch failed: %s: %s" % (type(error).__name__, error))

import torch.nn.functional as F


def mps():
    return getattr(torch.backends, "mps", None)


built = bool(mps() and mps().is_built())
available = bool(mps() and mps().is_available())
device = "mps" if available else "cpu"


def ramp(*shape):
    """Numbers that are no round ones and the same everywhere, in [-1, 1]."""
    count = 1
    for extent in shape:
        count *= extent
    return ((torch.arange(count, dtype=torch.float64) * 0.7548776662466927) % 2 - 1).reshape(shape).float()


def witness():
    # Whole numbers: exact in float32, and known without any second computation.
    a = (torch.arange(64, dtype=torch.float32) % 7).reshape(8, 8).to(device)
    result = (a @ torch.eye(8, device=device) * 2).cpu()
    expected = torch.tensor([float(i % 7) * 2 for i in range(64)]).reshape(8, 8)
    return (result - expected).abs().max().item()


def against_cpu(function, *inputs):
    """Largest difference between the device and the CPU in float64."""
    expected = function(*[x.double() for x in inputs])
    result = function(*[x.to(device) for x in inputs]).cpu().double()
    if result.shape != expected.shape:
        raise RuntimeError("the result has shape %s, expected %s" % (tuple(result.shape), tuple(expected.shape)))
    return (result - expected).abs().max().item()


def reductions():
    x = ramp(37, 53)
    worst = max(against_cpu(lambda t: t.sum(1), x), against_cpu(lambda t: t.mean(0), x), against_cpu(lambda t: t.amax(1), x))
    if (x.to(device).argmax(1).cpu() != x.argmax(1)).any():
        raise RuntimeError("argmax names another element")
    return worst


def convolution():
    x, w = ramp(2, 9, 11, 4), ramp(3, 3, 4, 5)
    return against_cpu(lambda t, u: F.conv2d(t.permute(0, 3, 1, 2), u.permute(3, 2, 0, 1), padding=1), x, w)


def addcdiv():
    a, b, c = ramp(12, 20), ramp(12, 20), ramp(12, 20) + 3
    return against_cpu(lambda t, u, v: torch.addcdiv(t.t()[::2], u.t()[::2], v.t()[::2], value=0.5), a, b, c)


def allocate(count):
    """Allocates `count` float32 on the device, writes the first and the last, reads them back."""
    x = torch.zeros(count, device=device)
    x[0], x[-1] = 3.0, 5.0
    wrong = abs(x[0].item() - 3.0) + abs(x[-1].item() - 5.0)
    del x
    return wrong


def enough_memory():
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >= 6 << 30
    except (ValueError, OSError):
        return False


CANARIES = [
    ("witness-matmul", 0.0, witness),
    ("matmul-transposed", 1e-4, lambda: against_cpu(lambda a, b: a.t() @ b, ramp(48, 33), ramp(48, 21))),
    ("linear-3d-bias", 1e-4, lambda: against_cpu(F.linear, ramp(3, 17, 24), ramp(40, 24), ramp(40))),
    ("linear-batch-64", 1e-4, lambda: against_cpu(F.linear, ramp(64, 31), ramp(13, 31), ramp(13))),
    ("convolution-strided", 1e-4, convolution),
    ("addcdiv-strided", 1e-5, addcdiv),
    ("layer-norm", 1e-4, lambda: against_cpu(lambda t: F.layer_norm(t, (32,)), ramp(6, 32))),
    ("softmax", 1e-5, lambda: against_cpu(lambda t: torch.softmax(t * 8, -1), ramp(5, 100))),
    ("reductions", 1e-4, reductions),
    ("allocation-256-B", 0.0, lambda: allocate(64)),
    ("allocation-1-GiB", 0.0, lambda: allocate(1 << 28)),
]

results = []
for name, tolerance, canary in CANARIES:
    result = {"name": name, "status": "passed", "max_abs_error": 0.0, "tolerance": tolerance, "message": ""}
    if name == "allocation-1-GiB" and not enough_memory():
        result.update(status="not-run", message="the machine has less than 6 GiB of memory")
    else:
        try:
            error = canary()
            if error != error or error in (float("inf"), float("-inf")):
                result.update(status="wrong", message="the result is not finite", max_abs_error=0.0)
            else:
                result["max_abs_error"] = error
                if error > tolerance:
                    result.update(status="wrong", message="the result is off by %.3g" % error)
        except Exception as error:
            result.update(status="failed", message="%s: %s" % (type(error).__name__, str(error)[:300]))
    results.append(result)

answer({"result": {"torch": torch.__version__, "python": platform.python_version(), "architecture": platform.machine(),
                   "built": built, "available": available, "device_name": platform.processor() if available else "",
                   "device": device, "canaries": results}})
