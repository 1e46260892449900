"""The checker and the published schema judge the structure of protocols alike. A foreign validator is fed the JSON that
our reader makes of the YAML; the editor's way, raw YAML by a YAML 1.2 reader of others, is tried on the good ones."""

import json
import os
import subprocess
import sys

import harness

GOOD = """mpsgate: 1
name: tones
purpose: {why: a partner asks, macos-required: true, workload: inference}
repository:
  url: https://github.com/lab/tones
  commit: 1234567890123456789012345678901234567890
  sparse: [src, README.md]
environment:
  python: 3.11
  files: [requirements.txt]
  packages: [numpy==2.2.6]
  install: .
  replace: {torch: {with: torch==2.13.0, because: pins CUDA}}
  drop: {flash-attn: training only}
weights:
  model: {url: https://zenodo.org/m.pt, sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, size: 48 MiB}
data:
  clips: {path: clips, sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, confidentiality: internal}
confidentiality: {class: public, machines: [lab-*], allowed-by: the dean, retention: 30 d}
commands:
  infer: python predict.py {device_args} --out {out}
  fit: python fit.py {batch} {epochs} {weights.model}
  judge: python judge.py {actual} {expected}
  train: [python, train.py, --device, "{device}"]
  save: python save.py
devices: {cpu: --device cpu, mps: [--device, mps]}
outputs:
  scores: {of: infer, file: scores.npy, tolerance: float32}
  maps: {file: maps, tolerance: {rtol: 1e-4, nan: equal}}
  beside: {of: save, checkout: results/m.npz}
  mesh: {file: mesh.obj, compare: {command: judge, printed: 'd (.*)', at-most: 1}}
tolerances:
  float32: {rtol: 1e-3, atol: 1e-5}
references: {linux-cpu: references/linux-cpu}
steps:
  repeat: {command: infer, passes: 5, bitwise: true}
  export: {command: save}
  sweep: {command: fit, batch: [1, 4], epochs: 2}
  soak: {command: fit, epochs: 10, batch: 4}
  speed: fit
gating: {add: [export], drop: {probe: no torch}}
stop:
  memory.growth: {over: 30 %}
  fallback.operators: {allow: {"aten::cumsum.out": {because: once a file, until: "2027-03-01"}}}
limits: {command: 90 s, silence: 2 min, processes: 64, log: 1 MiB}
cleanup: {delete: [outputs, source]}
"""

