"""A box that serves until it has taken an event and sent the tracker, and prints which modules it has loaded then.

`python -m tests.server.first_event DATA_DIR WEBSITE_ID`: a new Python, since one that runs tests has loaded most.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import analytics_box.app.cli.main
import analytics_box.app.cli.serve  # noqa: F401  as the command line does
from analytics_box.app import server
from analytics_box.app.box import Box
from analytics_box.base.settings import Settings

AGENT = b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def answer(box: Box, method: str, path: str, query: str = "", body: bytes = b"") -> int:
    """The status of one answer."""
    headers = [(b"host", b"localhost"), (b"user-agent", AGENT), (b"accept", b"*/*")]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [*headers, (b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))],
        "client": ("203.0.113.7", 40_000),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await box.application(scope, receive, send)
    return int(sent[0]["status"])


def main(data_dir: str, website_id: str) -> None:
    """Serve, ask, print and end."""

    async def ask(box: Box) -> None:
        event = b'{"name": "screen_view", "path": "https://example.com/"}'
        print(await answer(box, "POST", "/track", f"website_id={website_id}", event))  # noqa: T201
        print(await answer(box, "GET", "/script.js"), await answer(box, "GET", "/health"))  # noqa: T201
        print(*sys.modules)  # noqa: T201
        os.kill(os.getpid(), signal.SIGTERM)

    server.serve(Settings(data_dir=Path(data_dir), port=0), lambda *_: None, [ask])


if __name__ == "__main__":
    main(*sys.argv[1:])
