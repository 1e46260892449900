"""What a network can do to a transfer, against a server of this file's own, and the right outcome of each."""

import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import harness

CONTENT = bytes(range(256)) * 4096  # 1 MiB
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER = CONTENT[::-1]


class Server(http.server.ThreadingHTTPServer):
    """Answers each request by the next of `answers`, the last one again and again."""

    daemon_threads = True

    def __init__(self, *answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers)
        self.asked = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="/m.bin", host="127.0.0.1"):
        return "http://%s:%d%s" % (host, self.server_port, path)

    def handle_error(self, *_):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, dict(self.headers)))
        answer = server.answers[0] if len(server.answers) == 1 else server.answers.pop(0)
        self.close_connection = True
        answer(self)

    def log_message(self, *_):
        pass


def start(handler, status, length, **headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.send_header("Connection", "close")
    handler.end_headers()


def full(content=CONTENT, etag='"one"'):
    """All of it, or the rest that Range asks for, if If-Range still names this content."""
    def answer(handler):
        headers = {"ETag": etag} if etag else {}
        wanted = handler.headers.get("Range", "")
        if wanted and etag and handler.headers.get("If-Range") == etag:
            begin = int(wanted[len("bytes="):-1])
            start(handler, 206, len(content) - begin, Content_Range="bytes %d-%d/%d" % (begin, len(content) - 1, len(content)), **headers)
            handler.wfile.write(content[begin:])
        else:
            start(handler, 200, len(content), **headers)
            handler.wfile.write(content)
    return answer


def cut(size, etag='"one"', content=CONTENT):
    """Promises all of it and hangs up after `size` bytes."""
    def answer(handler):
        start(handler, 200, len(content), **({"ETag": etag} if etag else {}))
        handler.wfile.write(content[:size])
    return answer


def stalled(size, etag='"one"'):
    """Promises all of it and says nothing more after `size` bytes."""
    def answer(handler):
        start(handler, 200, len(CONTENT), ETag=etag)
        handler.wfile.write(CONTENT[:size])
        handler.wfile.flush()
        time.sleep(25)
    return answer


def status(code, **headers):
    def answer(handler):
        start(handler, code, 5, **headers)
        handler.wfile.write(b"sorry")
    return answer


def moved(where):
    def answer(handler):
        start(handler, 302, 0, Location=where)
    return answer


class Network(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mpsgate-network."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.file = self.folder / "store" / SHA256
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}

    def serve(self, *answers):
        server = Server(*answers)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def request(self, url, **fields):
        request = {"protocol": 1, "operation": "download", "url": url, "sha256": SHA256, "file": str(self.file), "seconds": 20,
                   "backoff_seconds": 0.01, "stall_seconds": 1}
        return json.dumps(dict(request, **fields))

    def download(self, url, **fields):
        completed = subprocess.run([harness.BIN / "mpsgate-fetch"], input=self.request(url, **fields), env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
        answer = json.loads(completed.stdout.splitlines()[-1])
        self.last = (answer, completed)
        if "result" in answer:
            self.assertEqual(hashlib.sha256(self.file.read_bytes()).hexdigest(), SHA256)
            self.assertEqual(self.beside(), [])
            return answer["result"]
        self.assertFalse(self.file.exists(), "nothing unverified lies where a run would look")
        return answer["error"]

    def beside(self):
        return sorted(path.name[64:] for path in self.file.parent.glob(SHA256 + ".*") if not path.name.endswith(".lock"))

    def fails(self, code, said, answer):
        self.assertEqual(answer.get("code"), code, answer)
        for part in [said] if isinstance(said, str) else said:
            self.assertIn(part, answer["message"] + " " + answer.get("advice", ""))

    # The twelve.

    def test_01_refused(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        self.fails("artefact.unreachable", ["127.0.0.1 cannot be reached", "5 attempts"], self.download("http://127.0.0.1:%d/m.bin" % port))

    def test_02_no_such_name(self):
        self.fails("artefact.unreachable", ["no-such-host.invalid", "attempts"], self.download("https://no-such-host.invalid/m.bin"))

    def test_03_a_certificate_for_another_name(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl makes the certificate")
        key, certificate = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=else.example",
                        "-addext", "subjectAltName=DNS:else.example"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = self.serve(full())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        self.environment["SSL_CERT_FILE"] = str(certificate)
        answer = self.download("https://localhost:%d/m.bin" % server.server_port)
        self.fails("artefact.unreachable", ["localhost cannot be trusted", "SSL_CERT_FILE"], answer)
        self.assertEqual(server.asked, [], "nothing is asked of whoever it is")

    def test_04_truncated_and_continued(self):
        server = self.serve(cut(300_000), full())
        answer = self.download(server.url())
        self.assertGreater(answer["resumed_from"], 0)
        self.assertEqual(server.asked[1][1]["If-Range"], '"one"')
        self.assertEqual(server.asked[1][1]["Range"], "bytes=%d-" % answer["resumed_from"])
        # Without anything to tell whether the file is still the same, all of it is fetched again.
        self.file.unlink()
        server = self.serve(cut(300_000, etag=None), full(etag=None))
        self.assertEqual(self.download(server.url())["resumed_from"], 0)
        self.assertNotIn("Range", server.asked[1][1])

    def test_04b_truncated_each_time(self):
        server = self.serve(cut(1000, etag=None))
        self.fails("artefact.unreachable", "5 attempts", self.download(server.url()))
        self.assertEqual(len(server.asked), 5)

    def test_05_stalled(self):
        server = self.serve(stalled(200_000), full())
        started = time.monotonic()
        self.assertGreater(self.download(server.url())["resumed_from"], 0)
        self.assertLess(time.monotonic() - started, 15)

    def test_06_not_found(self):
        server = self.serve(status(404))
        self.fails("artefact.refused", "127.0.0.1 answered 404", self.download(server.url("/m.bin?X-Signature=sesame")))
        self.assertEqual(len(server.asked), 1, "asking again does not help")
        self.assertNotIn("sesame", json.dumps(self.last[0]) + self.last[1].stderr)

    def test_07_forbidden(self):
        server = self.serve(status(403))
        self.fails("artefact.refused", ["answered 403", "credential"], self.download(server.url()))
        self.environment["TOKEN"] = "sesame"
        answer = self.download(server.url(), credential="TOKEN")
        self.fails("artefact.refused", ["answered 403", "TOKEN"], answer)
        self.assertNotIn("sesame", json.dumps(answer))
        self.fails("artefact.credential", "OTHER is not set", self.download(server.url(), credential="OTHER"))

    def test_08_too_many_requests(self):
        server = self.serve(status(429, Retry_After="1"), full())
        started = time.monotonic()
        self.assertEqual(self.download(server.url())["attempts"], 2)
        self.assertGreaterEqual(time.monotonic() - started, 1)
        server = self.serve(status(429, Retry_After="3600"))
        self.file.unlink()
        self.fails("artefact.unreachable", ["429", "1 h 00 min"], self.download(server.url()))
        self.assertEqual(len(server.asked), 1)
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 2))
        server = self.serve(status(503, Retry_After=date), full())
        started = time.monotonic()
        self.download(server.url())
        self.assertGreaterEqual(time.monotonic() - started, 0.9)

    def test_09_error_then_good(self):
        for code in (500, 502, 503, 504, 408):
            server = self.serve(status(code), status(code), full())
            self.assertEqual(self.download(server.url())["attempts"], 3, code)
            self.file.unlink()
        server = self.serve(status(500))
        self.fails("artefact.unreachable", ["500", "5 attempts"], self.download(server.url()))

    def test_10_wrong_length(self):
        server = self.serve(full())
        self.fails("artefact.wrong-size", ["has %d bytes" % len(CONTENT), "says 5"], self.download(server.url(), size=[5, 5]))
        self.assertEqual(self.beside(), [])
        # A server that does not say how long it will be is stopped on the way.
        def endless(handler):
            start(handler, 200, None)
            sent = 0
            try:
                while sent < 64 << 20:
                    sent += handler.wfile.write(CONTENT)
            finally:
                handler.server.sent = sent
        server = self.serve(endless)
        self.fails("artefact.wrong-size", "more than 2000000", self.download(server.url(), size=[1, 2_000_000]))
        time.sleep(0.5)
        self.assertLess(server.sent, 64 << 20)
        server = self.serve(full(CONTENT[:500], etag=None))
        self.fails("artefact.wrong-size", "has 500 bytes", self.download(server.url(), size=[len(CONTENT), len(CONTENT)]))

    def test_11_changed_between_ranges(self):
        # The file became another one: If-Range makes the server give all of it.
        server = self.serve(cut(300_000, etag='"old"', content=OTHER), full(etag='"new"'))
        self.assertEqual(self.download(server.url())["resumed_from"], 0)
        self.file.unlink()

        # A server that ignores If-Range glues two files together: fetched once more from the start.
        def careless(handler):
            begin = int(handler.headers["Range"][len("bytes="):-1])
            start(handler, 206, len(CONTENT) - begin, Content_Range="bytes %d-%d/%d" % (begin, len(CONTENT) - 1, len(CONTENT)), ETag='"new"')
            handler.wfile.write(CONTENT[begin:])
        server = self.serve(cut(300_000, etag='"old"', content=OTHER), careless, full())
        self.assertEqual(self.download(server.url())["attempts"], 3)
        self.assertNotIn("Range", server.asked[2][1])
        self.file.unlink()

        # And one that answers with another range than was asked for.
        def elsewhere(handler):
            start(handler, 206, 10, Content_Range="bytes 0-9/%d" % len(CONTENT), ETag='"one"')
            handler.wfile.write(CONTENT[:10])
        server = self.serve(cut(300_000), elsewhere, full())
        self.assertEqual(self.download(server.url())["resumed_from"], 0)

    def test_12_redirects_without_end(self):
        server = self.serve(lambda handler: moved("/again")(handler))
        self.fails("artefact.refused", "was not fetched", self.download(server.url()))
        self.assertEqual(len(server.asked), 11)

    # And what else a transfer must not do.

    def test_a_redirect_to_another_server_loses_the_credentials(self):
        self.environment["TOKEN"] = "sesame"
        other = self.serve(full())
        for host in ("127.0.0.1", "localhost"):
            first = self.serve(moved(other.url("/there", host)))
            other.asked.clear()
            self.download(first.url(), credential="TOKEN")
            self.assertEqual(first.asked[0][1]["Authorization"], "Bearer sesame")
            self.assertNotIn("Authorization", other.asked[0][1], "another port, and another name, are another server")
            self.file.unlink()
        # On the same server they stay.
        same = self.serve(moved("/there"), full())
        self.download(same.url(), credential="TOKEN")
        self.assertEqual(same.asked[1][1]["Authorization"], "Bearer sesame")
        self.file.unlink()
        first = self.serve(moved(other.url("/there")))
        other.asked.clear()
        self.download(first.url().replace("://", "://me:sesame@"))
        self.assertTrue(first.asked[0][1]["Authorization"].startswith("Basic "))
        self.assertNotIn("Authorization", other.asked[0][1])

    def test_a_token_does_not_go_over_plain_http(self):
        self.environment["TOKEN"] = "sesame"
        self.fails("artefact.refused", "only https and file", self.download("http://lab.example/m.bin", credential="TOKEN"))
        self.fails("artefact.refused", "only https and file", self.download("ftp://lab.example/m.bin"))
        self.fails("artefact.refused", "cannot be used", self.download("https://"))

    def test_a_wrong_file_is_set_aside_and_named(self):
        server = self.serve(full(b"<html>please log in</html>"))
        answer = self.download(server.url())
        self.fails("artefact.wrong-hash", [SHA256, hashlib.sha256(b"<html>please log in</html>").hexdigest(), ".wrong"], answer)
        self.assertEqual(self.beside(), [".wrong"])
        self.assertEqual(pathlib.Path(str(self.file) + ".wrong").read_bytes(), b"<html>please log in</html>")

    def test_killed_in_the_middle_and_continued(self):
        server = self.serve(stalled(500_000), full())
        worker = subprocess.Popen([harness.BIN / "mpsgate-fetch"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        worker.stdin.write(self.request(server.url(), stall_seconds=30).encode())
        worker.stdin.close()
        part = pathlib.Path(str(self.file) + ".part")
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size > 100_000):
            time.sleep(0.02)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        answer = self.download(server.url())
        self.assertGreater(answer["resumed_from"], 100_000)
        self.assertEqual(len(server.asked), 2)

    def test_a_complete_part_is_taken(self):
        def enough(handler):
            start(handler, 416, 0, Content_Range="bytes */%d" % len(CONTENT))
        self.file.parent.mkdir()
        pathlib.Path(str(self.file) + ".part").write_bytes(CONTENT)
        server = self.serve(enough)
        pathlib.Path(str(self.file) + ".part.json").write_text(json.dumps({"url": server.url(), "validator": '"one"', "total": len(CONTENT)}))
        self.download(server.url())
        self.assertEqual(len(server.asked), 1)

    def test_damaged_notes_beside_a_part_are_not_believed(self):
        self.file.parent.mkdir()
        server = self.serve(full())
        for note in ("", "[]", "{", '{"url": 5}', json.dumps({"url": "https://else/m.bin", "validator": '"one"'})):
            pathlib.Path(str(self.file) + ".part").write_bytes(OTHER[:1000])
            pathlib.Path(str(self.file) + ".part.json").write_text(note)
            self.assertEqual(self.download(server.url())["resumed_from"], 0)
            self.file.unlink()

    def test_two_at_once_fetch_it_once(self):
        server = self.serve(full())
        workers = [subprocess.Popen([harness.BIN / "mpsgate-fetch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment) for _ in range(4)]
        for worker in workers:
            worker.stdin.write(self.request(server.url()).encode())
            worker.stdin.close()
        answers = [json.loads(worker.stdout.read().splitlines()[-1]) for worker in workers]
        for worker in workers:
            worker.wait()
            worker.stdout.close()
        self.assertEqual(sorted(answer["result"]["attempts"] for answer in answers), [0, 0, 0, 1])
        self.assertEqual(len(server.asked), 1)

    def test_a_file_of_this_machine(self):
        origin = self.folder / "origin file.bin"
        origin.write_bytes(CONTENT)
        url = "file://" + str(origin).replace(" ", "%20")
        self.assertEqual(self.download(url)["bytes"], len(CONTENT))
        self.file.unlink()
        self.fails("artefact.wrong-size", "says 5", self.download(url, size=[5, 5]))
        self.fails("artefact.refused", "is not a file", self.download("file://" + str(self.folder)))
        self.fails("artefact.refused", "does not exist", self.download("file:///no/such"))
        os.mkfifo(self.folder / "pipe")
        self.fails("artefact.refused", "is not a file", self.download("file://%s/pipe" % self.folder))

    def test_progress_is_told(self):
        def slow(handler):
            start(handler, 200, len(CONTENT), ETag='"one"')
            for begin in range(0, len(CONTENT), 1 << 17):
                handler.wfile.write(CONTENT[begin:begin + (1 << 17)])
                time.sleep(0.1)
        server = self.serve(slow)
        self.download(server.url())
        events = [json.loads(line)["event"] for line in self.last[1].stdout.splitlines() if '"event"' in line]
        self.assertGreater(len(events), 1)
        self.assertLess(len(events), 8, "at most five a second")
        self.assertEqual({event["total"] for event in events}, {len(CONTENT)})
        received = [event["received"] for event in events]
        self.assertEqual(received, sorted(received))


if __name__ == "__main__":
    unittest.main()
