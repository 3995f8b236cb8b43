"""While ClickHouse takes a shipment the box reads the next one; whatever happens before that is sent, each row is there
once, and as it is in events.db."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from analytics_box.base.facts.layout import stored_table
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.clickhouse import following, shipping
from analytics_box.query.engines.clickhouse.server import Away
from analytics_box.query.engines.clickhouse.shipping import Position, Shipment
from tests.query.clickhouse.fake import Killed
from tests.query.clickhouse.test_shipping import World
from tests.query.clickhouse.world import reached

EVENTS = stored_table("events")
PATIENCE = 30  # seconds until a test is sure that something does not come


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("facts"))
    with reached(made.server), patch.object(shipping, "PIECE", 5):
        yield made
    made.close()


@pytest.fixture
def facts(made: World) -> World:
    """All that there was is there, and more has come that takes several shipments."""
    made.reset(0, faulty=0)
    made.visit()
    made.settle()
    made.visit()
    return made


@contextmanager
def before_it_goes(happen: Callable[[Shipment], None]) -> Iterator[list[Shipment]]:
    """Let something happen once between the reading ahead of a shipment with events and its sending; what was sent of
    all shipments."""
    step, sent = following.Following._step, list[Shipment]()

    async def stepped(self: following.Following, ahead: Shipment | None) -> following.ShipmentResult:
        if ahead is not None:
            if not sent and any(part.table.name == "events" for part in ahead.parts):
                happen(ahead)
            sent.append(ahead)
        return await step(self, ahead)

    with patch.object(following.Following, "_step", stepped):
        yield sent


def ids(shipment: Shipment) -> tuple[int, int]:
    """The events of a shipment: above the first id, up to the second."""
    return shipment.sending.rows["events"]


def test_the_next_shipment_is_read_while_clickhouse_takes_one_and_no_more(facts: World) -> None:
    read, insert, next_shipment = threading.Semaphore(0), facts.server.insert, shipping.next_shipment
    at_once: list[bool] = []

    def reads(*given: Any, **named: Any) -> Shipment | None:
        found = next_shipment(*given, **named)
        read.release()
        return found

    def takes(table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        if not at_once:
            at_once.extend(
                (read.acquire(timeout=PATIENCE), read.acquire(timeout=PATIENCE), read.acquire(blocking=False))
            )
        insert(table, columns, lines, token)

    with patch.object(facts.server, "insert", takes), patch.object(shipping, "next_shipment", reads):
        facts.try_to_follow()
    assert at_once == [True, True, False], "this one, the next one, and none behind it"
    facts.assert_arrived()


@pytest.mark.parametrize(
    "change",
    [
        f"update {EVENTS} set session = session + 7 where id > ? and id <= ?",
        f"delete from {EVENTS} where id > ? and id <= ?",
        f"delete from {EVENTS} where id > ? + 1 and id < ?",
    ],
)
def test_rows_that_change_between_reading_and_sending_arrive_as_they_are(facts: World, change: str) -> None:
    with before_it_goes(lambda ahead: facts.write(change, *ids(ahead))) as sent:
        facts.try_to_follow()
    assert sent
    facts.assert_arrived()
    assert facts.far.ready


def test_ids_that_come_again_between_reading_and_sending_are_those_of_the_new_rows(facts: World) -> None:
    def again(ahead: Shipment) -> None:
        facts.write(f"delete from {EVENTS} where id > ?", ids(ahead)[0])
        facts.visit()

    with before_it_goes(again) as sent:
        facts.try_to_follow()
    assert sent
    facts.assert_arrived()


def test_rows_after_the_last_read_shipment_are_sent(facts: World) -> None:
    next_shipment, write, last = shipping.next_shipment, shipping.write_position, list[Shipment]()

    def reads(db: Connection, position: Position, **named: Any) -> Shipment | None:
        found = next_shipment(db, position, **named)
        if found is not None and not found.more and not last:
            last.append(found)
        return found

    def comes(directory: Path, position: Position) -> None:
        write(directory, position)
        if len(last) == 1 and position.sending is None:
            facts.visit()
            last.append(last[0])

    with (
        patch.object(shipping, "PIECE", 20),
        patch.object(shipping, "next_shipment", reads),
        patch.object(shipping, "write_position", comes),
    ):
        facts.try_to_follow()
        facts.try_to_follow()
    assert len(last) == 2
    facts.assert_arrived()


@pytest.mark.parametrize("fault", ["lost", "refused", "late", "killed", "died"])
@pytest.mark.parametrize("changes", [False, True])
def test_a_shipment_that_goes_wrong_takes_nothing_with_it_that_was_read_behind_it(
    facts: World, fault: str, changes: bool
) -> None:
    insert, failed = facts.server.insert, list[str]()

    def fails(table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        if table == "events" and not failed:
            failed.append(token)
            with patch.object(facts.server, "_fault", lambda: fault):
                insert(table, columns, lines, token)
        insert(table, columns, lines, token)

    with patch.object(facts.server, "insert", fails):
        facts.try_to_follow()
    assert failed
    if changes:
        newest = facts.db.read_now(lambda db: db.execute("select max(id) from events").fetchall())[0][0]
        facts.write(f"delete from {EVENTS} where id > ?", int(str(newest)) - 4)
        facts.visit()
    facts.settle()
    facts.assert_arrived()


@pytest.mark.parametrize("what", ["sends", "arrived"])
@pytest.mark.parametrize("written", [False, True])
def test_a_box_that_ends_with_a_shipment_read_ahead_sends_it_as_it_is_then(
    facts: World, what: str, written: bool
) -> None:
    write, ahead = shipping.write_position, list[Shipment]()

    def ends(directory: Path, position: Position) -> None:
        is_it = ahead and (position.sending is not None) == (what == "sends")
        if not is_it or written:
            write(directory, position)
        if is_it:
            ahead.clear()
            raise Killed

    with before_it_goes(ahead.append), patch.object(shipping, "write_position", ends):
        facts.try_to_follow()
    assert not ahead, "it was killed"
    facts.write(f"update {EVENTS} set session = session + 7 where id % 2")
    facts.write(f"delete from {EVENTS} where id > (select max(id) - 3 from {EVENTS})")
    facts.visit()
    facts.settle()
    facts.assert_arrived()


def test_a_shipment_that_cannot_be_read_ahead_is_read_when_it_is_its_turn(facts: World) -> None:
    next_shipment, failed = shipping.next_shipment, list[int]()

    def fails(db: Connection, position: Position, **named: Any) -> Shipment | None:
        known = shipping.read_position(facts.directory)
        if known is not None and known.number < position.number:
            failed.append(position.number)
            raise Away("read ahead")
        return next_shipment(db, position, **named)

    with patch.object(shipping, "next_shipment", fails):
        facts.try_to_follow()
    assert failed
    assert facts.far.ready
    facts.assert_arrived()
