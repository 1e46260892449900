"""mpsgate capture: a reference with its provenance, and what parity makes of references that are not what they say."""

import json
import shutil

import harness

URL = "https://lab.example/plain"


class Capture(harness.Cli):
    def setUp(self):
        super().setUp()
        text = (harness.PROTOCOLS / "plain.yaml").read_text().replace("url: labs/plain", "url: " + URL)
        self.protocol = self.folder / "plain.yaml"
        self.protocol.write_text(text)
        self.bundle = self.folder / "references" / "linux-cpu"

    def source(self, lab="plain"):
        return ("--source", "%s=%s" % (URL, harness.SOURCE / "labs" / lab))

    def capture(self, *arguments):
        return self.mpsgate("capture", self.protocol, "--name", "linux-cpu", *self.source(), *arguments)

    def rehearse_against_it(self):
        if "references:" not in self.protocol.read_text():
            self.protocol.write_text(self.protocol.read_text() + "references: {linux-cpu: references/linux-cpu}\n")
        shutil.rmtree(self.run_folder(), ignore_errors=True)
        return self.mpsgate("rehearse", self.protocol, "--out", self.run_folder(), *self.source())

    def found(self):
        return {record["id"] for record in self.journal() if record["kind"] == "finding"}

    def provenance(self):
        return json.loads((self.bundle / "provenance.json").read_text())

    def change(self, **changes):
        (self.bundle / "provenance.json").write_text(json.dumps(dict(self.provenance(), **changes)))

    def test_a_reference_is_captured_and_compared(self):
        completed = self.capture()
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertIn("references: {linux-cpu: references/linux-cpu}", completed.stdout)
        provenance = self.provenance()
        for key in ("commit", "tree", "environment", "host", "commands", "outputs", "passes", "spread", "captured", "protocol"):
            self.assertTrue(provenance[key], key)
        self.assertFalse(provenance["spread"]["beyond"])
        for outputs in provenance["outputs"].values():
            for output in outputs.values():
                self.assertTrue((self.bundle / output["file"]).exists())
        completed = self.rehearse_against_it()
        self.assertEqual(completed.returncode, 0, self.said(completed))
        ends = {record["step"]: record["data"]["status"] for record in self.journal() if record["id"] == "end"}
        self.assertEqual(ends["parity"], "passed")
        self.assertFalse(self.found() & {"reference.no-provenance", "reference.damaged", "reference.other-commit"})

    def test_another_commit_is_refused(self):
        self.capture()
        self.change(commit="0" * 40)
        completed = self.rehearse_against_it()
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("reference.other-commit", self.found())
        self.assertIn("captured from commit " + "0" * 40, (self.run_folder() / "report.md").read_text())

    def test_a_changed_file_is_refused(self):
        self.capture()
        path = next((self.bundle / "outputs").rglob("*.csv"))
        path.write_text(path.read_text() + "\n")
        self.assertEqual(self.rehearse_against_it().returncode, 3)
        self.assertIn("reference.damaged", self.found())

    def test_weights_and_data_are_part_of_it(self):
        text = (harness.PROTOCOLS / "measures.yaml").read_text().replace("url: labs/measures", "url: " + URL)
        self.protocol = self.folder / "measures.yaml"
        self.protocol.write_text(text)
        shutil.copytree(harness.PROTOCOLS / "clips", self.folder / "clips")
        source = ("--source", "%s=%s" % (URL, harness.SOURCE / "labs/measures"))
        completed = self.mpsgate("capture", self.protocol, "--name", "linux-cpu", *source)
        self.assertEqual(completed.returncode, 0, self.said(completed))
        provenance = self.provenance()
        self.assertEqual(set(provenance["artefacts"]), {"weights.model", "data.clips"})
        self.assertEqual(provenance["seeds"]["PYTHONHASHSEED"], "0")
        self.assertEqual(sorted(path.name for path in (self.bundle / "outputs/measure").iterdir()),
                         ["last.json", "loss.json", "mesh.obj", "scores.csv", "tiles", "worst.json"])
        self.protocol.write_text(text + "references: {linux-cpu: references/linux-cpu}\n")

        def rehearse():
            shutil.rmtree(self.run_folder(), ignore_errors=True)
            return self.mpsgate("rehearse", self.protocol, "--out", self.run_folder(), *source)
        completed = rehearse()
        self.assertEqual(completed.returncode, 0, self.said(completed))
        table = [record for record in self.journal() if record["kind"] == "table" and record["id"] == "parity"][0]
        self.assertIn("the lab's own comparison", json.dumps(table))
        for artefacts, said in (({"weights.model": "0" * 64, "data.clips": provenance["artefacts"]["data.clips"]}, "weights.model of sha256 " + "0" * 64),
                                ({"weights.model": provenance["artefacts"]["weights.model"]}, "no data.clips")):
            self.change(artefacts=artefacts)
            completed = rehearse()
            self.assertEqual(completed.returncode, 3, self.said(completed))
            self.assertIn("reference.other-data", self.found())
            self.assertIn(said, (self.run_folder() / "report.md").read_text())
        self.change(artefacts=dict(provenance["artefacts"], **{"data.unused": "1" * 64}))
        self.assertEqual(rehearse().returncode, 0)

    def test_hostile_provenance(self):
        self.capture()
        for text in ("", "[]", "{", '{"outputs": {"a": {"b": {"file": "../../x", "sha256": "1"}}}}', '{"commit": ["x"], "outputs": 5, "environment": []}'):
            with self.subTest(text):
                (self.bundle / "provenance.json").write_text(text)
                self.assertIn(self.rehearse_against_it().returncode, (0, 3))
        (self.bundle / "provenance.json").unlink()
        self.assertEqual(self.rehearse_against_it().returncode, 0)
        self.assertIn("reference.no-provenance", self.found())

    def test_other_surroundings_are_listed_before_the_numbers(self):
        self.capture()
        self.change(environment={"python": "3.6.1 (sparc)", "packages": {"numpy": "1.0"}})
        self.assertEqual(self.rehearse_against_it().returncode, 0)
        tables = [record for record in self.journal() if record["kind"] == "table" and record["step"] == "parity"]
        self.assertEqual([table["id"] for table in tables], ["parity.surroundings", "parity"])
        self.assertIn(["numpy", "1.0", "absent"], tables[0]["data"]["rows"])

    def test_passes_that_differ(self):
        text = (harness.PROTOCOLS / "differs.yaml").read_text().replace("url: labs/differs", "url: " + URL)
        self.protocol.write_text(text)
        arguments = ("capture", self.protocol, "--name", "linux-cpu", *self.source("differs"))
        completed = self.mpsgate(*arguments)
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("--allow-spread", completed.stderr)
        self.assertFalse(self.bundle.exists())
        completed = self.mpsgate(*arguments, "--allow-spread")
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertTrue(self.provenance()["spread"]["beyond"])

    def test_the_arm_is_what_the_command_is_told(self):
        completed = self.capture("--arm", "cuda")
        self.assertEqual(completed.returncode, 0, self.said(completed))
        self.assertEqual((self.provenance()["arm"], self.provenance()["device_args"]), ("cuda", ["--device", "cuda"]))

    def test_nothing_is_overwritten_or_made_of_a_failure(self):
        self.bundle.mkdir(parents=True)
        (self.bundle / "mine").write_text("x")
        completed = self.capture()
        self.assertEqual(completed.returncode, 2, self.said(completed))
        self.assertEqual([path.name for path in self.bundle.iterdir()], ["mine"])
        completed = self.mpsgate("capture", harness.PROTOCOLS / "crashes.yaml", "--name", "x", "--out", self.folder / "b")
        self.assertEqual(completed.returncode, 3, self.said(completed))
        self.assertIn("control did not pass", completed.stderr)
        self.assertFalse((self.folder / "b").exists())


if __name__ == "__main__":
    harness.main()
