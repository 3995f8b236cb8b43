"""In which order a box begins."""

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

import pytest

from analytics_box.app import server
from analytics_box.base.settings import Settings


class Ended(Exception):
    """The web server began, which is far enough."""


def test_monitors_are_where_they_were_before_anybody_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    class Web:
        def __init__(self, *_: Any) -> None: ...

        def start(self) -> None:
            order.append("web")
            raise Ended

    async def start() -> None:
        order.append("monitors")

    box = SimpleNamespace(application=None, engine=SimpleNamespace(start=start))
    monkeypatch.setattr(server, "open_box", lambda _, **_more: box)
    monkeypatch.setattr(server, "WebServer", Web)
    for name in ("spare_the_collector", "_ends_on_signals"):
        monkeypatch.setattr(server, name, lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(Ended):
        asyncio.run(server._serve_on(listener, Settings(), lambda *_: None))
    assert order == ["monitors", "web"]
