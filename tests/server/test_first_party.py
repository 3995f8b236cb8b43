"""The configurations of the manual by which a website serves the script from its own domain, run by what reads them."""

import http.client
import json
import re
import shutil
import socket
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from analytics_box.app.parts import web_dir
from tests.server.proxy import PROXIES, running

ADDRESS = "https://stats.example.com"
BODY = b'[{"name": "signup"}]'
SENT = {
    "host": "www.example.com",
    "cookie": "session=of-the-website",
    "user-agent": "Mozilla/5.0",
    "origin": "https://www.example.com",
    "content-type": "application/json",
    "accept-encoding": "gzip, br",
    "cf-connecting-ip": "203.0.113.9",
    "x-real-ip": "203.0.113.9",
    "x-forwarded-for": "198.51.100.1",
}
# Imports the code of a page of the manual, and sends it the request of a visitor as its host would.
CALL = """
const [file, kind, headers, body] = JSON.parse(process.argv[1])
const code = await import(file)
const secret = { PROXY_SECRET: "a secret of the server" }
globalThis.Netlify = { env: { get: (name) => secret[name] } }
process.env.PROXY_SECRET = secret.PROXY_SECRET
const request = new Request("https://www.example.com/stats/batch?client_id=1", { method: "POST", headers, body })
const script = new Request("https://www.example.com/stats/script.js", { headers })
const answer = { cloudflare: (one) => code.default.fetch(one, secret), vercel: code.default,
  netlify: (one) => code.default(one, { ip: "203.0.113.9" }) }[kind]
console.log(JSON.stringify([await (await answer(request)).text(), await (await answer(script)).text()]))
"""


class Forwarded(NamedTuple):
    """A request that arrived at the server."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@contextmanager
def server() -> Iterator[tuple[int, list[Forwarded]]]:
    """A server in the place of Analytics Box, and the requests that it got."""
    received: list[Forwarded] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            chunked = self.headers.get("transfer-encoding") == "chunked"
            body = self.chunks() if chunked else self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.append(Forwarded(self.command, self.path, headers, body))
            self.send_response(200)
            self.send_header("content-length", "5")
            self.end_headers()
            self.wfile.write(b"taken")

        do_GET = do_POST = answer

        def chunks(self) -> bytes:
            pieces = b""
            while size := int(self.rfile.readline(), 16):
                pieces += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return pieces

        def log_message(self, *_: object) -> None:
            pass

    found = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=found.serve_forever, daemon=True).start()
    try:
        yield found.server_port, received
    finally:
        found.shutdown()
        found.server_close()


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def blocks(section: str) -> dict[str, str]:
    """The blocks of code of a section of the page, by their language."""
    page = (web_dir() / "manual/first-party.md").read_text(encoding="utf-8")
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"```(\S+)\n(.*?)```", text, re.DOTALL))


def check_arrived(received: list[Forwarded]) -> None:
    """Check that a batch and a script were asked for below no folder, without what is the website's own."""
    batch, script = received
    assert (batch.method, batch.target, batch.body) == ("POST", "/batch?client_id=1", BODY)
    assert (script.method, script.target) == ("GET", "/script.js")
    for one in received:
        assert "cookie" not in one.headers
        assert one.headers["user-agent"] == SENT["user-agent"]
        assert one.headers["origin"] == SENT["origin"]


@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_web_server_forwards_its_path_without_cookies(kind: str, tmp_path: Path) -> None:
    if shutil.which(kind, path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        pytest.skip(f"{kind} is missing")
    port = free_port()
    with server() as (upstream, received):
        block = blocks("nginx" if kind == "nginx" else "Caddy")[kind].replace(ADDRESS, f"http://127.0.0.1:{upstream}")
        website = f"server {{ listen 127.0.0.1:{port};\n{block}}}"
        if kind == "caddy":
            website = f"http://:{port} {{\n{block}}}"
        with running(PROXIES[kind](website, tmp_path, free_port()), port, tmp_path):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            for method, path, body in (("POST", "/stats/batch?client_id=1", BODY), ("GET", "/stats/script.js", None)):
                connection.request(method, path, body, SENT)
                answer = connection.getresponse()
                assert (answer.status, answer.read()) == (200, b"taken")
            connection.close()
    check_arrived(received)
    for one in received:
        assert one.headers["host"] == f"127.0.0.1:{upstream}"
        assert one.headers["x-forwarded-for"].split(", ")[-1] == "127.0.0.1"


@pytest.mark.parametrize(
    ("section", "kind"), [("Cloudflare Workers", "cloudflare"), ("Vercel", "vercel"), ("Netlify", "netlify")]
)
def test_code_at_a_host_forwards_its_path_with_the_secret_and_without_cookies(
    section: str, kind: str, tmp_path: Path
) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    with server() as (upstream, received):
        code = blocks(section)["js"]
        assert ADDRESS in code
        file = tmp_path / "code.mjs"
        file.write_text(code.replace(ADDRESS, f"http://127.0.0.1:{upstream}"))
        argument = json.dumps([file.as_uri(), kind, SENT, BODY.decode()])
        command = ("node", "--input-type=module", "-e", CALL, argument)
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert ended.returncode == 0, ended.stderr
        assert json.loads(ended.stdout) == ["taken", "taken"]
    check_arrived(received)
    for one in received:
        assert one.headers["x-forwarded-for"] == "203.0.113.9"
        assert one.headers["x-proxy-secret"] == "a secret of the server"
        if kind != "cloudflare":  # whose own fetch names the host of the address and unpacks nothing
            assert one.headers["host"] == f"127.0.0.1:{upstream}"
            assert one.headers["accept-encoding"] == "identity"


def test_settings_of_the_worker_name_its_file_and_the_path_of_the_website() -> None:
    settings = tomllib.loads(blocks("Cloudflare Workers")["toml"])
    assert settings["main"] == "worker.js"
    assert [route["pattern"] for route in settings["routes"]] == ["www.example.com/stats/*"]
