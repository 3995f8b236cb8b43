"""Answers from roll-ups are those of the rows: whatever happens to the facts, to the file of the roll-ups, and while a
question is answered."""

import contextlib
import logging
import os
import signal
import threading
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from unittest.mock import patch

import apsw
import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.facts.event import Event
from analytics_box.base.store.db import Connection
from analytics_box.query import engines, rollups
from analytics_box.query.engines import columns, day_batches, day_rollups, duckdb, rollups_file, rollups_state, sqlite
from analytics_box.query.engines.counting import no_limit
from analytics_box.query.engines.day_rollups import DayRollups
from analytics_box.query.engines.medians import median as median_of_parts
from analytics_box.query.engines.rollups_file import FILE_NAME, RollupsFile, forget_rollups, open_rollups
from analytics_box.query.engines.rollups_state import RollupsState, TouchedDays
from analytics_box.query.engines.sql import open_days, rolling
from analytics_box.query.filters import ConditionGroup, FilterCondition
from analytics_box.query.plan import PlanOrder, QueryPlan
from analytics_box.query.rollups import BY_DIMENSION, OF_EVENTS, ROLLS, STARTS, TIME, Cut, spans_of
from analytics_box.query.statements import PlanStep, write_statements
from tests.base.store.test_damage import spoil
from tests.query.facts_of_all_kinds import page_view
from tests.query.test_rollups import NOON, World, local, plan_of, some_plans
from tests.query.world import from_rows


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, 1)
    yield made
    made.close()


