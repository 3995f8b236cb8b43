"""A web server on loopback that is both the site with the tracker and the box that receives its events."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from threading import Event as Gate
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.browser.chromium import SITE

TRACKER = Path(__file__).parents[2] / "web" / "static" / "tracker"
SCRIPT = TRACKER / "script.js"
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
        """The events of a POST, or of a picture's address."""
        if self.method == "GET":
            return [dict(self.query)]
        parsed: list[Event] | Event = json.loads(self.body)
        return [parsed] if isinstance(parsed, dict) else parsed


class Collector:
    """What was received so far, and the pages and refusals to answer with."""

    def __init__(self, port: int) -> None:
        self.box = f"http://127.0.0.1:{port}"
        self.site = f"http://{SITE}:{port}"
        self.port = port
        self.tag = ""
        self.pages: dict[str, tuple[str, dict[str, str]]] = {}
        self.scripts: dict[str, str] = {}
        self.loaded: list[str] = []
        self.may_load = Gate()
        self.may_load.set()
        self.refusals: list[int] = []
        self.received: list[Request] = []
        self.accepted: list[Request] = []
        self.statuses: dict[str, int] = {}
        self.changed = Condition()

    def publish(
        self,
        path: str = "/",
        *,
        tag: str | None = None,
        head: str = "",
        body: str = "Hello",
        title: str = "Home",
        headers: dict[str, str] | None = None,
        status: int = 200,
    ) -> str:
        """Serves a page whose script tag carries the attributes `tag`; the page's address."""
        tag = self.tag if tag is None else tag
        script = f'<script async defer src="{self.box}/script.js" data-client-id="site-1" {tag}></script>'
        start = f"<!doctype html><html lang=en><head><title>{title}</title>{head}{script}</head>"
        html = f"{start}<body>{body}</body></html>"
        self.pages[path] = html, headers or {}
        self.statuses[path] = status
        return self.site + path

    def loads(self, path: str) -> None:
        """Remembers that a part is asked for, and waits until it may be loaded."""
        with self.changed:
            self.loaded.append(path.removeprefix("/parts").removeprefix("/").removesuffix(".js"))
            self.changed.notify_all()
        self.may_load.wait(PATIENCE_S)

    def accept(self, request: Request) -> int:
        """Remembers a request; the status to answer with."""
        with self.changed:
            self.received.append(request)
            counts = request.method != "OPTIONS"
            status = self.refusals.pop(0) if self.refusals and counts else 200
            if counts and status == 200:
                self.accepted.append(request)
            self.changed.notify_all()
        return status

    def events(self, name: str | None = None) -> list[Event]:
        """The accepted events, all or those of one name, in the order of their arrival."""
        with self.changed:
            every = [event for request in self.accepted for event in request.events()]
        return [event for event in every if name in (None, event.get("name"))]

    def sent_to(self, route: str) -> list[Event]:
        """The accepted events of a route."""
        with self.changed:
            return [event for request in self.accepted if request.route == route for event in request.events()]

    def wait_for_route(self, route: str, count: int = 1) -> list[Event]:
        """At least `count` accepted events of a route."""
        self.wait(lambda: len(self.sent_to(route)) >= count, f"{count} events for {route}")
        return self.sent_to(route)

    def wait(self, true: Callable[[], bool], what: str) -> None:
        """Returns once `true` holds; it is asked again at each arrival."""
        with self.changed:
            arrived = self.changed.wait_for(true, PATIENCE_S)
        assert arrived, f"waited for {what}; arrived: {[event.get('name') for event in self.events()]}"

    def wait_for(self, name: str, count: int = 1) -> list[Event]:
        """Exactly `count` accepted events of that name, as soon as there are as many."""
        self.wait(lambda: len(self.events(name)) >= count, f"{count} x {name}")
        found = self.events(name)
        assert len(found) == count
        return found


def file_of(path: str) -> Path | None:
    """The file that the box serves there to every site, if it is one of the tracker's."""
    name = {"/databuddy.js": "/script.js", "/databuddy-debug.js": "/debug.js"}.get(path, path)
    file = TRACKER / name.removeprefix("/")
    return file if file.suffix == ".js" and file.is_file() else None


def _handler(collector: Callable[[], Collector]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            script = file_of(path)
            if script or path in collector().scripts:
                content = script.read_bytes() if script else collector().scripts[path].encode()
                if path.startswith("/parts"):
                    collector().loads(path)
                open_to_all = {"access-control-allow-origin": "*", "cache-control": "max-age=3600"}
                self.answer(200, content, {"content-type": "text/javascript; charset=utf-8", **open_to_all})
                return
            if path == "/px.jpg":
                self.received(b"")
                return
            html, headers = collector().pages.get(urlsplit(self.path).path, ("", {}))
            if html:
                self.answer(
                    collector().statuses.get(path, 200),
                    html.encode(),
                    {"content-type": "text/html; charset=utf-8", **headers},
                )
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
            with suppress(BrokenPipeError, ConnectionResetError):  # a page that is gone takes no answer
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
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield running[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
