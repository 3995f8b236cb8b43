"""The proxies of the manual, with the configurations that stand there: real programs before the box."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from tests.running import BROWSER, UNLIMITED, Account, Server, serving, set_up
from tests.server.proxy import PROXIES, from_manual, running

BOX, LINKS = "stats.example.com", "go.example.com"
SETTINGS: dict[str, Any] = UNLIMITED | {
    "base_url": f"https://{BOX}",
    "trusted_proxies": "127.0.0.1",
    "limit_track": 3,
}
LARGEST = 8_000_000  # bytes of a body that a proxy has to pass


class Proxied(NamedTuple):
    """A box behind a proxy, which listens for https on a port of loopback."""

    name: str
    account: Account
    port: int

    def curl(self, path: str, *options: str, host: str = BOX) -> tuple[int, dict[str, str], str]:
        """Status, headers (names in lower case) and body of what a client gets that knows nothing of the proxy."""
        ended = subprocess.run(
            (
                *("curl", "--silent", "--show-error", "--insecure", "--http2", "--include", "--max-time", "20"),
                *("--connect-to", f"{host}:443:127.0.0.1:{self.port}", "--user-agent", BROWSER, "--header", "Expect:"),
                *(*options, f"https://{host}{path}"),
            ),
            capture_output=True,
            text=True,
            check=True,
        )
        head, _, body = ended.stdout.partition("\n\n")
        lines = head.splitlines()
        assert lines[0].startswith("HTTP/2 "), "the client has HTTP/2"
        headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split()[1]), headers, body


def in_place(configuration: str, box_port: int, port: int, folder: Path) -> str:
    """The configuration for this test: other ports, a certificate in a folder."""
    for there, here in (
        ("127.0.0.1:8000", f"127.0.0.1:{box_port}"),
        ("listen 443", f"listen 127.0.0.1:{port}"),
        ("bind :443", f"bind 127.0.0.1:{port}"),
        ("/etc/ssl/private/stats.example.com.key", f"{folder}/key.pem"),
        ("/etc/ssl/stats.example.com.pem", f"{folder}/cert.pem"),
        ("/etc/haproxy/stats.example.com.pem", f"{folder}/both.pem"),
        (
            f"{BOX}, {LINKS} {{",
            f"https://{BOX}:{port}, https://{LINKS}:{port} {{\n\ttls {folder}/cert.pem {folder}/key.pem",
        ),
    ):
        configuration = configuration.replace(there, here)
    return configuration


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Account]]:
    """A box that trusts a proxy of this machine, with a domain for short links."""
    data_dir = tmp_path_factory.mktemp("proxied") / "data"
    account = set_up(data_dir)
    prove(data_dir / "box.db", account, LINKS)
    with serving(data_dir, **SETTINGS) as server:
        yield server, account


def prove(path: Path, account: Account, domain: str) -> None:
    """As if the TXT record of a domain had been found."""
    db = apsw.Connection(str(path))
    db.execute(
        "insert into domains (id, organization_id, domain, token, created_at, proven_at, proven_by)"
        " values ('dom-of-links', ?, ?, ?, 1, 1, 'dns')",
        (account.organization_id, domain, "x" * 32),
    )
    db.close()


@pytest.fixture(scope="module", params=PROXIES)
def proxied(
    request: pytest.FixtureRequest, behind: tuple[Server, Account], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxied]:
    server, account = behind
    kind: str = request.param
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    folder = tmp_path_factory.mktemp(kind)
    make_certificate(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = in_place(from_manual("proxies", kind), server.port, port, folder)
    with running(PROXIES[kind](configuration, folder, port), port, folder):
        yield Proxied(kind, account, port)


def make_certificate(folder: Path) -> None:
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    options = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    names = f"subjectAltName=DNS:{BOX},DNS:{LINKS}"
    subprocess.run(
        ("openssl", "req", *options, "-subj", f"/CN={BOX}", "-addext", names, *files), check=True, capture_output=True
    )
    (folder / "both.pem").write_text((folder / "cert.pem").read_text() + (folder / "key.pem").read_text())


def test_every_client_is_known_by_its_own_address_and_cannot_name_another(proxied: Proxied) -> None:
    track = f"/track?website_id={proxied.account.website_id}"
    view = json.dumps({"name": "screen_view", "path": "/", "anonymousId": "a", "sessionId": "b"})
    sender = 10 + list(PROXIES).index(proxied.name)

    def status(address: str, claimed: str) -> int:
        options = ("--interface", address, "--header", f"X-Forwarded-For: {claimed}", "--data-raw", view)
        return proxied.curl(track, *options, "--header", "Content-Type: application/json")[0]

    first, second = f"127.0.{sender}.1", f"127.0.{sender}.2"
    assert [status(first, f"192.0.2.{number}") for number in range(4)] == [200, 200, 200, 429]
    assert status(second, first) == 200


def test_pages_are_for_https(proxied: Proxied) -> None:
    status, headers, _ = proxied.curl("/sign-in")
    assert status == 200
    assert "strict-transport-security" in headers
    login = ("--data-urlencode", "email=owner@example.com", "--data-urlencode", "password=correct horse battery staple")
    status, headers, _ = proxied.curl("/sign-in", *login, "--header", f"Origin: https://{BOX}")
    assert status == 303, "a form of the same origin, as the browser says"
    assert "secure" in headers["set-cookie"].lower()


def test_short_links_live_on_their_domain(proxied: Proxied) -> None:
    key = ("--header", f"x-api-key: {proxied.account.api_key}", "--header", "Content-Type: application/json")
    added = proxied.curl("/links/addDomain", *key, "--data-raw", json.dumps({"domain": LINKS}))
    assert added[0] in {200, 409}, added
    slug = proxied.name
    link = {"name": "One", "slug": slug, "targetUrl": "https://target.example/", "domain": LINKS}
    status, _, body = proxied.curl("/links/create", *key, "--data-raw", json.dumps(link))
    assert status == 200, body
    status, headers, _ = proxied.curl(f"/{slug}", host=LINKS)
    assert (status, headers["location"]) == (302, "https://target.example/")
    assert proxied.curl("/sign-in", host=LINKS)[0] == 404


def test_an_import_as_large_as_may_be_arrives(proxied: Proxied, tmp_path: Path) -> None:
    key = ("--header", f"x-api-key: {proxied.account.api_key}", "--header", "Content-Type: application/json")
    (tmp_path / "body").write_bytes(b"{" + b" " * (LARGEST - 2) + b"}")
    status, _, body = proxied.curl("/links/import", *key, "--data-binary", f"@{tmp_path / 'body'}")
    assert (status, json.loads(body)["code"]) == (400, "BAD_REQUEST"), "the box has read it"


def test_proxy_passes_compressed_answers_unchanged(proxied: Proxied) -> None:
    status, headers, _ = proxied.curl("/sign-in", "--header", "Accept-Encoding: gzip, zstd")
    assert status == 200
    assert "content-encoding" not in headers
    assert proxied.curl("/script.js", "--header", "Accept-Encoding: identity")[0] == 200


def test_a_refusal_keeps_its_words_and_its_headers(proxied: Proxied) -> None:
    status, headers, body = proxied.curl("/v1/query?website_id=nowhere", "--json", "{}")
    assert status == 422, body
    assert json.loads(body)["success"] is False
    assert headers["x-request-id"] == json.loads(body)["requestId"]
