"""Usual requests to /track and /batch take a shortcut; all others, and all refusals, the long way. That both give the
same answers and rows is proven by the stories of test_prepared.py."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app.watch.state import WatchedParts
from analytics_box.base import ids
from analytics_box.base.errors import Unavailable
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.web.asgi import Receive, Scope, Send
from analytics_box.web.front import Front
from tests.inprocess import BROWSER, Answer, KeyName, SiteName, WholeBox, whole_box

VIEW = {"name": "screen_view", "path": "https://shop.example/a"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of requests that took the long way."""
    taken: list[str] = []
    answer = Front._answer

    async def noted(front: Front, scope: dict[str, Any], *others: Any) -> None:
        taken.append(scope["path"])
        await answer(front, scope, *others)

    monkeypatch.setattr(Front, "_answer", noted)
    return taken


def track(
    box: WholeBox, content: object = VIEW, address: str = "203.0.113.7", path: str = "/track", **headers: str
) -> Answer:
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    head = {"content_type": "application/json", "origin": "https://shop.example"} | headers
    target = f"{path}?client_id={box.sites['shop']}"
    return box.ask("POST", target, headers=head, body=sent, address=address)


def stored(box: WholeBox) -> int:
    rows = box.box.events.db.read_now(lambda db: db.execute("select count(*) from events").fetchall())
    return int(str(rows[0][0]))


EXIT = {"name": "page_exit", "path": "/a", "time_on_page": 5}
USUAL: tuple[tuple[str, object], ...] = (
    ("/track", VIEW),
    ("/track", {"name": "sign_up", "properties": {"plan": "pro"}}),
    ("/track", EXIT),
    ("/track", [VIEW, {"name": "sign_up"}]),
    ("/batch", [VIEW]),
    ("/batch", [{**VIEW, "type": "track", "eventId": "one"}, EXIT, {"name": "sign_up", "type": "custom"}]),
)


@pytest.mark.parametrize(("path", "content"), USUAL)
def test_usual_request_is_answered_by_the_shortcut_as_by_the_long_way(
    tmp_path: Path, long_ways: list[str], path: str, content: object
) -> None:
    answers = []
    for name in ("short", "long"):
        with whole_box(tmp_path / name) as box:
            if name == "long":
                assert isinstance(box.box.application, Front)
                box.box.application._shortcuts = {}
            answers.append([track(box, content, path=path) for _ in range(2)])
            assert stored(box) == 2 * (len(content) if isinstance(content, list) else 1) - ("one" in str(content))
    assert long_ways == [path, path]
    for short, long in zip(*answers, strict=True):
        assert {**short.headers, "x-request-id": ""} == {**long.headers, "x-request-id": ""}
        assert {**short.json, "requestId": ""} == {**long.json, "requestId": ""}
        assert list(short.json) == list(long.json)
        assert short.headers["x-request-id"] == short.json["requestId"]


def with_key(box: WholeBox, content: object, key: KeyName = "all", **headers: str) -> Answer:
    return box.post("/track", content, key=key, **headers)


def test_usual_request_with_an_api_key_is_answered_by_the_shortcut_as_by_the_long_way(
    tmp_path: Path, long_ways: list[str]
) -> None:
    answers = []
    for name in ("short", "long"):
        with whole_box(tmp_path / name) as box:
            if name == "long":
                assert isinstance(box.box.application, Front)
                box.box.application._shortcuts = {}
            shop = {"name": "sign_up", "websiteId": box.sites["shop"], "anonymousId": "one"}
            contents: list[object] = [shop, {"name": "sign_up"}, [shop, {"name": "b", "eventId": "two"}, shop]]
            answers.append([with_key(box, content) for content in (*contents, *contents)])
            assert stored(box) == 9
    assert len(long_ways) == 6
    for short, long in zip(*answers, strict=True):
        assert {**short.headers, "x-request-id": ""} == {**long.headers, "x-request-id": ""}
        assert {**short.json, "requestId": ""} == {**long.json, "requestId": ""}


