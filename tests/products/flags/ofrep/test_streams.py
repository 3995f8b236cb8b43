"""Who listens to a stream is told of each change of its flags, and costs little."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.products.flags import rows
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.ofrep.streams import FlagStreams
from analytics_box.products.flags.saving import save
from analytics_box.web import streams as module
from tests.cases import each
from tests.inprocess import whole_box
from tests.listening import Listener
from tests.products.flags.ofrep.world import BASE, ask, listen
from tests.products.flags.world import World


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    def few(settings: Settings) -> Settings:
        return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_flags=0, flag_streams_address=3)

    with whole_box(tmp_path_factory.mktemp("streams") / "data", adjust=few) as box:
        yield World(box)


@pytest.fixture(autouse=True)
def quick(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.box.box.parts[FlagStreams].open.pace, "pause", 0)


def uri(world: World, rest: str = BASE) -> str:
    """The address of the stream, as a bulk answer has it, below the client id."""
    (stream,) = ask(world, rest).json["eventStreams"]
    found: str = stream["endpoint"]["requestUri"]
    return found.removeprefix(f"/public/v1/flags/{world.shop}/")


async def change(world: World, flag: Flag, environment: str | None = None) -> None:
    """Store the flag once more."""
    parts = world.box.box.parts
    known = world.flags.find(flag.id)
    assert known is not None
    next_one = replace(known, version=known.version + 1, updated_at=parts.clock.now())
    await save(parts, flag.scope, lambda db: rows.FLAGS.update(db, next_one))


def closed(world: World, *listeners: Listener) -> None:
    """All have left; nothing of them is kept."""

    async def leave() -> None:
        for listener in listeners:
            listener.leave()
            await listener.ended()

    world.box.run(leave())
    assert len(world.box.box.parts[FlagStreams].open) == 0


def test_a_client_that_knows_the_flags_hears_only_of_changes(shared: World) -> None:
    flag = shared.put("heard")
    where = uri(shared)

    async def story() -> Listener:
        listener = listen(shared, where)
        await listener.until(lambda: listener.chunks)
        await asyncio.sleep(0)
        assert (listener.status, listener.events) == (200, [])
        await change(shared, flag)
        await listener.until(lambda: listener.events)
        return listener

    listener = shared.box.run(story())
    assert listener.headers["content-type"] == "text/event-stream"
    assert listener.headers["access-control-allow-origin"] == "*"
    (event,) = listener.events
    assert event["type"] == "refetchEvaluation"
    assert event["lastModified"] == shared.known().updated_at // 1000
    fresh = ask(shared, f"{BASE}?flagConfigEtag={event['etag']}&flagConfigLastModified={event['lastModified']}")
    assert fresh.json["metadata"]["flagConfigEtag"] == event["etag"] == event["id"]
    closed(shared, listener)


def test_reconnected_client_gets_missed_changes(shared: World) -> None:
    flag = shared.put("missed")
    where = uri(shared)

    async def story() -> list[Listener]:
        await change(shared, flag)
        late = listen(shared, where)  # of an answer before the change
        await late.until(lambda: late.events)
        again = listen(shared, where, last_event_id=late.events[0]["id"])
        await again.until(lambda: again.chunks)
        await asyncio.sleep(0)
        assert again.events == []
        nobody = listen(shared)  # says nothing of what it knows
        await nobody.until(lambda: nobody.events)
        return [late, again, nobody]

    closed(shared, *shared.box.run(story()))


def test_a_stream_ends_when_its_client_sends_a_body(shared: World) -> None:
    async def story() -> Listener:
        listener = listen(shared, body=b"x")
        await listener.ended()
        return listener

    closed(shared, shared.box.run(story()))


def test_changes_of_other_environments_are_not_told(shared: World) -> None:
    staging, plain = shared.put("stage", environment="staging"), shared.put("stage")
    where = uri(shared, f"{BASE}?environment=staging")
    assert "environment=staging" in where

    async def story() -> Listener:
        listener = listen(shared, where)
        await listener.until(lambda: listener.chunks)
        await change(shared, plain)
        await change(shared, staging)
        await listener.until(lambda: listener.events)
        return listener

    listener = shared.box.run(story())
    assert len(listener.events) == 1
    closed(shared, listener)


def test_silence_is_broken_by_comments_and_a_website_that_is_gone_ends_the_stream(
    shared: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = shared.box.box.parts[FlagStreams]
    pace = streams.open.pace
    monkeypatch.setattr(pace, "ping", 0.001)
    monkeypatch.setattr(pace, "look", 0.001)

    async def story() -> Listener:
        listener = listen(shared)
        await listener.until(lambda: listener.chunks.count(b":\n\n") > 2)
        monkeypatch.setattr(shared.flags, "client", lambda *_: None)
        await listener.ended()
        return listener

    assert shared.box.run(story()).chunks[-1] == b""
    assert len(streams.open) == 0


def test_an_address_has_so_many_streams_and_the_box_so_many(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = shared.box.box.parts[FlagStreams]

    async def story() -> list[Listener]:
        opened = [listen(shared) for _ in range(3)]
        for listener in opened:
            await listener.first()
        fourth = listen(shared)
        await fourth.ended()
        assert (fourth.status, fourth.headers["retry-after"]) == (429, "60")
        assert b"errorDetails" in fourth.chunks[0]
        other = listen(shared, address="203.0.113.8")
        await other.until(lambda: other.chunks)
        monkeypatch.setattr(streams.open, "most", 4)
        full = listen(shared, address="203.0.113.9")
        await full.ended()
        assert (full.status, full.headers["retry-after"]) == (503, "60")
        return [*opened, other]

    closed(shared, *shared.box.run(story()))


def test_a_client_that_takes_nothing_is_dropped(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.01)
    flag = shared.put("slow")

    async def story() -> None:
        listener = listen(shared)
        await listener.until(lambda: listener.events)
        listener.reads.clear()
        await change(shared, flag)
        await listener.ended()

    shared.box.run(story())
    assert len(shared.box.box.parts[FlagStreams].open) == 0


@each("breaks", [False, True])
def test_a_client_that_leaves_is_noticed_at_once(shared: World, breaks: bool) -> None:
    async def story() -> Listener:
        listener = listen(shared)
        await listener.first()
        listener.breaks = breaks
        return listener

    closed(shared, shared.box.run(story()))


def test_many_are_told_by_and_by(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = shared.box.box.parts[FlagStreams]
    monkeypatch.setitem(streams.open.most_of, "address", 1_000)
    flag = shared.put("many")
    turns = 0

    async def story() -> list[Listener]:
        nonlocal turns
        opened = [listen(shared) for _ in range(200)]
        for listener in opened:
            await listener.first()
        await change(shared, flag)
        while not all(len(listener.events) == 2 for listener in opened):
            told = sum(len(listener.events) == 2 for listener in opened)
            turns += 0 < told < 200  # others have their turn while only some have been told
            await asyncio.sleep(0)
        return opened

    closed(shared, *shared.box.run(story()))
    assert turns


def test_many_changes_in_a_row_wake_each_stream_once(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(shared.box.box.parts[FlagStreams].open.most_of, "address", 1_000)
    flags = [shared.put(f"stormy-{number}") for number in range(5)]

    async def story() -> list[Listener]:
        opened = [listen(shared) for _ in range(100)]
        for listener in opened:
            await listener.first()
        await asyncio.gather(*(change(shared, flag) for flag in flags))
        state = shared.box.box.parts[FlagStreams]._states.of(shared.known(), None)  # the last one
        for listener in opened:
            await listener.heard(state)
        return opened

    opened = shared.box.run(story())
    assert len(opened[-1].events) < 6
    closed(shared, *opened)


def test_a_stop_ends_all_streams_and_lets_no_new_one_in(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        world = World(box)

        async def story() -> Listener:
            listener = listen(world)
            await listener.until(lambda: listener.events)
            world.box.box.parts[FlagStreams].close()
            await listener.ended()
            late = listen(world)
            await late.ended()
            return late

        assert box.run(story()).status == 503


def test_request_data_is_freed_while_its_stream_lasts(shared: World) -> None:
    async def story() -> Listener:
        listener = listen(shared, f"ofrep/v1/streams?known={'x' * 10_000}", last_event_id="y" * 10_000)
        await listener.first()
        return listener

    listener = shared.box.run(story())
    assert "x" * 100 not in str(listener.scope)
    assert "y" * 100 not in str(listener.scope)
    closed(shared, listener)
    assert ask(shared, f"ofrep/v1/streams?environment={'x' * 65}", method="GET").status == 400


def test_without_streams_a_bulk_answer_names_none(shared: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.box.box.parts[FlagStreams].open, "most", 0)
    assert "eventStreams" not in ask(shared, BASE, {"context": {"plan": "none"}}).json


def test_a_head_request_gets_the_headers_alone(shared: World) -> None:
    answer = ask(shared, "ofrep/v1/streams", method="HEAD")
    assert (answer.status, answer.headers["content-type"], answer.body) == (200, "text/event-stream", b"")
