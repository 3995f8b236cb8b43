"""Requests whose events are written together leave what they would have left one after the other."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.facts.event import Event
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.migrations import migrate
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.ledger import FactBatch, Ledger
from analytics_box.ingest.live import LiveSessions
from analytics_box.ingest.repeats import EventIds
from tests.base.store.notes import Refusal
from tests.inprocess import FixedClock
from tests.ledgers import NOON, stored, view

Rows = list[tuple[Any, ...]]


class Kept:
    """A new events.db with all that a ledger has in memory."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(exist_ok=True)
        migrate(directory)
        strings, live, event_ids = Strings(), LiveSessions(), EventIds(FixedClock(NOON))
        self.db = Db(directory / schema.EVENTS_FILE, readers=1, durability="normal")
        self.db.attach(strings, live, event_ids)
        self.live, self.ledger = live, Ledger(strings, live, event_ids)

    def rows(self) -> Rows:
        """All that is stored, with texts instead of numbers, and sessions by their first row."""
        found: list[tuple[Any, ...]] = [tuple(row) for row in self.db.read_now(stored)]
        firsts: dict[int, int] = {}
        return [(*row[:3], firsts.setdefault(row[3], number), row[4]) for number, row in enumerate(found)]


def story(seed: int, events: int) -> list[Event]:
    """Page views of a few visitors in any order, some with the id of one before them."""
    random = Random(seed)
    found = [
        replace(
            view(f"/{random.randrange(9)}", minute=random.randrange(300), visitor=2 * random.randrange(1, 6)),
            event_id=f"{random.randrange(5 * events)}",
        )
        for _ in range(events)
    ]
    return [replace(one, yesterday=one.visitor + 100) for one in found]


def cut(facts: Sequence[Event], seed: int) -> list[list[Event]]:
    random, rest = Random(seed), list(facts)
    batches = []
    while rest:
        size = random.randint(1, 40)
        batches.append(rest[:size])
        rest = rest[size:]
    return batches


@pytest.mark.parametrize("seed", range(4))
def test_batches_written_together_leave_the_rows_that_they_leave_one_by_one(tmp_path: Path, seed: int) -> None:
    batches = cut(story(seed, 600), seed)
    alone, together = Kept(tmp_path / "alone"), Kept(tmp_path / "together")
    one_by_one = [alone.db.write_now(partial(alone.ledger.append, facts=facts)) for facts in batches]
    at_once = together.db.write_now(lambda db: together.ledger.append_all(db, [FactBatch(facts) for facts in batches]))
    assert at_once == one_by_one
    assert any(appended.repeats for appended in at_once)
    assert together.rows() == alone.rows()
    alone.db.close()
    together.db.close()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shortcut", ["go_on_at_end", "start_at_end"])
def test_shortcuts_for_the_end_of_visits_leave_the_rows_of_a_search(
    tmp_path: Path, seed: int, shortcut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = story(seed, 300)
    facts = [replace(one, yesterday=one.visitor) if number % 3 else one for number, one in enumerate(facts)]
    batches = [FactBatch(some) for some in cut(facts, seed)]
    usual, searching = Kept(tmp_path / "usual"), Kept(tmp_path / "searching")
    outcomes: list[bool] = []

    def noted(*signal: Any) -> Any:
        session = getattr(LiveSessions, shortcut)(usual.live, *signal)
        outcomes.append(session is not None)
        return session

    monkeypatch.setattr(usual.live, shortcut, noted)
    monkeypatch.setattr(searching.live, shortcut, lambda *_: None)
    answers = [kept.db.write_now(partial(kept.ledger.append_all, batches=batches)) for kept in (usual, searching)]
    assert answers[0] == answers[1]
    assert {True, False} == set(outcomes)
    assert usual.rows() == searching.rows()
    usual.db.close()
    searching.db.close()


def test_request_that_stores_nothing_new_needs_no_meter(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    meters: list[int] = []
    batches = [FactBatch([view("/a"), view("/a", minute=1)], meter=lambda: meters.append(1)) for _ in range(2)]
    kept.db.write_now(lambda db: kept.ledger.append_all(db, batches))
    assert len(meters) == 1
    kept.db.close()


def test_an_event_that_two_requests_bring_at_once_is_the_firsts(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    first, second = (replace(view(path), event_id="same") for path in ("/first", "/second"))
    appended = kept.db.write_now(lambda db: kept.ledger.append_all(db, [FactBatch([first]), FactBatch([second])]))
    assert [each.repeats for each in appended] == [[], [second]]
    assert [row[0] for row in kept.rows()] == ["/first"]
    kept.db.close()


def test_events_that_were_refused_together_may_come_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    batches = [FactBatch([replace(view(path), event_id=path)]) for path in ("/a", "/b")]

    def refused(db: Connection) -> None:
        kept.ledger.append_all(db, batches)
        raise Refusal

    with pytest.raises(Refusal):
        kept.db.write_now(refused)
    assert not kept.rows()
    appended = kept.db.write_now(lambda db: kept.ledger.append_all(db, batches))
    assert not any(each.repeats for each in appended)
    assert [row[0] for row in kept.rows()] == ["/a", "/b"]
    kept.db.close()


def test_of_many_batches_few_events_wait_in_memory(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    waiting: list[int] = []

    def write(db: Connection) -> None:
        def stored_so_far() -> None:
            (count,) = db.execute("select count(*) from stored_events").fetchall()[0]
            waiting.append(len(waiting) * 100 - int(str(count)))

        facts = [replace(view(f"/{number}", visitor=2 + 2 * number), properties="{}") for number in range(100)]
        kept.ledger.append_all(db, [FactBatch(facts, meter=stored_so_far) for _ in range(20)])

    kept.db.write_now(write)
    assert len(waiting) == 20
    assert max(waiting) < 500
    kept.db.close()