@pytest.fixture
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two and four days are rolled up together."""
    monkeypatch.setattr(rollups, "SPANS", (4, 2))
    monkeypatch.setattr(rollups_file, "SPANS", (4, 2))


ALL = [plan_of(roll, start=NOON - 3 * DAY, end=NOON + 4 * DAY) for roll in ROLLS]


@pytest.mark.usefixtures("short_spans")
def test_every_roll_up_answers_as_its_rows_do(world: World) -> None:
    world.tell(250)
    world.maintain()
    assert not world.days(rolled=False)
    alone = [
        replace(plan, sites=(1,), start=plan.start + days * DAY) for plan in ALL for days in (0, 1)
    ]  # days together are read of one website
    assert world.assert_alike([*ALL, *alone, *some_plans(world.chance, 8)]) > 2 * len(ROLLS)
    read = {key for plan in alone for key in _cut(world, plan).keys}
    assert {key >> 24 for key in read} == {0, 2, 4}


def _cut(world: World, plan: QueryPlan) -> Cut:
    def work(db: Connection) -> Cut | None:
        with sqlite.open_cut(db, plan, world.rollups) as cut:
            return cut

    return world.db.read_now(work) or Cut(TIME, 0, 0, (), ())


STEPS = ("tell", "late", "remove", "remove day", "move", "newest", "roll", "reopen", "rebuild", "cut short")


@pytest.mark.usefixtures("short_spans")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_roll_ups_answer_as_rows_do(tmp_path: Path, seed: int) -> None:
    world = World(tmp_path, seed)
    try:
        world.tell(80)
        world.maintain()
        for step in world.chance.sample(STEPS, 6):
            _do(world, step)
            world.assert_alike(some_plans(world.chance, 2))
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert not world.days(rolled=False)
        world.assert_alike(some_plans(world.chance, 4))
    finally:
        world.close()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_roll_ups_of_an_open_day_answer_as_its_events_do(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_days, "FEWEST", 1)
    monkeypatch.setattr(rollups_file, "BEGIN_AGAIN", 0)
    monkeypatch.setattr(rollups_file, "BEGIN_SHARE", 0)
    world = World(tmp_path, seed, now=NOON + 4 * (seed % 6) * HOUR)
    try:
        for _ in range(8):
            world.tell(20)
        world.maintain()
        assert _read_open_days(world) == 0  # nothing asked for them
        world.maintain()
        assert _read_open_days(world) > 0
        world.tell(5)
        _read_open_days(world)
        for step in world.chance.sample((*STEPS[:-1], "cut open day short"), 7):
            _do(world, step)
            _read_open_days(world)
            world.maintain()
            world.tell(1)
            _read_open_days(world)
        world.clock.advance(seconds=5 * DAY / 1000)
        world.maintain()
        assert not world.days(rolled=False)
        assert _read_open_days(world) == 0
        for table in ("open_days", "open_ids", "open_seen", "open_slots", "open_sessions"):
            assert not world.rollups._connection.execute(f"select * from {table}").fetchall()
    finally:
        world.close()


def test_new_events_of_an_open_day_are_found_by_id_without_statistics_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_days, "FEWEST", 1)
    world = World(tmp_path, 1, now=NOON + 8 * HOUR)
    try:
        for _ in range(8):
            world.tell(20)
        world.maintain()
        _read_open_days(world)
        world.maintain()
        db = world.rollups._connection
        state = rollups_state.state_of(db)
        world.tell(5)
        seen: list[tuple[str, Any]] = []

        def note(_: object, statement: str, values: Any) -> bool:
            seen.append((statement, values))
            return True

        with db:  # Temporary tables exist by now.
            db.exec_trace = note
            open_days.add(db, state.last, state.last + 5)
            db.exec_trace = None
        assert not db.execute("select 1 from sqlite_master where name = 'sqlite_stat1'").fetchall()
        plans = [
            str(row[3])
            for statement, values in seen
            if "stored_events" in statement
            for row in db.execute(f"explain query plan {statement}", values)
            if "stored_events" in str(row[3]) or " fact " in str(row[3])
        ]
        assert len(plans) == 3
        assert {"rowid>" in plan for plan in plans} == {True}, plans
    finally:
        world.close()


def _read_open_days(world: World) -> int:
    """Compare plans of one website with rows. Return the number of those that read roll-ups of open days."""
    days = [plan_of(roll, **local("UTC", -3, 6)) for roll in ROLLS]
    plans = [replace(plan, sites=(1,)) for plan in [*days, *some_plans(world.chance, 12)]]
    world.assert_alike(plans)
    return sum(bool(_cut(world, plan).open) for plan in plans)


def _do(world: World, step: str) -> None:
    match step:
        case "tell":
            world.tell(10)
        case "late":
            world.tell(1)
        case "remove":
            world.write("delete from stored_events where id % 5 = ?", world.chance.randrange(5))
        case "remove day":
            day = utc_day(NOON) + world.chance.randint(-1, 2)
            world.write("delete from stored_events where time / 86400000 = ?", day)
        case "move":  # sessions begin elsewhere, as they do when something earlier arrives
            moved = world.chance.randrange(4)
            world.write("update stored_events set since_start = since_start + 7200000 where session % 4 = ?", moved)
        case "newest":  # their ids come again
            world.write("delete from stored_events where id > (select max(id) - 9 from stored_events)")
            world.tell(world.chance.choice((1, 20)))
        case "roll":
            world.clock.advance(seconds=HOUR / 1000)
            world.maintain()
        case "reopen":
            world.reopen()
            world.maintain()
        case "rebuild":
            world.close()
            (world.directory / FILE_NAME).unlink()
            world.open()
            world.maintain()
        case "cut open day short":
            world.write("delete from stored_events where id % 7 = ?", world.chance.randrange(7))
            begin = open_days.begin
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(open_days, "begin", lambda *given: _stop(begin(*given)))
                with contextlib.suppress(KeyboardInterrupt):  # no day may be open then
                    world.rollups.advance(world.clock.now())
        case _:  # a batch that ends before it is written
            world.tell(5)
            world.clock.advance(seconds=HOUR / 1000)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(day_batches, "_complete", _stop)
                with pytest.raises(KeyboardInterrupt):
                    world.rollups.advance(world.clock.now())


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


ACROSS = "time / 86400000 <> (time - since_start) / 86400000 and session <> 0"


@pytest.mark.parametrize(
    "change",
    [
        f"delete from stored_events where {ACROSS}",  # of sessions that began on another day
        "update stored_events set since_start = since_start + 86400000"
        " where session <> 0 and time / 86400000 = 20621 and (time - since_start) / 86400000 = 20621",
    ],
)
def test_the_days_on_which_sessions_began_and_begin_are_not_rolled_up_any_more(world: World, change: str) -> None:
    for _ in range(4):
        world.tell(40)
    world.maintain()
    before = world.db.read_now(lambda db: sqlite.run_plan(db, OF_DAYS[1]))
    world.write(change)
    assert world.db.read_now(lambda db: sqlite.run_plan(db, OF_DAYS[1])) != before
    world.assert_alike(OF_DAYS)
    world.maintain()
    world.assert_alike(OF_DAYS)


OF_DAYS = [plan_of(roll, **local("UTC", -3, 7, "day")) for roll in (TIME, STARTS)]


@pytest.mark.parametrize("moment", ["state_of", "newest", ""])
def test_a_question_sees_one_moment_whatever_is_rolled_up_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    for _ in range(3):
        world.tell(30)
    world.maintain()
    world.write("delete from stored_events where id % 3 = 0")

    def happen() -> None:
        monkeypatch.undo()
        world.tell(5)
        world.write("delete from stored_events where id % 5 = 0")
        world.clock.advance(seconds=HOUR / 1000)
        while world.rollups.advance(world.clock.now()):
            pass
        assert not world.days(rolled=False)
        world.write("delete from changes")  # the roll-ups have them

    def work(db: Connection) -> None:
        if moment:
            own = getattr(rollups_file, moment)

            def late(db: Connection) -> object:
                happen()
                return own(db)

            monkeypatch.setattr(rollups_file, moment, late)
        with sqlite.open_cut(db, OF_DAYS[0], world.rollups) as cut:
            if not moment:
                happen()
            parted, whole = sqlite.render(OF_DAYS[0], cut), sqlite.render(OF_DAYS[0])
            found = db.execute(parted.sql, parted.values).fetchall()
            assert found == db.execute(whole.sql, whole.values).fetchall()

    world.db.read_now(work)


def test_a_box_that_is_killed_while_it_rolls_up_has_true_roll_ups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 before every 90th statement."""
    monkeypatch.setattr(day_batches, "MOST_EVENTS", 20)  # in many batches
    world = World(tmp_path, 5)
    for _ in range(4):
        world.tell(20)
    world.write("delete from stored_events where id % 7 = 0")
    plans = ALL[:5] + ALL[-2:]
    expected = world.db.read_now(lambda db: [sqlite.run_plan(db, plan) for plan in plans])
    world.close()
    file, events, now = tmp_path / FILE_NAME, tmp_path / "events.db", NOON + 30 * DAY
    deaths, seen = 0, set()
    while _killed(file, events, now, before=1 + 90 * deaths):
        deaths += 1
        kept, db = open_rollups(file, events), apsw.Connection(str(events))
        assert [sqlite.run_plan(db, plan, rollups=kept) for plan in plans] == expected
        seen |= set(db.execute("select count(*) from days where rolled").fetchall())
        db.close()
        kept.close()
        forget_rollups(file)
    assert deaths > 4
    assert len(seen) > 1  # before and after a batch was written