# (text of GOOD, what stands there instead); each must be valid.
STILL_GOOD = [
    ("1234567890123456789012345678901234567890", "a" * 40),
    ("1234567890123456789012345678901234567890", '"0234567890123456789012345678901234567890"'),
    ("name: tones", "name: 2026"), ("name: tones", "name: a-b_c9"),
    ("python: 3.11", 'python: "3.11"'), ("python: 3.11", "python: 3.11.7"),
    ("devices: {cpu: --device cpu, mps: [--device, mps]}", "devices: {mps: }"),
    ("command: 90 s", "command: 1.5 h"), ("command: 90 s", "command: 250 ms"), ("command: 90 s", "command: .5 s"),
    ("log: 1 MiB", "log: 5 GB"), ("log: 1 MiB", "log: 0 B"),
    ("rtol: 1e-3", "rtol: 0"), ("rtol: 1e-3", "rtol: .5"), ("rtol: 1e-3", "rtol: 1"),
    ("repeat: {command: infer, passes: 5, bitwise: true}", "repeat: infer"),
    ("files: [requirements.txt]", "files: []"), ("install: .", "install: a..b/c"),
    ("why: a partner asks", "why: true"), ("why: a partner asks", "why: 5"),
    ("macos-required: true", "macos-required: false"),
    ("gating: {add: [export], drop: {probe: no torch}}\n", "gating: {}\n"),
    ("atol: 1e-5", "nan: fail"),
    ("save: python save.py", "save: {run: [python, save.py], directory: a, environment: {N: 5}, exit: 3}"),
    ("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}", "{printed: 'WER ([0-9.]+)', change: {at-most: 0.5}}"),
    ("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}", "{file: m.json, json: '$.a[0]', change: {at-most: 0.5 points}}"),
    ("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}", "{file: 'm-*.npy', change: {at-most: 2 %}}"),
    ("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}", "{file: m.obj, compare: {command: judge, printed: 'd (.*)', at-most: 1}}"),
    ("{file: maps, tolerance: {rtol: 1e-4, nan: equal}}", "{file: m.obj, compare: {command: judge}}"),
    ("save: python save.py", "save: {notebook: a/b.ipynb, parameters: {device: '{device}', n: 5}}"),
    ("url: https://zenodo.org/m.pt", "url-from: MODEL_URL"), ("url: https://zenodo.org/m.pt", "checkout: m.pt"),
    (", size: 48 MiB", ", size: 5 B, file: x.pt, credential: TOKEN"), (", size: 48 MiB", ""),
    ("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "1" * 64),
    ("retention: 30 d", "retention: 12 h"), ("sparse: [src, README.md]", "sparse: []"),
    ("{delete: [outputs, source]}", "{delete: [weights, data]}"),
]

# Faults of structure: both must refuse each.
BROKEN = [
    ("mpsgate: 1", "mpsgate: 2"), ("mpsgate: 1", 'mpsgate: "1"'), ("mpsgate: 1\n", ""), ("name: tones\n", ""),
    ("name: tones", "name: Tones"), ("name: tones", "name: -5"), ("name: tones", "name: a b"), ("name: tones", "name: [a]"),
    ("name: tones", "name: "), ("name: tones", "name: " + "a" * 61),
    ("commands:", "comands:"), ("macos-required: true", "macos-required: yes"), ("macos-required: true", 'macos-required: "true"'),
    ("workload: inference", "workload: inferense"), ("why: a partner asks", 'why: " "'), ("why: a partner asks", "wy: x"),
    ("1234567890123456789012345678901234567890", "main"), ("1234567890123456789012345678901234567890", "12345"),
    ("1234567890123456789012345678901234567890", "A" * 40), ("  commit: 1234567890123456789012345678901234567890\n", ""),
    ("python: 3.11", "python: three"), ("python: 3.11", "python: 3"), ("python: 3.11", "python: 3.11.7.2"),
    ("files: [requirements.txt]", "files: requirements.txt"), ("files: [requirements.txt]", "files: [../r.txt]"),
    ("files: [requirements.txt]", "files: [a/../r.txt]"), ("files: [requirements.txt]", "files: [/r.txt]"),
    ("files: [requirements.txt]", "files: [{a: b}]"), ("install: .", "install: .."),
    ("with: torch==2.13.0, ", ""), ("because: pins CUDA", "since: x"), ("replace: {torch: {with: torch==2.13.0, because: pins CUDA}}", "replace: {torch: torch==2.13.0}"),
    ("drop: {flash-attn: training only}", "drop: [flash-attn]"), ("drop: {flash-attn: training only}", "drop: {}"),
    ("save: python save.py", "save: {a: b}"), ("save: python save.py", "sa ve: python save.py"), ("save: python save.py", "save: "),
    ("--device, \"{device}\"]", "--device, {device}]"), ("devices: {cpu:", "devices: {gpu:"),
    ("{of: infer, file", "{fo: infer, file"), ("{file: maps, ", "{file: maps, checkout: maps, "), ("{of: save, checkout: results/m.npz}", "{of: save}"),
    ("tolerance: float32}", "tolerance: [float32]}"), ("save: python save.py", "save: {exit: 3}"),
    ("save: python save.py", "save: {run: x, exit: 300}"), ("save: python save.py", "save: {run: x, directory: ../y}"),
    ("save: python save.py", "save: {run: x, environment: [A]}"), ("{file: maps, ", "{file: maps, printed: '(a)', "),
    ("{file: maps, ", "{file: maps, change: 0.5, "), ("{file: maps, ", "{file: maps, change: {at-most: -1}, "), ("tolerance: {rtol: 1e-4, nan: equal}", "tolerance: {nan: equal}"),
    ("nan: equal", "nan: same"), ("rtol: 1e-3", "rtol: -1e-3"), ("rtol: 1e-3", 'rtol: "1e-3"'), ("rtol: 1e-3", "rtol: 01"),
    ("rtol: 1e-3", "rtol: a"), ("references: {linux-cpu: references/linux-cpu}", "references: references/linux-cpu"),
    ("passes: 5", "passes: 1"), ("passes: 5", "passes: 51"), ("passes: 5", "passes: 5.0"), ("passes: 5", "passes: 064"), ("passes: 5", 'passes: "5"'),
    ("export: {command: save}", "export: save"), ("export: {command: save}", "export: {check: save}"), ("  export:", "  parity:"),
    ("add: [export]", "add: [exprt]"), ("add: [export]", "add: export"), ("drop: {probe: no torch}", "drop: {probe: }"),
    ("over: 30 %", "ovr: 30 %"), ("memory.growth: {over: 30 %}", "memory.growth: 30 %"), ("over: 30 %", "off: no"),
    ("command: 90 s", "command: 90"), ("command: 90 s", "command: 0 s"), ("command: 90 s", "command: -5 s"), ("command: 90 s", "command: 0.0 min"),
    ("command: 90 s", "command: 090 s"), ("command: 90 s", "command: 90 sec"), ("log: 1 MiB", "log: 1 mib"), ("log: 1 MiB", "log: 64"),
    ("processes: 64", "processes: 0"), ("processes: 64", "processes: 100001"), ("processes: 64", "processes: many"),
    ("delete: [outputs, source]", "delete: [models]"), ("delete: [outputs, source]", "delete: outputs"), ("{delete: [outputs, source]}", "{}"),
    ("url: https://zenodo.org/m.pt", "url: https://zenodo.org/m.pt, path: m.pt"), ("url: https://zenodo.org/m.pt, ", ""),
    ("url: https://zenodo.org/m.pt", "url-from: model_url"), ("size: 48 MiB", "size: 48"), ("confidentiality: internal", "confidentiality: secret"),
    ("sha256: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef, size", "size"), ("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "0123"),
    ("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "0123456789ABCDEF" * 4), ("machines: [lab-*]", "machines: lab"), ("retention: 30 d", "retention: 30"),
    ("retention: 30 d", "retention: 30 days"), ("sparse: [src, README.md]", "sparse: src"), ("sparse: [src, README.md]", "sparse: [../src]"),
    ("save: python save.py", "save: {run: x, notebook: a.ipynb}"), ("save: python save.py", "save: {notebook: ../a.ipynb}"),
    ("{file: maps, ", "{file: maps, compare: judge, "), ("{file: maps, ", "{file: maps, compare: {at-most: 1}, "), ("{file: maps, ", "{file: maps, change: {at-most: 1 %%}, "),
    ("{file: maps, ", "{file: maps, change: {at-most: '1'}, "), ("{file: maps, ", "{file: maps, json: [a], "),
    ("sweep: {command: fit, batch: [1, 4], epochs: 2}", "sweep: {command: fit}"), ("batch: [1, 4]", "batch: 4"), ("batch: [1, 4]", "batch: [0]"),
    ("soak: {command: fit, epochs: 10, batch: 4}", "soak: fit"), ("soak: {command: fit, epochs: 10", "soak: {command: fit, epochs: 1"),
    (", until: \"2027-03-01\"", ""), ("2027-03-01", "2027-13-01"), ("2027-03-01", "soon"), ("because: once a file, ", ""),
    ("cleanup: {delete: [outputs, source]}", "clean: {delete: [outputs, source]}"), ("limits: {", "limit: {"), ("name: tones", "name: tones\ncapture: {m: {url: x}}"),
]

# Faults that only the checker knows: names that refer to others, placeholders, units of criteria, YAML's own traps.
CHECKER_ALONE = [
    ("of: infer, file", "of: infr, file"), ("tolerance: float32}", "tolerance: float23}"), ("--out {out}", "--out {outt}"),
    ("--out {out}", "--out {out"), ("over: 30 %", "over: 30 s"), ("memory.growth", "memory.grow"), ("drop: {probe: no torch}", "drop: {control: x}"),
    ("{file: maps, ", "{file: maps, change: {at-most: 1}, "), ("{file: maps, ", "{printed: '(', "),
    ("fit.py {batch} ", "fit.py "), ("{epochs} ", ""), ("{weights.model}", "{weights.mdl}"), ("{weights.model}", "{data.model}"), ("{actual} {expected}", "{actual}"),
    ("--out {out}", "--out {batch}"), ("--out {out}", "--out {actual}"), ("confidentiality: internal", "confidentiality: restricted, file: a/b"),
    ("command: 90 s", "command: 1e300 s"), ("url: https://zenodo.org", "url: http://zenodo.org"), ("2027-03-01", "2027-02-30"), ("aten::cumsum.out", "cumsum"),
    ("{file: maps, ", "{file: maps, json: a.b, "), ("path: clips", "path: ../../clips"), ("{file: maps, ", "{file: maps, compare: {command: judge, at-most: 1}, "),
    ("https://github.com/lab/tones", "http://github.com/lab/tones"), ("references/linux-cpu}", "../../../x}"), ("command: infer, passes", "command: x, passes"),
]


def varied(old, new):
    assert old in GOOD, old
    return GOOD.replace(old, new, 1)


class Schema(harness.Cli):
    @classmethod
    def setUpClass(cls):
        import jsonschema  # part of the test environment: its absence is a failure, not a skip
        cls.schema = json.loads((harness.SOURCE / "protocols" / "mpsgate.schema.json").read_text())
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def judge(self, text):
        """(valid for the checker, valid for the schema)."""
        path = self.folder / "p.yaml"
        path.write_text(text)
        checked = json.loads(self.mpsgate("validate", "--format", "json", path).stdout)["valid"]
        tree = self.mpsgate("validate", "--tree", path)
        self.assertEqual(tree.returncode, 0, self.said(tree))
        return checked, self.validator.is_valid(json.loads(tree.stdout))

    def test_good(self):
        for old, new in [("", "")] + STILL_GOOD:
            with self.subTest(new):
                self.assertEqual(self.judge(varied(old, new)), (True, True))

    def test_broken(self):
        for old, new in BROKEN:
            with self.subTest(old + " -> " + new):
                self.assertEqual(self.judge(varied(old, new)), (False, False))

    def test_what_only_the_checker_knows(self):
        for old, new in CHECKER_ALONE:
            with self.subTest(new):
                self.assertEqual(self.judge(varied(old, new)), (False, True))

    def test_an_editor_agrees_with_every_good_one(self):
        from ruamel.yaml import YAML
        yaml = YAML(typ="safe", pure=True)
        texts = [varied(old, new) for old, new in [("", "")] + STILL_GOOD]
        shipped = sorted((harness.SOURCE / "protocols").rglob("*.yaml")) + sorted(harness.PROTOCOLS.glob("*.yaml"))
        self.assertGreater(len(shipped), 20)
        for text in texts + [path.read_text() for path in shipped]:
            with self.subTest(text[:400]):
                errors = [error.message for error in self.validator.iter_errors(json.loads(json.dumps(yaml.load(text))))]
                self.assertEqual(errors, [])

    def test_the_command_prints_what_is_published(self):
        self.assertEqual(json.loads(self.mpsgate("schema").stdout), self.schema)

    def test_folders_and_json(self):
        (self.folder / "sub").mkdir()
        (self.folder / "sub" / "good.yaml").write_text(GOOD)
        (self.folder / "other.yaml").write_text("not: a protocol\n")
        completed = self.mpsgate("validate", self.folder)
        self.assertEqual((completed.returncode, completed.stdout.count("valid")), (0, 1), self.said(completed))
        (self.folder / "bad.yml").write_text(varied("name: tones", "name: T"))
        completed = self.mpsgate("validate", "--format", "json", self.folder)
        self.assertEqual(completed.returncode, 2)
        answer = json.loads(completed.stdout)
        self.assertFalse(answer["valid"])
        bad = [entry for entry in answer["protocols"] if not entry["valid"]]
        self.assertEqual([(fault["line"], fault["column"], fault["path"]) for fault in bad[0]["faults"]], [(2, 7, "name")])
        (self.folder / "empty").mkdir()
        completed = self.mpsgate("validate", self.folder / "empty")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("there is no protocol", completed.stderr)
        completed = self.mpsgate("validate", self.folder / "absent.yaml")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("absent.yaml", completed.stderr)

    def test_explain(self):
        completed = self.mpsgate("validate", "--explain", "limits.silence")
        self.assertEqual(completed.returncode, 0)
        self.assertIn("longest time without output", completed.stdout)
        completed = self.mpsgate("validate", "--explain", "limits.silense")
        self.assertEqual(completed.returncode, 2)
        self.assertIn("limits.silence", completed.stderr)


if __name__ == "__main__":
    wanted = os.environ.get("MPSGATE_TEST_PYTHON")
    if wanted and "MPSGATE_SCHEMA_TEST" not in os.environ:
        sys.exit(subprocess.call([wanted, __file__], env=dict(os.environ, MPSGATE_SCHEMA_TEST="1")))
    harness.main()