REFUSED: tuple[tuple[KeyName, SiteName | None, int], ...] = (
    ("revoked", "shop", 401),
    ("reading", "shop", 403),
    ("restricted", None, 403),
    ("all", "foreign", 403),
)


@pytest.mark.parametrize(("key", "site", "status"), REFUSED)
def test_request_with_a_key_that_may_not_send_takes_the_long_way(
    box: WholeBox, long_ways: list[str], key: KeyName, site: SiteName | None, status: int
) -> None:
    content = {"name": "sign_up"} | ({"websiteId": box.sites[site]} if site is not None else {})
    assert with_key(box, content, key).status == status
    assert long_ways == ["/track"]
    assert stored(box) == 0


def test_request_with_a_key_beyond_a_limit_is_refused_and_leaves_nothing_in_flight(tmp_path: Path) -> None:
    def few(settings: Settings) -> Settings:
        return replace(settings, limit_track=2, limit_key_events=3)

    with whole_box(tmp_path / "data", adjust=few) as box:
        answers = [with_key(box, {"name": "sign_up"}) for _ in range(4)]
        assert [answer.status for answer in answers] == [200, 200, 429, 429]
        assert {answer.json["code"] for answer in answers[2:]} == {"RATE_LIMITED"}
        assert not box.box.events.intake.admission._in_flight
        assert stored(box) == 2


UNUSUAL_ITEMS: tuple[object, ...] = (
    {"name": ""},
    {"name": "screen_view"},
    5,
    {"type": "unheard of", "name": "a"},
    {"type": "outgoing_link", "href": "https://else.example/"},
    {"type": "track", "payload": VIEW},
    {**VIEW, "referrer": "https://semalt.com/"},
)


@pytest.mark.parametrize("item", UNUSUAL_ITEMS)
def test_batch_with_an_unusual_item_takes_the_long_way(box: WholeBox, long_ways: list[str], item: object) -> None:
    answer = track(box, [VIEW, item], path="/batch")
    assert answer.status == 200
    assert answer.json["processed"] == 2
    assert long_ways == ["/batch"]


UNUSUAL: tuple[tuple[object, dict[str, str], int], ...] = (
    ({"name": ""}, {}, 400),
    (b"{", {}, 400),
    (b'{"name": "a", "unheard of": "\xff"}', {}, 400),
    ([], {}, 400),
    ({"name": "screen_view"}, {}, 400),
    ({**VIEW, "referrer": "https://semalt.com/"}, {}, 200),
    ({"name": "a", "properties": {"a": "x" * 70_000}}, {}, 413),
    (VIEW, {"content_encoding": "gzip"}, 415),
    (VIEW, {"x_api_key": "svc_unknown"}, 401),
)


@pytest.mark.parametrize(("content", "headers", "status"), UNUSUAL)
def test_unusual_request_of_a_known_sender_takes_the_long_way(
    box: WholeBox, long_ways: list[str], content: object, headers: dict[str, str], status: int
) -> None:
    track(box)
    before = stored(box)
    assert track(box, content, **headers).status == status
    assert len(long_ways) == 1
    assert stored(box) == before
    taken = int(track(box).headers["x-ratelimit-remaining"])
    assert taken in {box.box.settings.limit_track - 2, box.box.settings.limit_track - 3}  # no request counts twice


def test_known_sender_beyond_a_limit_is_refused_like_any_other(tmp_path: Path) -> None:
    def few(settings: Settings) -> Settings:
        return replace(settings, limit_track=2, limit_address=4)

    with whole_box(tmp_path / "data", adjust=few) as box:
        statuses = [track(box).status for _ in range(3)]
        answer = track(box)
        flood = track(box)
        assert statuses == [200, 200, 429]
        assert (answer.status, answer.json["code"]) == (429, "RATE_LIMITED")
        assert "connection" not in answer.headers
        assert (flood.status, flood.headers["connection"]) == (429, "close")
        assert flood.headers["access-control-allow-origin"] == "https://shop.example"
        assert stored(box) == 2