def test_a_box_that_is_killed_after_days_changed_has_true_medians(tmp_path: Path) -> None:
    """kill -9 before every 6th statement."""
    world = World(tmp_path, 3)
    plan = replace(plan_of(STARTS, **local("UTC", -3, 7, "day")), sites=(1,), order=())
    world.tell(200)
    world.maintain()
    before = world.runner.run(world.engines.rows(plan, seconds=30))
    world.maintain()  # writes the medians
    kept = _known(world, plan)
    world.write("delete from stored_events where id % 3 = 0 and time / 86400000 = ?", utc_day(NOON))
    expected = world.db.read_now(lambda db: sqlite.run_plan(db, plan))
    assert expected != before
    world.close()
    file, events, now = tmp_path / FILE_NAME, tmp_path / "events.db", NOON + 31 * DAY
    rolled_up, deaths, known = file.read_bytes(), 0, set()
    while _killed(file, events, now, before=1 + 6 * deaths):
        deaths += 1
        again, db = open_rollups(file, events), apsw.Connection(str(events))
        with sqlite.open_cut(db, plan, again) as cut:
            assert sqlite.run_rendered(db, plan, sqlite.render(plan, cut), no_limit, 60) == expected
            known.add(0 if cut is None else len(cut.medians))
        db.close()
        again.close()
        forget_rollups(file)
        file.write_bytes(rolled_up)
    assert deaths > 4
    assert 0 < max(known) < kept


