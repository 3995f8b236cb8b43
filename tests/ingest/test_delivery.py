"""Nothing is acknowledged that is not stored: a full or read-only disk, a full queue, the same event at once."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from analytics_box.app import jobs
from analytics_box.base.facts.tables import FACT_NAMES
from tests.contract.conftest import unlimited
from tests.ingest.rows import count
from tests.inprocess import BROWSER, Answer, WholeBox, whole_box

PAGE = "https://shop.example/"
BODIES: dict[str, Any] = {
    "/track": {"name": "sign_up"},
    "/": {"name": "screen_view", "path": PAGE},
    "/batch": [{"name": "screen_view", "path": PAGE}],
    "/vitals": [{"metricName": "LCP", "metricValue": 1}],
    "/errors": [{"message": "x"}],
    "/events": [{"eventName": "sign_up"}],
    "/engagement": [{}],
    "/identify": {"profileId": "ada"},
    "/api/event": {"n": "sign_up", "u": PAGE},
    "/api/send": {"type": "event", "payload": {"name": "sign_up", "url": "/"}},
}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        yield made


def send(box: WholeBox, path: str, body: Any) -> Answer:
    return box.post(f"{path}?client_id={box.sites['shop']}", body, origin="https://shop.example")


def on_the_writer(box: WholeBox, work: Any) -> None:
    """Do something with the writer's connection itself: one that cannot write cannot be told so by a write."""
    work(box.box.events.db._writer._connection)


def full(connection: apsw.Connection) -> None:
    """No page can be added to the file from now on."""
    connection.pragma("max_page_count", int(str(connection.pragma("page_count"))))


def roomy(connection: apsw.Connection) -> None:
    connection.pragma("max_page_count", 1 << 30)


def read_only(connection: apsw.Connection) -> None:
    connection.pragma("query_only", True)


def writable(connection: apsw.Connection) -> None:
    connection.pragma("query_only", False)


def total(box: WholeBox) -> int:
    return sum(count(box, table) for table in FACT_NAMES)


@pytest.mark.parametrize(("breaks", "mends"), [(full, roomy), (read_only, writable)], ids=["full", "read-only"])
def test_a_disk_that_refuses_is_a_503_and_the_same_event_counts_once_it_is_sent_again(
    box: WholeBox, breaks: Any, mends: Any
) -> None:
    on_the_writer(box, breaks)
    padding = {"stack": "s" * 4000, "title": "t" * 500, "properties": {"a": "x" * 9000}, "traits": {"a": "x" * 250}}

    def item(path: str, one: dict[str, Any]) -> dict[str, Any]:
        known = {"/errors": ("stack",), "/identify": ("traits",), "/vitals": (), "/engagement": ()}
        names = known.get(path, ("title", "properties"))
        return {**one, "eventId": "e" * 500 + path, **{name: padding[name] for name in names}}

    bodies = {
        path: [item(path, one) for one in body] if isinstance(body, list) else item(path, body)
        for path, body in BODIES.items()
    }
    refused = []
    for path, body in bodies.items():
        answer = send(box, path, body)
        if answer.status < 300:  # there was a little room left in the last pages
            continue
        refused.append(path)
        assert answer.status == 503, answer.body
        assert answer.json["retryable"] is True
        assert answer.json["code"] == answer.json["reason"] == "DELIVERY_UNAVAILABLE"
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.headers["x-analytics-box"] == "stored=0; reason=delivery_unavailable"
    assert len(refused) >= 5
    stored = total(box)
    on_the_writer(box, mends)
    box.run(jobs.look_at_disk(box.box))
    for path in refused:
        answer = send(box, path, bodies[path])
        assert (answer.status < 300, answer.headers["x-analytics-box"]) == (True, "stored=1"), path
    assert total(box) == stored + len([path for path in refused if path != "/identify"])


def test_events_dropped_during_a_disk_failure_are_counted_later(box: WholeBox) -> None:
    assert send(box, "/vitals", [7]).status == 400
    on_the_writer(box, read_only)
    box.run(_write_drops(box))
    assert send(box, "/vitals", [7]).status == 400
    on_the_writer(box, writable)
    listed = box.post("/websites/listDropped", {"websiteId": box.sites["shop"]}, key="all").json
    assert [(one["reason"], one["count"]) for one in listed["reasons"]] == [("invalid_schema", 2)]


async def _write_drops(box: WholeBox) -> None:
    await box.box.events.dropped.write()


async def _at_once(box: WholeBox, path: str, bodies: list[Any]) -> list[Answer]:
    """Requests whose handlers run at the same time."""
    return await asyncio.gather(*(box._exchange(_scope(box, path), json.dumps(body).encode()) for body in bodies))


def _scope(box: WholeBox, path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": f"client_id={box.sites['shop']}".encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"user-agent", BROWSER.encode()), (b"accept", b"*/*")],
        "client": ("203.0.113.7", 40_000),
        "server": ("localhost", 8000),
    }


@pytest.mark.parametrize("path", ["/track", "/", "/vitals", "/errors"])
def test_the_same_event_sent_many_times_at_once_counts_once(box: WholeBox, path: str) -> None:
    body = BODIES[path]
    body = [{**body[0], "eventId": "e"}] if isinstance(body, list) else {**body, "eventId": "e"}
    answers = box.run(_at_once(box, path, [body] * 20))
    assert {answer.status for answer in answers} == {200}
    said = Counter(answer.headers["x-analytics-box"] for answer in answers)
    assert said == {"stored=1": 1, "dropped=1; reason=duplicate": 19}
    assert total(box) == 1


def test_events_beyond_the_write_queue_are_refused_briefly(tmp_path: Path) -> None:
    def narrow(settings: Any) -> Any:
        return msgspec.structs.replace(unlimited(settings), write_queue=5)

    with whole_box(tmp_path / "data", adjust=narrow) as box:
        gate, entered = threading.Event(), threading.Event()

        def hold(_connection: apsw.Connection) -> None:
            entered.set()
            gate.wait(30)

        async def story() -> list[Answer]:
            held = asyncio.create_task(box.box.events.db.write(hold))
            await asyncio.to_thread(entered.wait, 30)
            requests = asyncio.create_task(
                _at_once(box, "/track", [{"name": f"event {number}"} for number in range(12)])
            )
            for _ in range(100):  # every handler runs until it waits for the disk, or is refused
                await asyncio.sleep(0)
            gate.set()
            await held
            return await requests

        answers = box.run(story())
        statuses = Counter(answer.status for answer in answers)
        assert statuses == {200: 5, 503: 7}
        for answer in answers:
            if answer.status == 503:
                assert answer.headers["retry-after"] == "1"
                assert answer.json["retryable"] is True
                assert answer.json["code"] == "DELIVERY_UNAVAILABLE"
        assert total(box) == 5
        assert send(box, "/track", {"name": "after"}).status == 200
