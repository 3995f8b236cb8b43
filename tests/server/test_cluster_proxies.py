"""The proxies that the manual puts before several machines: what events and trackers are goes to one that takes events,
each visitor to the same one, all else to the primary."""

import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from analytics_box.app.plain_routes import ON_EVERY_MACHINE
from analytics_box.ingest import routes as event_routes
from analytics_box.ingest.ai_traffic import SETUP_CHECK
from tests.server.proxy import PROXIES, from_manual, running

MACHINES = {"10.0.0.5:8000": "primary", "10.0.0.11:8000": "first", "10.0.0.12:8000": "second"}
OF_PRIMARY = (("GET", "/"), ("GET", "/sign-in"), ("POST", "/sign-in"), ("POST", "/v1/query"), ("GET", "/events"))
OF_EACH = {"/health", "/health/ready", "/metrics", "/favicon.ico"}  # which the primary answers for those who ask
VISITORS = 24


class Before(NamedTuple):
    """A proxy before machines that tell their name, and by whom they think to be asked."""

    port: int

    def ask(self, method: str, path: str, address: str = "127.0.0.1") -> dict[str, str]:
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
            answer = client.request(
                method, f"http://127.0.0.1:{self.port}{path}", headers={"host": "stats.example.com"}
            )
        assert answer.status_code == 200, (method, path, answer.text)
        found: dict[str, str] = answer.json()
        return found


def machine(name: str) -> ThreadingHTTPServer:
    class Telling(BaseHTTPRequestHandler):
        raw_requestline = b""
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.close_connection = True
            with suppress(ConnectionResetError):  # haproxy has seen that the machine is there
                self.raw_requestline = self.rfile.readline(65_537)
            if self.raw_requestline and self.parse_request():
                asked = self.headers.get("x-forwarded-for", "")
                body = f'{{"machine": "{name}", "for": "{asked}"}}'.encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Telling)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module", params=["nginx", "haproxy"])
def before(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    kind: str = request.param
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    folder: Path = tmp_path_factory.mktemp(kind)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = from_manual("several-machines", kind)
    for there, here in (("listen 80;", f"listen 127.0.0.1:{port};"), ("bind :80\n", f"bind 127.0.0.1:{port}\n")):
        configuration = configuration.replace(there, here)
    machines = [machine(name) for name in MACHINES.values()]
    for there, server in zip(MACHINES, machines, strict=True):
        assert there in configuration
        configuration = configuration.replace(there, f"127.0.0.1:{server.server_port}")
    try:
        with running(PROXIES[kind](configuration, folder, port), port, folder):
            yield Before(port)
    finally:
        for server in machines:
            server.shutdown()
            server.server_close()


def test_proxy_sends_events_to_ingest_machines_and_the_rest_to_the_primary(before: Before) -> None:
    trackers = [(route.method, route.path) for route in ON_EVERY_MACHINE if route.path not in OF_EACH]
    check = ("GET", SETUP_CHECK + "website/nonce-0123456789")
    asked = [*event_routes.ADDRESSES, *trackers, check, *(("OPTIONS", path) for _, path in event_routes.ADDRESSES)]
    for method, path in asked:
        assert before.ask(method, path.replace("{part:str}", "clicks.js"))["machine"] in {"first", "second"}, (
            method,
            path,
        )
    for method, path in OF_PRIMARY:
        assert before.ask(method, path)["machine"] == "primary", (method, path)


def test_each_visitor_stays_with_one_machine_which_knows_the_address(before: Before) -> None:
    found: dict[str, set[str]] = {}
    for visitor in range(VISITORS):
        address = f"127.{visitor}.7.1"
        for path in ("/track", "/vitals", "/track"):
            answer = before.ask("POST", path, address)
            assert answer["for"] == address
            found.setdefault(address, set()).add(answer["machine"])
    assert all(len(machines) == 1 for machines in found.values())
    assert set.union(*found.values()) == {"first", "second"}
