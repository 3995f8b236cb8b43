"""After a restart the live sessions are read back from the facts, as if the box had never stopped (semantics 10)."""

from pathlib import Path

import pytest
from msgspec import structs

from analytics_box.base.clock import MINUTE
from analytics_box.base.facts.event import PAGE_EXIT, Event
from analytics_box.ingest import recovery
from tests.ledgers import NOON, Stored, open_books, stored, view


def across_a_restart(path: Path, before: list[Event], after: list[Event], *, minute: float) -> list[Stored]:
    """What is stored when the box is closed after some events, opened so many minutes past noon, and gets others."""
    books = open_books(path)
    books.db.write_now(lambda connection: books.ledger.append(connection, before))
    books.db.close()
    books = open_books(path)
    now = NOON + round(minute * MINUTE)
    books.db.write_now(lambda connection: recovery.recover(connection, books.live, now))
    books.db.write_now(lambda connection: books.ledger.append(connection, after))
    rows = books.db.read_now(stored)
    books.db.close()
    return rows


@pytest.mark.parametrize(("minute", "goes_on"), [(1.0, True), (30.0, True), (30.001, False)])
def test_a_session_goes_on_for_30_minutes_over_a_restart(events_path: Path, minute: float, goes_on: bool) -> None:
    first, second = across_a_restart(events_path, [view("/a")], [view("/b", minute=minute)], minute=minute)
    assert (first.session == second.session) is goes_on
    assert (first.referrer == second.referrer) is goes_on, "a session keeps what its first event brought"
    assert second.session_started == (NOON if goes_on else NOON + round(minute * MINUTE))


def test_the_silence_counts_from_the_last_event_not_from_the_first(events_path: Path) -> None:
    before = [view("/a"), view("/b", minute=29), view("/c", minute=58)]
    rows = across_a_restart(events_path, before, [view("/d", minute=87)], minute=87)
    assert len({row.session for row in rows}) == 1


def test_visitors_are_not_mixed_up(events_path: Path) -> None:
    before = [view("/a", visitor=1), view("/b", visitor=2)]
    after = [view("/c", visitor=2, minute=1), view("/d", visitor=1, minute=2), view("/e", visitor=3, minute=3)]
    one, two, two_again, one_again, three = across_a_restart(events_path, before, after, minute=1)
    assert (one.session, two.session) == (one_again.session, two_again.session)
    assert len({one.session, two.session, three.session}) == 3


def test_a_session_that_the_client_named_goes_on_by_its_name(events_path: Path) -> None:
    named = structs.replace(view("/a"), client_session="mine")
    later = structs.replace(view("/b", minute=120, visitor=9), client_session="mine")
    other = structs.replace(view("/c", minute=120), client_session="other")
    first, second, third = across_a_restart(events_path, [named], [later, other], minute=120)
    assert first.session == second.session != third.session


def test_a_leave_beacon_finds_its_session_after_a_restart(events_path: Path) -> None:
    leave = structs.replace(view("/a", minute=5), kind=PAGE_EXIT, name="page_exit", engaged=300)
    first, second = across_a_restart(events_path, [view("/a")], [leave], minute=5)
    assert first.session == second.session != 0


@pytest.mark.parametrize(("minute", "goes_on"), [(1_440.0, True), (1_440.001, False)])
def test_a_session_lasts_24_hours_at_most(events_path: Path, minute: float, goes_on: bool) -> None:
    named = structs.replace(view("/a"), client_session="mine")
    later = structs.replace(view("/b", minute=minute), client_session="mine")
    first, second = across_a_restart(events_path, [named], [later], minute=minute)
    assert (first.session == second.session) is goes_on
