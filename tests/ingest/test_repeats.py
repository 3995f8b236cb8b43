"""A client that got no answer sends again; the event counts once, over restarts too."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.ingest import repeats
from analytics_box.ingest.repeats import EventIds
from tests.base.store.notes import Refusal
from tests.inprocess import FixedClock
from tests.migrated import migrated

NOON = 1_780_000_000_000  # UTC ms


class Shelf:
    """An events.db with its event ids, which can be closed and opened again."""

    def __init__(self, directory: Path) -> None:
        migrated(directory)
        self.clock = FixedClock(NOON)
        self._path = directory / schema.EVENTS_FILE
        self.open()

    def open(self) -> None:
        self.ids = EventIds(self.clock)
        self.db = Db(self._path, readers=1, durability="normal")
        self.db.attach(self.ids)
        self.db.write_now(self.ids.recover)

    def again(self) -> None:
        """Close and open, as a restart does."""
        self.db.close()
        self.open()

    def is_repeat(self, event_id: str, *, site: int = 1, kind: str = "events") -> bool:
        return self.are_repeats([(kind, site, event_id)])[0]

    def are_repeats(self, named: list[repeats.Named]) -> list[bool]:
        return self.db.write_now(lambda db: self.ids.are_repeats(db, named))

    def tidy(self) -> None:
        async def both() -> None:
            await repeats.sort_in(self.db, self.ids)
            await repeats.forget(self.db, self.clock.now())

        asyncio.run(both())

    def stored(self) -> int:
        def count(db: Connection) -> int:
            rows = db.execute("select (select count(*) from event_ids) + (select count(*) from event_ids_new)")
            return int(str(rows.fetchall()[0][0]))

        return self.db.read_now(count)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    opened = Shelf(tmp_path)
    yield opened
    opened.db.close()


def test_the_second_event_with_an_id_is_a_repeat(shelf: Shelf) -> None:
    assert not shelf.is_repeat("a")
    assert shelf.is_repeat("a")


def test_of_several_with_an_id_at_once_the_first_is_none(shelf: Shelf) -> None:
    shelf.is_repeat("known")
    named = [("events", 1, event_id) for event_id in ("a", "known", "a", "b")]
    assert shelf.are_repeats(named) == [False, True, True, False]
    shelf.tidy()
    assert shelf.are_repeats(named) == [True, True, True, True]


def test_the_same_id_on_another_site_or_of_another_kind_is_not_a_repeat(shelf: Shelf) -> None:
    shelf.is_repeat("a")
    assert not shelf.is_repeat("a", site=2)
    assert not shelf.is_repeat("a", kind="vitals")


@pytest.mark.parametrize("sorted_in", [False, True])
def test_an_id_is_remembered_over_a_restart(shelf: Shelf, *, sorted_in: bool) -> None:
    shelf.is_repeat("a")
    if sorted_in:
        shelf.tidy()
        assert len(shelf.ids) == 0
    shelf.again()
    assert shelf.is_repeat("a")
    assert not shelf.is_repeat("b")


@pytest.mark.parametrize(("event_id", "life"), [("a", DAY), ("exit_a", 2 * DAY)])
@pytest.mark.parametrize("sorted_in", [False, True])
def test_an_id_is_remembered_for_a_day_and_that_of_a_leave_beacon_for_two(
    shelf: Shelf, event_id: str, life: int, *, sorted_in: bool
) -> None:
    shelf.is_repeat(event_id)
    if sorted_in:
        shelf.tidy()
    shelf.clock.advance(seconds=life / 1000 - 0.001)
    assert shelf.is_repeat(event_id)
    shelf.clock.advance(seconds=0.001)
    assert not shelf.is_repeat(event_id)
    assert shelf.is_repeat(event_id), "it counts from anew"


def test_an_id_of_a_write_that_was_rolled_back_may_come_again(shelf: Shelf) -> None:
    class Refusal(Exception):
        pass

    def refused(db: Connection) -> None:
        shelf.ids.are_repeats(db, [("events", 1, "lost")])
        raise Refusal

    shelf.is_repeat("kept")
    with pytest.raises(Refusal):
        shelf.db.write_now(refused)
    assert shelf.is_repeat("kept")
    assert not shelf.is_repeat("lost")


def test_number_of_remembered_ids_stays_correct(shelf: Shelf) -> None:
    def refused(db: Connection) -> None:
        shelf.ids.are_repeats(db, [("events", 1, "lost"), ("events", 1, "a")])
        shelf.ids.fold(db, 0)
        raise Refusal

    for event_id in ("a", "b", "a"):
        shelf.is_repeat(event_id)
    assert len(shelf.ids) == 2
    with pytest.raises(Refusal):
        shelf.db.write_now(refused)
    assert len(shelf.ids) == 2
    shelf.clock.advance(seconds=2 * DAY / 1000)
    assert not shelf.is_repeat("a"), "it counts from anew"
    assert len(shelf.ids) == 2
    shelf.again()
    assert len(shelf.ids) == 2
    shelf.tidy()
    assert len(shelf.ids) == 0


def test_a_sorting_that_is_rolled_back_forgets_nothing(shelf: Shelf) -> None:
    class Refusal(Exception):
        pass

    def refused(db: Connection) -> None:
        shelf.ids.fold(db, 0)
        raise Refusal

    shelf.is_repeat("a")
    with pytest.raises(Refusal):
        shelf.db.write_now(refused)
    assert len(shelf.ids) == 1
    assert shelf.is_repeat("a")


@pytest.mark.parametrize("pieces", [0, 1, 2])
def test_a_sorting_that_ends_halfway_forgets_nothing(
    shelf: Shelf, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "PIECE", 10)
    for number in range(100):
        shelf.is_repeat(f"before {number}")
    following = 0
    for _ in range(pieces):
        following = shelf.db.write_now(partial(shelf.ids.fold, first=following))
    shelf.again()
    assert all(shelf.is_repeat(f"before {number}") for number in range(100))
    shelf.tidy()
    assert shelf.stored() == 100
    assert len(shelf.ids) == 0
    assert all(shelf.is_repeat(f"before {number}") for number in range(100))


def test_ids_whose_time_is_over_leave_the_file(shelf: Shelf) -> None:
    for number in range(300):
        shelf.is_repeat(f"old {number}")
    shelf.clock.advance(seconds=12 * 3600)
    shelf.is_repeat("new")
    shelf.tidy()
    assert shelf.stored() == 301
    shelf.clock.advance(seconds=12 * 3600)
    shelf.tidy()
    assert shelf.stored() == 1
    assert shelf.is_repeat("new")


def test_of_many_new_ids_few_stay_in_memory_and_all_are_known(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "CAPACITY", 100)
    written = [[("events", 1, f"{turn}-{number}") for number in range(20)] for turn in range(30)]
    most = 0
    for named in written:
        assert not any(shelf.are_repeats(named))
        most = max(most, len(shelf.ids))
    assert 100 < most <= 140
    assert all(all(shelf.are_repeats(named)) for named in written)
    shelf.again()
    assert all(all(shelf.are_repeats(named)) for named in written)
    shelf.tidy()
    assert all(all(shelf.are_repeats(named)) for named in written)


def test_ids_that_were_sorted_in_by_a_write_that_failed_are_not_lost(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "CAPACITY", 3)
    before = [("events", 1, f"before {number}") for number in range(5)]
    assert not any(shelf.are_repeats(before))

    def fail(db: Connection) -> None:
        shelf.ids.are_repeats(db, [("events", 1, "failed")])
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        shelf.db.write_now(fail)
    assert all(shelf.are_repeats(before))
    assert not shelf.is_repeat("failed")
