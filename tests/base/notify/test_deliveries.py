"""The outbox: what is put into it arrives, in order, once; what fails is tried again and given up in the end."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.app.box import open_box
from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND
from analytics_box.base.notify import deliveries
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.receivers import REPLACED
from analytics_box.base.notify.rules import LIFETIME, OUTAGE, WAITS, ReceiverBackoff, after_failure
from tests.base.outgoing.places import plain
from tests.tenants.configuration.world import World, world_in


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        yield found


def put(here: World, topic: str, title: str = "Down", only: list[str] | None = None) -> int:
    return here.tell(topic, title, only)


def run(here: World) -> int:
    """Work off what is due; how many requests that made."""
    before = here.web.connections
    here.box.run(here.box.box.deliveries.run())
    return here.web.connections - before


def later(here: World, milliseconds: int) -> int:
    here.box.clock.advance(seconds=milliseconds / 1000)
    return run(here)


def states(here: World) -> list[tuple[Any, bool, Any]]:
    """Attempts, whether it still waits, and the error of each delivery."""
    found = here.box.box.box_db.read_now(
        lambda db: db.execute("select attempts, due_at is not null, error from deliveries order by number").fetchall()
    )
    return [(attempts, bool(waiting), error) for attempts, waiting, error in found]


def titles(here: World) -> list[str]:
    return [request.partition(b'"title":"')[2].partition(b'"')[0].decode() for request in here.web.heard]


def test_a_message_reaches_every_channel_that_is_on(here: World) -> None:
    one, two = here.channel("One")["channel"]["id"], here.channel("Two")["channel"]["id"]
    off = here.channel("Off")["channel"]["id"]
    here.call("ada", "config.updateChannel", channelId=off, enabled=False)
    assert put(here, "incident 1") == 2
    assert put(here, "incident 2", only=[two, off]) == 1
    assert run(here) == 3
    listed = {channel["id"]: channel for channel in here.call("ada", "config.listChannels")}
    assert listed[one]["lastResult"]["success"] is listed[two]["lastResult"]["success"] is True
    assert listed[off]["lastResult"] is None
    assert run(here) == 0


def test_nothing_is_told_twice(here: World) -> None:
    here.channel()
    put(here, "incident 1")
    assert run(here) == 1
    put(here, "incident 1")
    assert run(here) == 0
    put(here, "incident 2")
    assert run(here) == 1


def test_failed_message_is_retried_with_longer_waits_under_the_same_id(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "503 Busy")
    put(here, "incident 1")
    assert run(here) == 1
    assert here.call("ada", "config.listChannels")[0]["waiting"] == 1
    for pause in WAITS:
        assert later(here, pause - SECOND) == 0
        assert later(here, SECOND) == 1
    for _ in range(LIFETIME // WAITS[-1]):
        later(here, WAITS[-1])
    ((_, is_waiting, error),) = states(here)
    assert (is_waiting, error) == (False, "The server responds with 503 Service Unavailable")
    assert later(here, DAY) == 0
    ids = {line for request in here.web.heard for line in request.split(b"\r\n") if line.startswith(b"webhook-id")}
    assert len(ids) == 1
    stamps = {line for request in here.web.heard for line in request.split(b"\r\n") if line.startswith(b"webhook-time")}
    assert len(stamps) == len(here.web.heard)


def test_message_arrives_when_the_receiver_is_back(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "500 Broken")
    put(here, "incident 1")
    run(here)
    here.web.reply = lambda _: plain(b"", "204 No Content")
    assert later(here, WAITS[0]) == 1
    assert states(here) == [(2, False, "")]
    listed = here.call("ada", "config.listChannels")[0]
    assert (listed["waiting"], listed["lastResult"]["success"]) == (0, True)


def test_messages_of_one_channel_keep_their_order(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "500 Broken")
    put(here, "1 down", "Down")
    run(here)
    here.web.reply = lambda _: plain()
    put(here, "1 up", "Up")
    assert run(here) == 0  # the first one waits, and the second for it
    assert later(here, WAITS[0]) == 2
    assert titles(here) == ["Down", "Down", "Up"]


@pytest.mark.parametrize("status", ["400 Bad", "401 No", "403 No", "404 Gone", "410 Gone", "301 Moved"])
def test_permanent_failure_is_given_up_immediately(here: World, status: str) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", status, "Location: http://127.0.0.1/")
    put(here, "incident 1")
    assert run(here) == 1
    assert states(here)[0][1] is False
    assert later(here, DAY) == 0


def test_the_other_side_may_ask_for_a_longer_wait_but_not_for_ever(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "429 Slow", "Retry-After: 120")
    put(here, "incident 1")
    run(here)
    assert later(here, 2 * MINUTE - SECOND) == 0
    here.web.reply = lambda _: plain(b"", "429 Slow", "Retry-After: 999999")
    assert later(here, SECOND) == 1
    assert later(here, HOUR) == 1


def test_waits_grow_with_failures_in_a_row_and_end_after_a_day_of_them() -> None:
    for failures, expected in enumerate((*WAITS, WAITS[-1])):
        assert after_failure(ReceiverBackoff(failures, 0), 5, created_at=0).again_at == 5 + expected
    assert after_failure(ReceiverBackoff(), 5, created_at=0, asked=30).again_at == 5 + 30 * SECOND
    assert after_failure(ReceiverBackoff(9, 0), LIFETIME - 1, created_at=0).again_at == LIFETIME - 1 + WAITS[-1]
    assert after_failure(ReceiverBackoff(9, 0), LIFETIME, created_at=0).is_expired
    assert not after_failure(ReceiverBackoff(9, 0), LIFETIME, created_at=1).is_expired, (
        "a later message has its own day"
    )
    assert not after_failure(ReceiverBackoff(), 9 * LIFETIME, created_at=0).is_expired, "so has one that is tried again"


def failing_for(here: World, milliseconds: int) -> None:
    """A message fails, and its channel fails from then on for so long."""
    here.web.reply = lambda _: plain(b"", "500 Broken")
    put(here, "the first", "First")
    run(here)
    for _ in range(milliseconds // HOUR):
        later(here, HOUR)


def test_new_message_after_an_outage_arrives_at_once_behind_older_ones(here: World) -> None:
    here.channel()
    failing_for(here, 5 * HOUR)
    here.web.heard.clear()
    later(here, MINUTE)
    here.web.reply = lambda _: plain()
    put(here, "the second", "Second")
    assert run(here) == 2
    assert titles(here) == ["First", "Second"]
    assert [waiting for _, waiting, _ in states(here)] == [False, False]


def test_new_messages_cause_at_most_one_attempt_a_minute(here: World) -> None:
    here.channel()
    failing_for(here, 5 * HOUR)
    later(here, MINUTE)
    attempts = 0
    for number in range(60):
        put(here, f"number {number}", f"No. {number}")
        attempts += later(here, SECOND)
    assert attempts == 1


def test_new_message_does_not_shorten_the_wait_that_the_other_side_asked_for(here: World) -> None:
    here.channel()
    here.web.reply = lambda _: plain(b"", "429 Slow", "Retry-After: 600")
    put(here, "the first")
    run(here)
    assert later(here, 2 * MINUTE) == 0
    put(here, "the second")
    assert run(here) == 0
    assert later(here, 8 * MINUTE) == 1


def test_older_state_of_the_same_subject_is_replaced_in_a_long_outage(here: World) -> None:
    here.channel()
    failing_for(here, HOUR)
    for title, subject in (("Shop down", "shop"), ("Api down", "api"), ("Shop up", "shop"), ("Note", "")):
        here.tell(title, title, subject=subject)
    here.web.reply = lambda _: plain()
    here.web.heard.clear()
    later(here, HOUR)
    assert titles(here) == ["First", "Api down", "Shop up", "Note"]
    assert (0, False, REPLACED) in states(here)


def test_no_state_is_replaced_in_a_short_outage(here: World) -> None:
    here.channel()
    failing_for(here, 0)
    here.box.clock.advance(seconds=(OUTAGE - 1) / 1000)
    here.web.reply = lambda _: plain()
    here.web.heard.clear()
    here.tell("Shop down", "Shop down", subject="shop")
    here.tell("Shop up", "Shop up", subject="shop")
    run(here)
    assert titles(here) == ["First", "Shop down", "Shop up"]


def test_states_from_the_beginning_of_an_outage_are_replaced_when_it_ends(here: World) -> None:
    here.channel()
    failing_for(here, 0)
    for title, subject in (("Shop down", "shop"), ("Api down", "api"), ("Shop up", "shop"), ("Note", ""), ("Tip", "")):
        here.tell(title, title, subject=subject)
    here.web.reply = lambda _: plain()
    here.web.heard.clear()
    later(here, OUTAGE)
    assert titles(here) == ["First", "Api down", "Shop up", "Note", "Tip"]


def test_messages_as_old_as_an_expired_one_are_given_up_with_it_and_newer_ones_are_not(here: World) -> None:
    here.channel()
    failing_for(here, 0)
    put(here, "as old")
    later(here, 20 * HOUR)
    put(here, "newer")
    for _ in range(5):
        later(here, HOUR)
    assert [waiting for _, waiting, _ in states(here)] == [False, False, True]


def test_channel_that_leads_elsewhere_is_tried_right_away(here: World) -> None:
    channel_id = here.channel()["channel"]["id"]
    failing_for(here, 3 * HOUR)
    here.web.reply = lambda _: plain()
    here.call("ada", "config.updateChannel", channelId=channel_id, config={"url": f"{here.hook}/new"})
    assert run(here) == 1


def test_a_channel_that_is_switched_off_or_deleted_gets_nothing_more(here: World) -> None:
    off, gone = here.channel("Off")["channel"]["id"], here.channel("Gone")["channel"]["id"]
    here.web.reply = lambda _: plain(b"", "500 Broken")
    put(here, "incident 1")
    assert run(here) == 2
    here.call("ada", "config.updateChannel", channelId=off, enabled=False)
    here.call("ada", "config.deleteChannel", channelId=gone)
    assert later(here, DAY) == 0
    assert states(here) == [(1, False, "The channel was disabled")]


def test_waiting_messages_survive_a_restart(here: World) -> None:
    here.channel()
    put(here, "incident 1")
    settings = here.box.box.settings
    here.box.box.close()
    here.box.box = open_box(settings, here.box.clock)
    assert run(here) == 1
    assert titles(here) == ["Down"]


def test_old_ones_are_forgotten(here: World) -> None:
    here.channel()
    put(here, "incident 1")
    run(here)
    here.box.clock.advance(seconds=29 * 86_400)
    here.box.run(here.box.box.deliveries.sweep())
    assert len(states(here)) == 1
    here.box.clock.advance(seconds=2 * 86_400)
    here.box.run(here.box.box.deliveries.sweep())
    assert states(here) == []


def test_a_deleted_organization_is_told_nothing(here: World) -> None:
    here.channel()
    put(here, "incident 1")
    here.box.box.box_db.write_now(
        lambda db: (
            db.execute(
                "update organizations set deleted_at = ? where id = ?", (here.box.clock.now(), here.box.organization_id)
            )
            and None
        )
    )
    assert run(here) == 0


def test_soon_works_it_off_beside_the_caller(here: World) -> None:
    here.channel()
    put(here, "incident 1")

    async def tell() -> None:
        arrived = asyncio.Event()

        def reply(_: bytes) -> bytes:
            arrived.set()
            return plain()

        here.web.reply = reply
        here.box.box.deliveries.soon()
        await arrived.wait()
        await here.box.box.deliveries.stop(5)

    here.box.run(tell())
    assert states(here) == [(1, False, "")]  # what was being sent was finished, and written down
    put(here, "incident 2")
    assert run(here) == 0  # it was told to stop


def test_slow_receiver_does_not_delay_others(here: World) -> None:
    slow, quick = here.channel("Slow", url=f"{here.hook}/slow")["channel"]["id"], here.channel("Quick")["channel"]["id"]
    put(here, "incident 1", only=[slow])
    arrived: list[str] = []

    async def tell() -> None:
        begun, second = asyncio.Event(), asyncio.Event()
        release = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if "/slow" in head:
                begun.set()
                await release.wait()
            arrived.append(head.split(" ")[1])
            second.set()
            writer.write(plain())
            await writer.drain()
            writer.close()

        here.web.serve = serve  # type: ignore[method-assign]  # the server calls it by name
        working = asyncio.ensure_future(here.box.box.deliveries.run())
        await begun.wait()
        now = here.box.clock.now()
        message = Message(type="monitor.down", title="Down", text="x", at=now)
        await here.box.box.box_db.write(
            lambda db: deliveries.queue_deliveries(
                db, here.box.organization_id, message, topic="incident 2", now=now, only=[quick, slow]
            )
        )
        here.box.box.deliveries.soon()
        await second.wait()
        release.set()
        await working

    here.box.run(tell())
    assert arrived[0].endswith("very-secret")
    assert [path.rpartition("/")[2] for path in arrived[1:]] == ["slow", "slow"]


def test_a_disk_that_refuses_ends_the_round_and_the_next_one_goes_on(here: World) -> None:
    here.channel()
    put(here, "incident 1")
    here.box.box.box_db.write_now(
        lambda db: (
            db.execute("create trigger broken before update on deliveries begin select raise(abort, 'no'); end")
            and None
        )
    )
    with pytest.raises(Exception, match="no"):
        run(here)
    assert here.web.connections == 1
    here.box.box.box_db.write_now(lambda db: db.execute("drop trigger broken") and None)
    assert run(here) == 1
    assert states(here) == [(1, False, "")]
