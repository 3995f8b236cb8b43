"""A website of somebody's: two static pages that carry the tracker."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.browser.chromium import SITE


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def website(folder: Path, script: str) -> Iterator[str]:
    """A site of two pages that carry the tracker; its address."""
    for name, title in (("index.html", "Home"), ("pricing.html", "Pricing")):
        (folder / name).write_text(
            f"<!doctype html><title>{title}</title>{script}<h1>{title}</h1><a href='/pricing.html'>Pricing</a>"
        )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{SITE}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