def test_events_of_a_known_sender_that_cannot_be_stored_are_refused(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    track(box)

    def full(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full", retry_after=60)

    with monkeypatch.context() as patch:
        patch.setattr(Db, "write_shared", full)
        answer = track(box)
    assert (answer.status, answer.json["code"]) == (503, "DELIVERY_UNAVAILABLE")
    assert track(box).status == 200


def test_repeats_of_a_known_sender_are_named(box: WholeBox, long_ways: list[str]) -> None:
    track(box)
    answers = [track(box, {**VIEW, "eventId": "one"}).headers["x-analytics-box"] for _ in range(2)]
    assert answers == ["stored=1", "dropped=1; reason=duplicate"]
    assert not long_ways
    assert stored(box) == 2


def test_proxy_that_is_not_trusted_is_noted_with_each_request(box: WholeBox, long_ways: list[str]) -> None:
    for _ in range(2):
        box.clock.advance(seconds=1)
        assert track(box, address="10.0.0.1", x_forwarded_for="203.0.113.9").status == 200
        seen = box.box.parts[WatchedParts].proxies.untrusted
        assert seen is not None
        assert seen.at == box.clock.now()
    assert len(long_ways) == 2


def test_headers_that_come_twice_take_the_long_way(box: WholeBox, long_ways: list[str]) -> None:
    track(box)
    scope = _scope(box, length=len(json.dumps(VIEW)))
    scope["headers"].append((b"accept", b"*/*"))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(VIEW).encode(), "more_body": False}

    async def send(_message: dict[str, Any]) -> None:
        """Nobody reads it."""

    box.run(_asked(box, scope, receive, send))
    assert len(long_ways) == 1


def test_access_log_has_the_requests_of_known_senders(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def noted(settings: Settings) -> Settings:
        return replace(settings, access_log="on")

    caplog.set_level(logging.INFO)
    with whole_box(tmp_path / "data", adjust=noted) as box:
        for _ in range(3):
            track(box)
    assert sum("POST /track 200" in record.getMessage() for record in caplog.records) == 3


def test_slow_body_of_a_known_sender_is_given_up(tmp_path: Path) -> None:
    def hasty(settings: Settings) -> Settings:
        return replace(settings, body_seconds=0.02)

    with whole_box(tmp_path / "data", adjust=hasty) as box:
        track(box)
        scope, sent = _scope(box, length=1_000), []

        async def receive() -> dict[str, Any]:
            if "body_begun" not in scope:
                scope["body_begun"] = True
                return {"type": "http.request", "body": b'{"name": ', "more_body": True}
            await asyncio.Event().wait()
            raise AssertionError("nothing comes")

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        box.run(_asked(box, scope, receive, send))
        assert sent[0]["status"] == 408
        assert isinstance(box.box.application, Front)
        assert len(box.box.application._bodies) == 0


def test_client_that_leaves_its_answer_leaves_its_event(box: WholeBox) -> None:
    track(box)
    scope = _scope(box, length=len(json.dumps(VIEW)))

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(VIEW).encode(), "more_body": False}

    async def send(_message: dict[str, Any]) -> None:
        raise ConnectionError("The client has left")

    box.run(_asked(box, scope, receive, send))
    assert stored(box) == 2


def test_each_request_has_one_id(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    new = ids.new_request_id

    def noted() -> str:
        drawn.append(new())
        return drawn[-1]

    monkeypatch.setattr(ids, "new_request_id", noted)
    shown = [track(box, content).headers["x-request-id"] for content in (VIEW, VIEW, {"name": ""}, VIEW)]
    assert shown == drawn


async def _asked(box: WholeBox, scope: Scope, receive: Receive, send: Send) -> None:
    await box.box.application(scope, receive, send)


def _scope(box: WholeBox, *, length: int) -> dict[str, Any]:
    """A request like those of `track`."""
    headers = {
        b"host": b"localhost",
        b"accept": b"*/*",
        b"user-agent": BROWSER.encode(),
        b"content-type": b"application/json",
        b"origin": b"https://shop.example",
        b"content-length": str(length).encode(),
    }
    return {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/track",
        "raw_path": b"/track",
        "query_string": f"website_id={box.sites['shop']}".encode(),
        "root_path": "",
        "headers": list(headers.items()),
        "client": ("203.0.113.7", 40_000),
    }
