"""The demo's shop: a tiny web server on this machine alone, so that the demo's monitors have something to check."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from random import Random
from socketserver import ThreadingTCPServer
from typing import Final

from analytics_box.base.clock import DAY, HOUR
from analytics_box.products.sample_data.site import NAME

HOST: Final = "127.0.0.1"
NETWORK: Final = f"{HOST}/32"
PORT: Final = 8190  # where it stands unless that is taken
SITE, API = "/", "/api/health"

_PAGES: Final = {
    SITE: ("text/html; charset=utf-8", f"<!doctype html><title>{NAME}</title><h1>{NAME}</h1>".encode()),
    API: ("application/json", b'{"status":"ok","orders":{"open":12},"database":"ok"}'),
}
_SHARES: Final = {SITE: 1.0, API: 0.6}  # of the time that the website takes
_SLOWEST: Final = 280_000  # microseconds
_SILENT: Final = 10  # seconds that a caller may say nothing


def delay(random: Random, path: str, instant: int) -> int:
    """The shop's response time at this time (UTC ms), in microseconds: longer in the afternoon than at night."""
    busy = 0.5 - 0.5 * math.cos(math.tau * (instant % DAY / HOUR - 4) / 24)
    taken = _SHARES[path] * (28_000 + 55_000 * busy) * math.exp(random.gauss(0, 0.18))
    return round(min(taken * (2.4 if random.random() < 0.015 else 1), _SLOWEST))


@contextmanager
def open_shop(port: int, taken: int) -> Iterator[int]:
    """The shop while it is open; yields its port: this one, or a free one where that is in use or `taken`."""
    with _listening(0 if port == taken else port) as server:
        threading.Thread(target=server.serve_forever, name="shop", daemon=True).start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()


def _listening(port: int) -> "_Server":
    try:
        return _Server((HOST, port), _Handler)
    except OSError:
        return _Server((HOST, 0), _Handler)


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = NAME, ""
    timeout = _SILENT

    def do_GET(self) -> None:
        found = _PAGES.get(self.path.partition("?")[0])
        if found is None:
            self.send_error(404)
            return
        time.sleep(delay(Random(), self.path.partition("?")[0], int(time.time() * 1000)) / 1e6)  # noqa: S311  no secret
        kind, content = found
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the box logs its checks."""