def test_a_box_that_is_killed_while_it_adds_new_events_to_an_open_day_has_true_roll_ups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 before every 8th statement."""
    monkeypatch.setattr(open_days, "FEWEST", 1)
    world = World(tmp_path, 2, now=NOON + 8 * HOUR)
    for _ in range(6):
        world.tell(30)
    for _ in range(2):  # what questions ask for is kept then
        world.maintain()
        assert (_read_open_days(world) > 0) == bool(open_days.kept_rolls(world.rollups._connection))
    world.close()
    before = (tmp_path / FILE_NAME).read_bytes()
    world.open()
    world.tell(60)
    plans = [replace(plan_of(roll, **local("UTC", -3, 6)), sites=(1,)) for roll in ROLLS]
    expected = world.db.read_now(lambda db: [sqlite.run_plan(db, plan) for plan in plans])
    world.close()
    file, events, deaths = tmp_path / FILE_NAME, tmp_path / "events.db", 0
    forget_rollups(file)
    file.write_bytes(before)
    while _killed(file, events, world.clock.now(), before=1 + 8 * deaths):
        deaths += 1
        again, db = open_rollups(file, events), apsw.Connection(str(events))
        assert open_days.kept_rolls(again._connection)
        assert [sqlite.run_plan(db, plan, rollups=again) for plan in plans] == expected
        db.close()
        again.close()
        forget_rollups(file)
        file.write_bytes(before)
    assert deaths > 4


def test_new_events_change_the_roll_ups_of_an_open_day_and_are_read_once(tmp_path: Path) -> None:
    world = World(tmp_path, 1, now=NOON + 8 * HOUR)
    plan = replace(plan_of(OF_EVENTS[1], **local("UTC", 0, 1)), sites=(1,))
    try:
        with patch.object(open_days, "FEWEST", 1):
            for _ in range(8):
                world.tell(20)
            for _ in range(2):
                world.maintain()
                world.assert_alike([plan])
            assert _cut(world, plan).open
            for _ in range(5):
                world.tell(9)
                assert world.assert_alike([plan]) == 1
                with patch.object(open_days, "begin", side_effect=AssertionError):
                    world.maintain()
                assert world.rollups.behind
                world.assert_alike([plan])
                assert not world.rollups.behind
    finally:
        world.close()


def test_roll_ups_of_an_open_day_are_kept_as_long_as_questions_ask_for_them(tmp_path: Path) -> None:
    world = World(tmp_path, 2, now=NOON + 2 * HOUR)
    plan = replace(plan_of(OF_EVENTS[1], **local("UTC", 0, 1)), sites=(1,))
    try:
        with patch.object(open_days, "FEWEST", 1):
            for _ in range(8):
                world.tell(20)
            world.maintain()
            world.assert_alike([plan])
            world.maintain()
            kept = open_days.kept_rolls(world.rollups._connection)
            assert {roll.roll for roll in kept} == {"source"}
            for _ in range(3):
                world.clock.advance(seconds=HOUR / 2000)
                world.assert_alike([plan])
                world.maintain()
                assert open_days.kept_rolls(world.rollups._connection) == kept
            world.clock.advance(seconds=HOUR / 1000)
            world.maintain()
            assert not open_days.kept_rolls(world.rollups._connection)
            world.assert_alike([plan])
    finally:
        world.close()


def _killed(file: Path, events: Path, now: int, *, before: int) -> bool:
    """Whether a process that rolls up everything was killed before so many statements."""
    child = os.fork()
    if child == 0:
        try:
            kept = open_rollups(file, events)
            left = before

            def count(*_: object) -> bool:
                nonlocal left
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
                return True

            kept._connection.exec_trace = count
            while kept.advance(now):
                pass
        finally:
            os._exit(3 if kept.advance(now) else 0)
    _, status = os.waitpid(child, 0)
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def test_medians_of_local_days_are_found_once_and_again_when_their_days_change(tmp_path: Path) -> None:
    world = World(tmp_path, 6)
    plan = replace(plan_of(STARTS, **local("Asia/Kolkata", -3, 7, "day")), sites=(1,), order=())
    try:
        world.tell(200)
        world.maintain()
        assert _known(world, plan) == 0
        found = world.runner.run(world.engines.rows(plan, seconds=30))
        assert _known(world, plan) == len(found) > 2
        world.maintain()  # writes them
        world.reopen()
        world.maintain()
        assert _known(world, plan) == len(found)
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == found
        day = utc_day(NOON)
        world.write("update stored_events set since_start = 0 where time / 86400000 = ?", day)
        assert 0 < _known(world, plan) < len(found)
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert not world.days(rolled=False)
        assert 0 < _known(world, plan) < len(found)
        world.assert_alike([plan])
    finally:
        world.close()


def test_a_median_is_not_kept_whose_day_was_rolled_up_again_meanwhile(tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    plan = replace(plan_of(STARTS, **local("UTC", -3, 7, "day")), sites=(1,), order=())
    try:
        world.tell(200)
        world.maintain()
        world.runner.run(world.engines.rows(plan, seconds=30))  # found, and not written yet
        world.write("delete from stored_events where id % 3 = 0")
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert not world.days(rolled=False)
        assert _known(world, plan) == 0
        assert not world.rollups._connection.execute("select 1 from medians").fetchall()
        world.assert_alike([plan])
    finally:
        world.close()


def _known(world: World, plan: QueryPlan) -> int:
    def work(db: Connection) -> int:
        with sqlite.open_cut(db, plan, world.rollups) as cut:
            return 0 if cut is None else len(cut.medians)

    return world.db.read_now(work)


@pytest.mark.parametrize("visits", [1, 2, 3, 40, 401])
def test_medians_of_days_that_are_rolled_up_are_those_of_all_their_sessions(tmp_path: Path, visits: int) -> None:
    """Of sessions as short as a click and as long as half an hour, of most durations several or many of nearly one, few
    or half of them of none; also where a day is not rolled up."""
    world = World(tmp_path, visits)
    try:
        told = [fact for at_once in (0.1, 0.45) for fact in _visits(world.chance, visits, at_once)]
        world.db.write_now(lambda db: world.ledger.append(db, told))
        world.maintain()
        plans = [
            replace(plan_of(STARTS, **local(zone, -1, 3, unit)), sites=sites, measures=measures)
            for zone in ("UTC", "Asia/Kolkata", "America/Havana")
            for unit in (None, "day", "week")
            for sites in ((1,), (1, 2))
            for measures in (("sessions", "median_duration"), ("median_duration",))
        ]
        plans = [replace(plan, order=(PlanOrder(plan.measures[0]),)) for plan in plans]
        assert world.assert_alike(plans) == len(plans)
        world.write("update stored_events set scroll = scroll where time / 86400000 = ?", utc_day(NOON))
        assert world.assert_alike(plans) == len(plans)
    finally:
        world.close()


def _visits(chance: Random, number: int, at_once: float) -> Iterator[Event]:
    """Visits of two pages each by new visitors, this share of them within one instant. The more there are at once, the
    later they come."""
    edges = [0, 1, 999, 1_000, 1_001, *(round(1_000 * 2 ** (half / 2)) for half in range(1, 12))]
    for visitor in range(1, number + 1):
        begins = NOON + (DAY if at_once > 0.2 else 0) + chance.randint(-DAY, 0)
        some = (chance.choice(edges), chance.randint(0, 25 * MINUTE), chance.randint(8_100, 11_200))
        lasts = chance.choice(some) if chance.random() > at_once else 0
        for time in (begins, begins + lasts):
            yield page_view(1 + visitor % 2, time, "/", (visitor << 5) + (16 if at_once > 0.2 else 0))


def test_a_question_does_without_roll_ups_that_are_far_behind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.tell(60)
    world.maintain()
    monkeypatch.setattr(rollups_file, "FAR", 2)
    assert world.assert_alike(ALL) == len(ROLLS)
    world.tell(60)
    assert not world.assert_alike(ALL)
    monkeypatch.setattr(rollups_file, "PIECE", 20)  # in many steps
    world.maintain()
    assert world.assert_alike(ALL) == len(ROLLS)


def test_unprofitable_rollups_are_not_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rolling, "ALWAYS_PAYS", 9)
    monkeypatch.setattr(rolling, "PAYS", 10)
    monkeypatch.setattr(rollups, "SPANS", (4, 2))
    monkeypatch.setattr(rollups_file, "SPANS", (4, 2))
    world.tell(200)
    world.maintain()
    left_out = {roll for (roll,) in world.rollups._connection.execute("select roll from not_rolled").fetchall()}
    assert left_out
    assert left_out < {roll.name for roll in BY_DIMENSION}
    for roll in left_out:
        lacking = world.rollups._connection.execute(
            "select site, day from not_rolled where roll = ?", (roll,)
        ).fetchall()
        kept = world.rollups._connection.execute(f"select distinct site, day from rolled_{roll}").fetchall()
        assert not {(site, day) for site, key in kept for day in rollups.days_in(int(str(key)))} & {*lacking}, roll
    world.assert_alike([*ALL, *(replace(plan, sites=(1,)) for plan in ALL)])


def test_questions_of_a_page_look_at_what_is_new_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.tell(60)
    world.maintain()
    world.tell(30)
    looks: list[tuple[object, object]] = []
    own = rollups_state.touched_days

    def noted(db: Connection, since: RollupsState, until: RollupsState) -> TouchedDays:
        looks.append((since, until))
        return own(db, since, until)

    monkeypatch.setattr(rollups_file, "touched_days", noted)
    world.assert_alike(ALL)
    assert len(looks) == 1
    world.tell(1)
    world.assert_alike(ALL)
    assert len(looks) == 2
    assert looks[1][0] == looks[0][1]
    world.write("delete from stored_events where id > (select max(id) - 9 from stored_events)")
    world.assert_alike(ALL)
    assert looks[2][0] == looks[0][0]


def test_days_are_rolled_up_while_a_replica_is_being_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_BESIDE_SECONDS", 0.01)
    world = World(tmp_path, 1, columnar="on")
    opened, rolled_meanwhile = columns.open_replica, threading.Event()
    roll, rolls = DayRollups.roll, []

    async def noted(self: DayRollups) -> None:
        await roll(self)
        rolls.append(1)
        if len(rolls) > 1:
            rolled_meanwhile.set()

    def open_late(*given: Any, **more: Any) -> Any:
        assert rolled_meanwhile.wait(30)
        return opened(*given, **more)

    monkeypatch.setattr(DayRollups, "roll", noted)
    monkeypatch.setattr(columns, "open_replica", open_late)
    try:
        world.tell(60)
        world.maintain()
        assert world.engines.name == "duckdb"
        assert not world.days(rolled=False)
    finally:
        world.close()


def test_changes_are_kept_until_the_roll_ups_have_them(world: World) -> None:
    def changes(db: Connection) -> Sequence[object]:
        return db.execute("select id from changes").fetchall()

    world.tell(60)
    world.write("delete from stored_events where id % 5 = 0")
    world.maintain()
    assert not world.db.read_now(changes)
    world.write("delete from stored_events where id % 5 = 1")
    assert world.db.read_now(changes)
    world.assert_alike(ALL)


@pytest.mark.parametrize("harm", ["bytes", "table", "other facts", "earlier facts", "missed changes"])
def test_rollups_of_other_facts_are_rebuilt(tmp_path: Path, harm: str) -> None:
    world = World(tmp_path, 4)
    file, events = tmp_path / FILE_NAME, tmp_path / "events.db"
    try:
        world.tell(40)
        world.db.close()
        before = events.read_bytes()
        world.open()
        world.tell(60)
        world.maintain()
        if harm == "missed changes":
            world.write("delete from stored_events where id % 5 = 0")
            world.write("delete from changes")
        elif harm == "other facts":
            world.write("drop trigger events_update")
            world.write("update stored_events set time = time - 86400000")
        world.close()
        match harm:
            case "bytes":
                file.write_bytes(b"no database" * 1_000)
            case "table":
                db = apsw.Connection(str(file))
                db.execute("drop table rolled_country")
                db.execute("update rolled_state set shape = ''")
                db.close()
            case "earlier facts":
                events.write_bytes(before)
        world.open()
        if harm == "earlier facts":
            world.tell(10)
        world.maintain()
        assert world.assert_alike([*ALL, *OF_DAYS]) == len(ROLLS) + 2
    finally:
        world.close()


def test_rollups_damaged_at_run_time_are_rebuilt(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.tell(60)
    world.maintain()
    plan = ALL[0]
    expected = world.runner.run(world.engines.rows(plan, seconds=30))
    world.rollups._connection.execute("drop table rolled_time")
    with caplog.at_level(logging.ERROR):
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == expected
    assert "Rebuilding" in caplog.text
    world.maintain()
    assert not (world.directory / FILE_NAME).exists()
    world.clock.advance(seconds=60)
    world.maintain()
    assert world.assert_alike(ALL) == len(ROLLS)
    assert world.runner.run(world.engines.rows(plan, seconds=30)) == expected


def test_statement_that_sqlite_refuses_leaves_the_roll_ups(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.tell(60)
    world.maintain()
    condition = FilterCondition("country", "is", ("DE",), negated=False)
    refused = replace(ALL[0], where=(ConditionGroup(any=True, items=(condition,) * 1_100),))
    with caplog.at_level(logging.INFO), pytest.raises(apsw.SQLError, match="too large"):
        world.runner.run(world.engines.rows(refused, seconds=30))
    world.maintain()
    assert "Rebuilding" not in caplog.text
    assert (world.directory / FILE_NAME).exists()
    assert world.assert_alike([ALL[0]]) == 1


def test_a_box_with_a_replica_answers_from_roll_ups_whatever_they_cover(tmp_path: Path) -> None:
    world = World(tmp_path, 1, columnar="on")
    try:
        world.tell(90)
        world.maintain()
        assert world.engines.name == "duckdb"
        for plan in ALL:
            choice = world.engines.choice(plan)
            assert (choice.engine, "Roll-ups" in choice.why) == ("sqlite", True), plan
            assert "rolled_" in choice.statement.sql
        filtered = replace(ALL[0], where=(FilterCondition("country", "is", ("DE",), negated=False),))
        choice = world.engines.choice(filtered)
        assert (choice.engine, "column replica" in choice.why) == ("duckdb", True)
        with patch.object(duckdb, "run_plan", side_effect=AssertionError):
            found = [world.runner.run(world.engines.rows(plan, seconds=30)) for plan in ALL]
        assert found == [world.db.read_now(partial(sqlite.run_plan, plan=plan)) for plan in ALL]
    finally:
        world.close()


def test_a_replica_answers_for_days_with_many_events_that_are_not_rolled_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollups, "FEW_READ", 20)
    world = World(tmp_path, 1, columnar="on")
    plan = ALL[0]
    try:
        world.tell(40)
        world.maintain()
        assert world.engines.choice(plan).engine == "sqlite"
        world.write("update stored_events set scroll = scroll")
        assert world.engines.choice(plan).engine == "duckdb"
        expected = world.db.read_now(partial(sqlite.run_plan, plan=plan))
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == expected
        world.maintain()
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert world.engines.choice(plan).engine == "sqlite"
        assert world.runner.run(world.engines.rows(plan, seconds=30)) == expected
    finally:
        world.close()


def test_a_broken_file_leaves_questions_to_the_replica(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    world = World(tmp_path, 1, columnar="on")
    try:
        world.tell(40)
        world.maintain()
        expected = world.runner.run(world.engines.rows(ALL[0], seconds=30))
        world.rollups._connection.execute("drop table rolled_time")
        with patch.object(duckdb, "run_plan", side_effect=duckdb.run_plan) as asked:
            assert world.runner.run(world.engines.rows(ALL[0], seconds=30)) == expected
        assert asked.called
        assert "Rebuilding" in caplog.text
    finally:
        world.close()


def test_compiled_query_names_its_parts(tmp_path: Path) -> None:
    world = World(tmp_path, 3, now=NOON)
    try:
        world.tell(90)
        world.maintain()
        plan = plan_of(BY_DIMENSION[0], **local("Europe/Berlin", -2, 3))
        step = (PlanStep(plan),)
        (statement,) = write_statements("top_pages", step, step, world.engines).statements
        assert [(one.from_[:16], one.until[:16], one.read) for one in statement.parts] == [
            ("2026-06-13 22:00", "2026-06-14 00:00", "rows"),
            ("2026-06-14 00:00", "2026-06-16 00:00", "rollups"),
            ("2026-06-16 00:00", "2026-06-16 22:00", "rows"),
        ]
        assert "rolled_path" in statement.sql
        assert (statement.engine, "Roll-ups" in statement.why) == ("sqlite", True)
        with from_rows():
            (statement,) = write_statements("top_pages", step, step, world.engines).statements
        assert not statement.parts
        assert (statement.engine, "No column replica" in statement.why) == ("sqlite", True)
    finally:
        world.close()


def test_days_are_rolled_up_once_they_are_over(tmp_path: Path) -> None:
    world = World(tmp_path, 3, now=NOON)
    try:
        world.tell(90)
        world.maintain()
        today = utc_day(world.clock.now())
        assert min(world.days(rolled=False)) == today
        assert max(world.days(rolled=True)) == today - 1
    finally:
        world.close()


def test_spans_of_days_stand_for_whole_ones_only() -> None:
    spans = [rollups.span(*one) for one in spans_of(64)]
    plan = plan_of(BY_DIMENSION[0], start=40 * DAY, end=130 * DAY)
    for unrolled, expected in ((), {*range(40, 64), spans[0], 128, 129}), ((90,), {spans[1], *range(40, 64)}):
        cut = rollups.cut(plan, BY_DIMENSION[0], unrolled, spans)
        assert cut is not None
        assert set(cut.keys) >= expected
        assert set(unrolled).isdisjoint(cut.keys)
    assert cut is not None
    assert len(cut.keys) == len(set(cut.keys)) == 24 + 1 + 49


@pytest.mark.parametrize("number", [0, 1, 2, 900, 5_001, 9_000])
def test_medians_of_parts_are_those_of_all_numbers(number: int) -> None:
    chance = Random(number)
    parts: list[list[int]] = [[] for _ in range(chance.choice((1, 5, 97)))]
    numbers = [chance.choice((0, chance.randrange(90_000), chance.randrange(9))) for _ in range(number)]
    for one in numbers:
        chance.choice(parts).append(one)
    found = median_of_parts([array("I", sorted(part)) for part in parts])
    assert found == (median(numbers) if numbers else None)
    crooked = [array("I", sorted(numbers[: number // 2])), array("I", sorted(numbers[number // 2 :]))]
    assert median_of_parts(crooked) == found


def test_a_disk_that_refuses_roll_ups_does_not_fill_with_changes_for_them(tmp_path: Path) -> None:
    world = World(tmp_path, seed=1)

    def refuses(_rollups: RollupsFile, _now: int, _db: Connection) -> bool:
        raise RuntimeError("no room")

    def changes() -> int:
        return len(world.db.read_now(lambda db: db.execute("select id from changes").fetchall()))

    try:
        with patch.object(day_rollups, "_advance_file", refuses):
            world.maintain()
            for _ in range(2):
                world.write("insert into changes (source, row, of_site, day, began) values ('events', 1, 1, 1, 1)")
                world.clock.advance(seconds=4_000)
                world.maintain()
                assert changes()
            world.maintain()
            assert not changes()
    finally:
        world.close()


def test_damaged_roll_ups_are_rebuilt_and_leave_events_sound(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.tell(60)
    world.maintain()
    expected = world.db.read_now(lambda db: sqlite.run_plan(db, ALL[0]))
    spoil(world.directory / FILE_NAME)
    with caplog.at_level(logging.ERROR):
        assert world.runner.run(world.engines.rows(ALL[0], seconds=30)) == expected
    assert "Rebuilding" in caplog.text
    assert not world.db.damage.reason
    world.maintain()
    world.clock.advance(seconds=3_600)
    world.maintain()
    assert world.assert_alike([ALL[0]]) == 1
