"""Weights and data as a lab meets them: fetched once, verified, substituted, forbidden, changed, purged."""

import hashlib
import http.server
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import threading

import harness

WEIGHTS = b"[0.5, 0.25, 0.125]\n"
SHA256 = hashlib.sha256(WEIGHTS).hexdigest()
OTHER = hashlib.sha256(b"other").hexdigest()

PROTOCOL = """mpsgate: 1
name: weighs
repository: {url: https://lab.example/measures, commit: "%s"}
weights:
  model: {%%s, sha256: %%s%%s}
%%s
commands:
  measure: python drive.py {weights.model} --out {out}/scores.csv
files: [drive.py]
outputs:
  scores: {file: scores.csv}
steps: {repeat: {command: measure, passes: 2}}
gating: {drop: {probe: this lab needs no torch}}
"""
DRIVER = """import json, os, sys
assert not any("sesame" in value for value in os.environ.values())
weights = json.load(open(sys.argv[1]))
open(sys.argv[3], "w").write("a,b\\n%r,%r\\n" % (weights[0], weights[1]))
"""


class Server(http.server.BaseHTTPRequestHandler):
    """Gives the weights to whoever has the token."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        if self.headers.get("Authorization") != "Bearer sesame" and "signature=sesame" not in self.path:
            self.send_error(401)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(WEIGHTS)))
        self.end_headers()
        self.wfile.write(WEIGHTS)

    def log_message(self, *_):
        pass


class Artefacts(harness.Cli):
    def setUp(self):
        super().setUp()
        commit = subprocess.run(["git", "-C", harness.SOURCE / "labs/measures", "rev-parse", "HEAD"], stdout=subprocess.PIPE, encoding="utf-8").stdout.strip()
        self.text = PROTOCOL % commit
        (self.folder / "drive.py").write_text(DRIVER)
        (self.folder / "model.json").write_bytes(WEIGHTS)
        # What is kept of weights and data is this test's own; environments are everybody's.
        cache = self.folder / "cache"
        cache.mkdir()
        shared = pathlib.Path(self.environment["MPSGATE_CACHE"])
        for name in ("environments", "installers"):
            (shared / name).mkdir(parents=True, exist_ok=True)
            (cache / name).symlink_to(shared / name)
        self.environment["MPSGATE_CACHE"] = str(cache)
        self.store = cache / "artefacts"

    def write(self, where, sha256=SHA256, further="", sections=""):
        (self.folder / "p.yaml").write_text(self.text % (where, sha256, further, sections))

    def run_it(self, *arguments, **options):
        shutil.rmtree(self.run_folder(), ignore_errors=True)
        return self.mpsgate("rehearse", "p.yaml", "--out", self.run_folder(), "--source",
                            "https://lab.example/measures=%s" % (harness.SOURCE / "labs/measures"), *arguments, **options)

    def ends(self, completed, code, finding=None):
        self.assertEqual(completed.returncode, code, self.said(completed))
        found = {record["id"] for record in self.journal() if record["kind"] == "finding"}
        if finding:
            self.assertIn(finding, found, self.said(completed))

    def kept(self):
        return sorted(path.name for path in self.store.iterdir() if (path / "data").exists()) if self.store.exists() else []

    def test_beside_the_protocol(self):
        self.write("path: model.json")
        self.ends(self.run_it(), 0)
        link = self.run_folder() / "artefacts/weights/model/model.json"
        self.assertEqual(link.resolve(), (self.folder / "model.json").resolve())
        self.assertEqual(self.kept(), [])
        self.assertIn(SHA256, (self.run_folder() / "report.json").read_text())
        (self.folder / "model.json").write_bytes(b"other")
        completed = self.run_it()
        self.ends(completed, 3, "artefact.wrong-hash")
        self.assertIn(SHA256, completed.stdout)
        self.assertIn(OTHER, completed.stdout)
        self.assertFalse((self.run_folder() / "outputs").exists(), "nothing was computed with it")
        (self.folder / "model.json").unlink()
        self.ends(self.run_it(), 3, "artefact.absent")

    def test_a_copy_stands_in(self):
        self.write("url: 'https://127.0.0.1:9/m.json'")
        completed = self.run_it("--artefact", "model=model.json")
        self.ends(completed, 0, "artefact.substituted")
        self.assertIn("model.json", (self.run_folder() / "report.md").read_text())
        (self.folder / "wrong").write_bytes(b"other")
        self.ends(self.run_it("--artefact", "weights.model=wrong"), 3, "artefact.wrong-hash")
        for word, said in (("model", "wants NAME=FILE"), ("modle=model.json", "names weights.model"), ("model=absent", "there is no file")):
            completed = self.run_it("--artefact", word)
            self.assertEqual(completed.returncode, 2, self.said(completed))
            self.assertIn(said, completed.stderr)

    def test_a_resume_takes_the_same_copy(self):
        self.write("url: 'https://127.0.0.1:9/m.json'")
        completed = self.run_it("--artefact", "model=model.json", "--only", "artefacts")
        journal = self.run_folder() / "journal.jsonl"
        text = journal.read_text()
        begin = next(line for line in text.splitlines(True) if '"step":"artefacts"' in line)
        journal.write_text(text[:text.index(begin)])
        completed = self.mpsgate("resume", self.run_folder())
        self.ends(completed, 3, "artefact.substituted")

    def test_what_may_not_lie_here(self):
        self.write("url: 'https://127.0.0.1:9/m.json'", further=", confidentiality: restricted",
                   sections="confidentiality: {machines: [no-machine-is-called-so], allowed-by: the dean}")
        for arguments in ((), ("--artefact", "model=model.json")):
            completed = self.run_it(*arguments)
            self.ends(completed, 1, "policy.transfer")
            self.assertIn("abort (cpu), confidentiality", completed.stdout)
            self.assertEqual(self.kept(), [])
            self.assertFalse((self.run_folder() / "artefacts").exists())
        self.write("path: model.json", further=", confidentiality: restricted",
                   sections="confidentiality: {machines: ['*'], allowed-by: the dean}")
        self.ends(self.run_it(), 0)
        self.assertIn("the dean", (self.run_folder() / "report.json").read_text())
        self.write("path: model.json", further=", confidentiality: restricted")
        completed = self.run_it()
        self.assertEqual(completed.returncode, 2)
        self.assertIn("needs confidentiality.machines", completed.stderr)

    def test_a_command_that_writes_to_its_weights(self):
        self.write("path: model.json")
        (self.folder / "drive.py").write_text(DRIVER + "open(sys.argv[1], 'a').write(' ')\n")
        self.ends(self.run_it(), 3, "artefact.changed")

    def test_kept_and_purged(self):
        self.write("url: 'file://%s'" % (self.folder / "model.json"), sections="confidentiality: {class: internal, retention: 30 d}")
        self.ends(self.run_it(), 0)
        self.assertEqual(self.kept(), [SHA256])
        (self.folder / "model.json").unlink()
        self.ends(self.run_it(), 0)  # the kept copy
        about = self.store / SHA256 / "about.json"
        data = self.store / SHA256 / "data"
        self.assertEqual(oct(data.stat().st_mode & 0o777), "0o444")

        def purge(*arguments):
            completed = self.mpsgate("purge", *arguments)
            self.assertEqual(completed.returncode, 0, self.said(completed))
            return completed.stdout
        for kept in (("--older-than", "1 d"), ("--down-to", "1 MiB"), ("--class", "restricted"), ("--expired",)):
            self.assertIn("0 B of 1 weights and data, 1 kept", purge(*kept))
        for goes in (("--down-to", "3 B"), ("--class", "internal"), ("--artefacts",)):
            self.assertIn("would delete " + SHA256[:12], purge(*goes, "--dry-run"))
        self.assertEqual(self.kept(), [SHA256])
        old = json.loads(about.read_text())
        about.write_text(json.dumps(dict(old, keep_until_ms=1)))
        self.assertIn("deleted " + SHA256[:12], purge("--expired"))
        self.assertEqual(self.kept(), [])
        self.ends(self.run_it(), 3, "artefact.refused")  # its origin is gone
        (self.folder / "model.json").write_bytes(WEIGHTS)
        self.write("url: 'file://%s'" % (self.folder / "model.json"), sections="cleanup: {delete: [weights]}")
        self.ends(self.run_it(), 0)
        self.assertEqual(self.kept(), [])
        for arguments, said in (((), "what to delete"), (("--cache", "--expired"), "deletes everything"), (("--older-than", "30"), "with its unit"),
                                (("--down-to", "x"), "with its unit"), (("--class", "secret"), "class")):
            completed = self.mpsgate("purge", *arguments)
            self.assertEqual(completed.returncode, 2, self.said(completed))
            self.assertIn(said, completed.stderr)

    def test_a_wrong_file_is_set_aside(self):
        (self.folder / "wrong").write_bytes(b"other")
        self.write("url: 'file://%s'" % (self.folder / "wrong"))
        completed = self.run_it()
        self.ends(completed, 3, "artefact.wrong-hash")
        self.assertIn(OTHER, completed.stdout)
        self.assertEqual((self.store / SHA256 / "incoming.wrong").read_bytes(), b"other")
        purged = self.mpsgate("purge", "--class", "public", "--dry-run")
        self.assertIn("would delete %s  5 B  public" % SHA256[:12], purged.stdout)
        self.write("url: 'file://%s'" % (self.folder / "wrong"), further=", size: 6 B")
        self.ends(self.run_it(), 3, "artefact.wrong-size")

    def test_two_runs_at_once(self):
        self.write("url: 'file://%s'" % (self.folder / "model.json"))
        source = "https://lab.example/measures=%s" % (harness.SOURCE / "labs/measures")
        runs = [subprocess.Popen(self.command("rehearse", "p.yaml", "--out", self.folder / ("run%d" % i), "--source", source, "--only", "artefacts"),
                                 cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8") for i in range(4)]
        for run in runs:
            said = run.communicate(timeout=120)[0]
            self.assertIn("artefacts    passed", said)
        self.assertEqual(self.kept(), [SHA256])

    def test_secrets_go_to_the_server_and_nowhere_else(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl makes the certificate")
        key, certificate = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        server.asked = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for name in ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_DIR"):
            self.environment.pop(name, None)
        environment = {"SSL_CERT_FILE": str(certificate), "MODEL_TOKEN": "sesame", "no_proxy": "localhost",
                       "MODEL_URL": "https://localhost:%d/m.json?signature=sesame" % server.server_port}
        for where, further in (("url: 'https://localhost:%d/m.json'" % server.server_port, ", credential: MODEL_TOKEN"), ("url-from: MODEL_URL", ", file: m.json")):
            with self.subTest(where):
                self.write(where, further=further)
                self.ends(self.run_it(env=environment), 0)
                for path in [*self.run_folder().rglob("*"), *self.store.rglob("*")]:
                    if path.is_file():
                        self.assertNotIn(b"sesame", path.read_bytes(), path)
                self.mpsgate("purge", "--artefacts")
        self.assertEqual(server.asked, [("/m.json", "Bearer sesame"), ("/m.json?signature=sesame", None)])
        self.write("url: 'https://localhost:%d/m.json'" % server.server_port, further=", credential: MODEL_TOKEN")
        self.ends(self.run_it(env=dict(environment, MODEL_TOKEN="wrong")), 3, "artefact.refused")
        self.ends(self.run_it(env=dict(environment, MODEL_TOKEN="")), 3, "artefact.credential")
        self.ends(self.run_it(env=dict(environment, SSL_CERT_FILE="")), 3, "artefact.unreachable")


if __name__ == "__main__":
    harness.main()
