"""Refused requests leave nothing behind: no frame, and so no body, waits for the garbage collector."""

import gc
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import CoroutineType, FrameType, TracebackType
from typing import Any

import pytest

from analytics_box.app.procedures import PROCEDURES
from analytics_box.app.routes import TABLE as ROUTES
from analytics_box.ingest.cluster.messages import PATH as PULL
from analytics_box.ingest.routes import ADDRESSES
from analytics_box.web.body import ANONYMOUS_BYTES
from analytics_box.web.route import PUBLIC
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import KeyName, WholeBox, whole_box

FILLING = "x" * 30_000
SENT = sorted(
    {(route.method, re.sub(r"\{.*?\}", "nothing", route.path)) for route in ROUTES if route.method != "GET"}
    | {(method, path) for method, path in ADDRESSES if method == "POST"}
    | {("POST", path) for line in PROCEDURES for path in line.paths}
    | {
        ("POST", PULL),
        ("POST", "/l/nothing"),
        ("POST", "/status/nothing/subscribe"),
        ("POST", "/public/v1/flags/nothing/ofrep/v1/evaluate/flags"),
        ("POST", "/public/v1/flags/nothing/ofrep/v1/evaluate/flags/one"),
        ("POST", "/nothing"),
    }
)
BODIES = (
    ("application/json", json.dumps({"json": {"unknown": FILLING}}).encode()),
    ("application/json", b'{"unknown": "' + FILLING.encode()),
    ("application/x-www-form-urlencoded", b"unknown=" + FILLING.encode()),
    ("text/csv", FILLING.encode()),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made


@contextmanager
def garbage() -> Iterator[list[Any]]:
    """Whatever only the garbage collector would free of what happens inside."""
    kept: list[Any] = []
    gc.collect()
    gc.freeze()  # Hundreds of collections visit only what is new, not all that earlier tests left.
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield kept
        gc.collect()
        kept += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def held_frames(kept: list[Any]) -> list[Any]:
    return [one for one in kept if isinstance(one, FrameType | TracebackType | BaseException | CoroutineType)]


def refuse(box: WholeBox, method: str, path: str) -> set[int]:
    """Send every body that this address refuses, without a credential and with two keys; the statuses."""
    statuses = set()
    for kind, content in BODIES:
        for credential in ({}, {"x_api_key": box.keys["reading"]}, {"x_api_key": box.keys["all"]}):
            answer = box.ask(method, path, headers={"content_type": kind, **credential}, body=content)
            statuses.add(answer.status)
    return statuses


CLOSED = sorted(
    (path, "reading" if line.access == "track:events" else "tracking")
    for line in PROCEDURES
    if line.access != PUBLIC and not line.anonymous
    for path in line.paths
)
OPEN = sorted(path for line in PROCEDURES if line.access == PUBLIC or line.anonymous for path in line.paths)


@each(("path", "key"), CLOSED)
def test_caller_without_permission_is_refused_whatever_the_body_is(box: WholeBox, path: str, key: KeyName) -> None:
    declared = {"content_type": "application/json", "content_length": "7900000"}
    for body in (b"", b"x", b"{"):
        assert box.ask("POST", path, headers=declared, body=body).status == 401
        named = {"x_api_key": box.keys[key]}
        assert box.ask("POST", path, headers=declared | named, body=body).status == 403


@each("path", OPEN)
def test_body_of_a_stranger_is_short(box: WholeBox, path: str) -> None:
    declared = {"content_type": "application/json", "content_length": str(ANONYMOUS_BYTES + 1)}
    assert box.ask("POST", path, headers=declared, body=b"{}").status == 413


HOSTLESS = (
    "/px.jpg?client_id=nothing",
    "/public/v1/flags/evaluate?clientId=nothing&key=one",
    "/public/v1/flags/bulk?clientId=nothing",
    "/public/v1/flags/nothing/ofrep/v1/streams",
    "/public/v1/flags/health",
    "/status/nothing",
    "/l/nothing",
    "/live/nothing",
    "/sites",
)


@each("path", HOSTLESS)
def test_request_without_host_is_refused_and_freed(box: WholeBox, path: str) -> None:
    def ask() -> int:
        return box.ask("GET", path, headers={"host": "", "cookie": FILLING}).status

    ask()
    with garbage() as kept:
        assert ask() in {200, 400}  # the pixel is always a picture
    assert not held_frames(kept)


@each(("method", "path"), SENT)
def test_refused_body_is_freed_without_the_garbage_collector(box: WholeBox, method: str, path: str) -> None:
    refuse(box, method, path)  # loads what answers, which leaves garbage once
    with garbage() as kept:
        statuses = refuse(box, method, path)
    assert min(statuses) >= 200
    assert not held_frames(kept), f"{statuses}: {held_frames(kept)[:6]}"


def test_conflict_inside_a_write_is_freed_without_the_garbage_collector(box: WholeBox) -> None:
    link = {"name": "One", "targetUrl": "https://shop.example/" + "x" * 1_000, "slug": "taken"}
    assert box.post("/rpc/links/create", link, key="all").status == 200
    assert box.post("/rpc/links/create", link, key="all").status == 409
    with garbage() as kept:
        assert box.post("/rpc/links/create", link, key="all").status == 409
    assert not held_frames(kept)
