"""A web server on loopback that is both the site with the tracker and the box that receives its events."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.browser.chromium import SITE

SCRIPT = Path(__file__).parents[2] / "web" / "static" / "tracker" / "script.js"
PATIENCE_S = 20.0

Event = dict[str, Any]


class Request:
    """One request that reached the collector."""

    def __init__(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        self.method = method
        self.route = urlsplit(target).path
        self.query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        self.headers = headers
        self.body = body

    def events(self) -> list[Event]:
        """The events of a POST."""
        parsed: list[Event] = json.loads(self.body)
        return parsed


class Collector:
    """What was received so far, and the pages and refusals to answer with."""

    def __init__(self, port: int) -> None:
        self.box = f"http://127.0.0.1:{port}"
        self.site = f"http://{SITE}:{port}"
        self.port = port
        self.pages: dict[str, tuple[str, dict[str, str]]] = {}
        self.refusals: list[int] = []
        self.received: list[Request] = []
        self.accepted: list[Request] = []
        self.changed = Condition()

    def publish(
        self,
        path: str = "/",
        *,
        tag: str = "data-ignore-bot-detection",
        head: str = "",
        body: str = "Hello",
        title: str = "Home",
        headers: dict[str, str] | None = None,
    ) -> str:
        """Serves a page whose script tag carries the attributes `tag`; the page's address."""
        script = f'<script async defer src="{self.box}/script.js" data-client-id="site-1" {tag}></script>'
        start = f"<!doctype html><html lang=en><head><title>{title}</title>{head}{script}</head>"
        html = f"{start}<body>{body}</body></html>"
        self.pages[path] = html, headers or {}
        return self.site + path

    def accept(self, request: Request) -> int:
        """Remembers a request; the status to answer with."""
        with self.changed:
            self.received.append(request)
            status = self.refusals.pop(0) if self.refusals and request.method == "POST" else 200
            if request.method == "POST" and status == 200:
                self.accepted.append(request)
            self.changed.notify_all()
        return status

    def events(self, name: str | None = None) -> list[Event]:
        """The accepted events, all or those of one name, in the order of their arrival."""
        with self.changed:
            every = [event for request in self.accepted for event in request.events()]
        return [event for event in every if name in (None, event["name"])]

    def wait(self, true: Callable[[], bool], what: str) -> None:
        """Returns once `true` holds; it is asked again at each arrival."""
        with self.changed:
            arrived = self.changed.wait_for(true, PATIENCE_S)
        assert arrived, f"waited for {what}; arrived: {[event['name'] for event in self.events()]}"

    def wait_for(self, name: str, count: int = 1) -> list[Event]:
        """Exactly `count` accepted events of that name, as soon as there are as many."""
        self.wait(lambda: len(self.events(name)) >= count, f"{count} x {name}")
        found = self.events(name)
        assert len(found) == count
        return found


def _handler(collector: Callable[[], Collector]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.split("?")[0] == "/script.js":
                self.answer(200, SCRIPT.read_bytes(), {"content-type": "text/javascript; charset=utf-8"})
                return
            html, headers = collector().pages.get(urlsplit(self.path).path, ("", {}))
            if html:
                self.answer(200, html.encode(), {"content-type": "text/html; charset=utf-8", **headers})
            else:
                self.answer(404, b"", {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0")))
            self.received(body)

        def do_OPTIONS(self) -> None:
            self.received(b"")

        def received(self, body: bytes) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = collector().accept(Request(self.command, self.path, headers, body))
            self.answer(status, b"{}", {"access-control-allow-origin": headers.get("origin", "*")})

        def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that listens on a free port of loopback."""
    running: list[Collector] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(lambda: running[0]))
    server.daemon_threads = True
    running.append(Collector(server.server_port))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield running[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
