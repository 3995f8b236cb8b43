"""The application of pages and the API is built once, with its first request, and does not block others."""

import asyncio
import threading
from pathlib import Path

import pytest

from analytics_box.base.later import Later
from analytics_box.web.asgi import App, BuiltLater, Receive, Scope, Send
from tests.inprocess import whole_box

SCOPE: Scope = {"type": "http"}


async def receive() -> dict[str, object]:
    raise AssertionError("nothing is read")


async def send(message: dict[str, object]) -> None:
    raise AssertionError(f"nothing is sent: {message}")


class Built:
    """Counts how often it is built and asked; the first `failing` builds fail."""

    def __init__(self, failing: int = 0) -> None:
        self.builds = self.requests = 0
        self._failing = failing
        self.may_end = threading.Event()

    def build(self) -> App:
        self.builds += 1
        assert self.may_end.wait(10), "the event loop was blocked by the build"
        if self.builds <= self._failing:
            raise OSError("no room")
        return self._answer

    async def _answer(self, _scope: Scope, _receive: Receive, _send: Send) -> None:
        self.requests += 1


def test_simultaneous_first_requests_build_the_application_once_while_the_loop_goes_on() -> None:
    built = Built()

    async def ask() -> None:
        app = BuiltLater(built.build)
        asking = [asyncio.create_task(app(SCOPE, receive, send)) for _ in range(3)]
        asyncio.get_running_loop().call_later(0, built.may_end.set)
        await asyncio.gather(*asking)
        await app(SCOPE, receive, send)

    asyncio.run(ask())
    assert (built.builds, built.requests) == (1, 4)


def test_failed_build_is_tried_again_with_the_next_request() -> None:
    built = Built(failing=1)
    built.may_end.set()

    async def ask() -> None:
        app = BuiltLater(built.build)
        with pytest.raises(OSError, match="no room"):
            await app(SCOPE, receive, send)
        await app(SCOPE, receive, send)

    asyncio.run(ask())
    assert (built.builds, built.requests) == (2, 1)


def test_plain_route_with_a_trailing_slash_gives_the_same_answer(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        for path in ("/health", "/script.js", "/favicon.ico", "/parts.js", "/static/base.css"):
            plain, framework = box.get(path), box.get(f"{path}/")
            own = {"x-request-id"}
            assert (plain.status, plain.body) == (200, framework.body), path
            assert {name: value for name, value in plain.headers.items() if name not in own} == {
                name: value for name, value in framework.headers.items() if name not in own
            }, path


def test_plain_routes_refuse_other_methods(tmp_path: Path) -> None:
    with whole_box(tmp_path) as box:
        for method, status in (("POST", 405), ("DELETE", 405), ("OPTIONS", 204)):
            answer = box.ask(method, "/script.js")
            assert (answer.status, answer.headers["allow"]) == (status, "GET, OPTIONS")


def test_module_is_loaded_with_the_first_use_of_a_name() -> None:
    colours = Later("colorsys")
    assert colours.rgb_to_hsv(0, 0, 0) == (0, 0, 0)
    with pytest.raises(AttributeError):
        _ = colours.nothing_of_this_name
