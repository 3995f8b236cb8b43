"""Answers from roll-ups are those of the rows: whatever is asked, whatever happens to the facts, and whenever."""

import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from duckdb import OutOfMemoryException
from msgspec.structs import replace

from analytics_box.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.facts.event import CUSTOM, Event
from analytics_box.query import ranges, rollups
from analytics_box.query.engines import columns, duckdb, sqlite
from analytics_box.query.engines import rolling as of_the_replica
from analytics_box.query.engines.columns import Replica
from analytics_box.query.engines.counting import Row
from analytics_box.query.engines.sql import durations, rolling
from analytics_box.query.filters import Condition, Group
from analytics_box.query.plan import BUCKET, Having, Order, Plan, runs_of
from analytics_box.query.ranges import Days, Granularity
from analytics_box.query.rollups import (
    BY_DIMENSION,
    FIRST_SPAN,
    OF_EVENTS,
    OF_SESSIONS,
    ROLLS,
    STARTS,
    TIME,
    Part,
    Roll,
)
from analytics_box.query.statements import Step, written
from analytics_box.store.db import Connection
from tests.examples import is_thorough
from tests.inprocess import FixedClock
from tests.query import replica
from tests.query.facts_of_all_kinds import page_view
from tests.query.stories import PLACES, Teller
from tests.query.world import from_rows

NOON = 20_620 * DAY + 12 * HOUR  # of a Tuesday
FEW = {"path", "source", "region_country", "browser_browser_version"}


def local(zone: str, first: int, days: int, unit: Granularity | None = None) -> dict[str, Any]:
    """The start, the end and the buckets of so many local days, the first of them so many days from NOON."""
    tz = ZoneInfo(zone)
    today = ranges.today(NOON + first * DAY, tz)
    window = ranges.window(Days(today, type(today).fromordinal(today.toordinal() + days - 1)), tz, unit)
    runs = runs_of(window) if unit else ()
    return {"start": window.start, "end": window.end, "runs": runs}


def plan_of(roll: Roll, **given: Any) -> Plan:
    """All that a roll-up knows, as a plan of two websites."""
    measures = tuple(sorted(roll.measures))
    group = (BUCKET,) if given.get("runs") else roll.group
    order = (Order(measures[0]),)
    return Plan(roll.source, (1, 2), measures=measures, group=group, kinds=roll.kinds, order=order, **given)


# Which plans are cut


@pytest.mark.parametrize("roll", ROLLS, ids=[roll.name for roll in ROLLS])
def test_a_plan_finds_its_roll_up(roll: Roll) -> None:
    plan = plan_of(roll, start=0, end=DAY)
    assert rollups.roll_of(plan) is roll
    for other in (
        replace(plan, bots=True),
        replace(plan, timed=(1, 9)),
        replace(plan, kinds=(CUSTOM,)),
        replace(plan, measures=(*plan.measures, "first")),
        replace(plan, group=(*plan.group, "language", "screen")),
        replace(plan, where=(Condition("visitor", "set", (), negated=False),)),
        replace(plan, present=("title",)),
    ):
        assert rollups.roll_of(other) is None


def test_conditions_on_a_roll_ups_own_dimensions_are_its_own() -> None:
    source = next(roll for roll in ROLLS if roll.name == "source")
    own = Condition("source", "is", ("Direct",), negated=True)
    plan = plan_of(source, start=0, end=DAY, where=(Group(True, (own, own)),), present=("source",))
    assert rollups.roll_of(plan) is source
    assert rollups.roll_of(replace(plan, where=(own, Condition("country", "is", ("",), negated=False)))) is None
    entries = next(roll for roll in ROLLS if roll.name == "entries")
    any_page = Condition("path", "is", ("/",), negated=False)  # of a session's pages, not of its entry
    assert rollups.roll_of(plan_of(entries, start=0, end=DAY, where=(any_page,))) is None


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        (local("UTC", 0, 3, "day"), True),
        (local("Europe/Berlin", 0, 3, "day"), True),
        (local("Asia/Kathmandu", 0, 40, "week"), True),
        (local("Australia/Lord_Howe", -80, 40, "month"), True),
        (local("America/Havana", 0, 300, "day"), True),
        (local("America/Havana", 0, 1), True),
        (local("UTC", 0, 2, "hour"), False),
        (local("Africa/Monrovia", -20_000, 3, "day"), False),  # 44 minutes and 30 seconds then
        ({"start": NOON, "end": NOON + 5 * MINUTE}, False),
        ({"start": NOON, "end": NOON + HOUR}, False),
        ({"start": NOON, "end": NOON + DAY}, True),
    ],
)
def test_days_are_put_together_of_the_ends_and_beginnings_of_utc_days(given: dict[str, Any], fits: bool) -> None:
    for roll in (TIME, STARTS):
        assert (rollups.roll_of(plan_of(roll, **given)) is roll) is fits


@pytest.mark.parametrize(
    ("start", "end", "unrolled", "pieces"),
    [
        (0, 3 * DAY, [], ()),
        (0, 3 * DAY, [7], ()),
        (0, 3 * DAY, [1], ((DAY, 2 * DAY),)),
        (5, 3 * DAY + 5, [], ((5, DAY), (3 * DAY, 3 * DAY + 5))),
        (5, 3 * DAY + 5, [1], ((5, 2 * DAY), (3 * DAY, 3 * DAY + 5))),
        (5, 5 * DAY + 5, [3, 4], ((5, DAY), (3 * DAY, 5 * DAY + 5))),
        (5, DAY, [], None),
        (5, DAY + 5, [], None),
        (0, 3 * DAY, [0, 1, 2], None),
        (0, 90 * DAY, range(0, 34, 2), None),
    ],
)
def test_a_plan_is_cut_at_whole_days(start: int, end: int, unrolled: Any, pieces: Any) -> None:
    plan = plan_of(BY_DIMENSION[0], start=start, end=end)
    made = rollups.cut(plan, BY_DIMENSION[0], unrolled)
    assert (made and made.pieces) == pieces
    if made is not None:
        found = rollups.parts(plan, made)
        assert (found[0].start, found[-1].end) == (start, end)
        assert all(one.end == other.start for one, other in pairwise(found))
        assert tuple((part.start, part.end) for part in found if part.read == "rows") == pieces


def test_the_time_of_day_is_cut_at_days_without_a_roll_up_only() -> None:
    plan = plan_of(TIME, start=HOUR, end=3 * DAY + HOUR)
    made = rollups.cut(plan, TIME, [3])
    assert made is not None
    assert rollups.parts(plan, made) == (
        Part(HOUR, 3 * DAY, "rollups"),
        Part(3 * DAY, 3 * DAY + HOUR, "rows"),
    )


# That both are the same


class World(replica.World):
    """Facts of a few days around NOON, of two websites: lasting ids and daily ones, sessions across midnight."""

    def __init__(self, directory: Path, seed: int, now: int = NOON + 30 * DAY, **given: Any) -> None:
        super().__init__(directory, FixedClock(now), **given)
        self.chance = Random(seed)
        self.tellers = [Teller(seed + day, (1, 2, 3), NOON + (day - 1) * DAY, NOON) for day in range(4)]

    def tell(self, number: int) -> None:
        """So many facts of one of the days."""
        facts = self.chance.choice(self.tellers).facts(number)
        self.db.write_now(lambda db: self.ledger.append(db, facts))

    @property
    def replica(self) -> Replica:
        found = self.engines._columns.opened
        assert found is not None
        return found

    def tend(self) -> None:
        """Bring the replica up to date, and roll up nothing."""

        async def tend() -> None:
            await self.engines._one_tending()

        self.runner.run(tend())

    def days(self, *, rolled: bool) -> list[int]:
        """The days that are rolled up, or not."""
        found = self.replica.connection.execute("select day from days where rolled = $1 and day < 1 << 24", [rolled])
        return [day for (day,) in found.fetchall()]

    def rows_of(self, table: str) -> list[Row]:
        """All that the replica has in this table."""
        return sorted(self.replica.connection.execute(f"select * from {table}").fetchall())

    def assert_alike(self, plans: list[Plan]) -> int:
        """Roll-ups, also by what was found of days before, rows of the replica and rows of the ledger give the same;
        how many plans were cut."""
        self.runner.run(self.engines._columns.follow())
        cursor = self.replica.connection.cursor()
        cuts = 0
        for plan in plans:
            own = [*plan.group, *plan.measures]
            found = duckdb.run(cursor, plan, seconds=60)
            assert found == duckdb.run(cursor, plan, seconds=60, days=self.replica.days), (plan, own)
            with from_rows():
                assert found == duckdb.run(cursor, plan, seconds=60), (plan, own)
            assert found == self.db.read_now(partial(_by_sqlite, plan)), (plan, own)
            cuts += self.replica.cut(plan) is not None
        cursor.close()
        return cuts


def _by_sqlite(plan: Plan, db: Connection) -> list[Row]:
    return sqlite.run(db, plan)


def some_plans(chance: Random, number: int) -> list[Plan]:
    """Plans that roll-ups know, over some days, in some order, some of their rows."""
    made = []
    for roll in [TIME, STARTS, *chance.sample(BY_DIMENSION, number)]:
        zone = chance.choice([zone for zone, _ in PLACES])
        first, days = chance.randint(-3, 1), chance.randint(1, 5)
        unit: Granularity | None = chance.choice((None, "day", "day", "week")) if roll.by_time else None
        plan = plan_of(roll, **local(zone, first, days, unit))
        if plan.group and not roll.by_time:
            plan = replace(
                plan,
                measures=chance.choice((plan.measures, plan.measures[:1], plan.measures[::-1])),
                sites=chance.choice(((1,), (1, 2), (2,), (9,))),
                present=chance.choice(((), roll.group[:1])),
            )
            plan = replace(
                plan,
                order=(Order(chance.choice((*plan.measures, *roll.group)), chance.random() < 0.5),),
                share_of=chance.choice(("", plan.measures[0])),
                limit=chance.choice((0, 2)),
                offset=chance.choice((0, 1)),
                having=chance.choice(((), (Having(plan.measures[0], (1.0, 2.0), negated=True),))),
            )
            if roll.source == "events":
                asked = Condition(roll.group[0], "contains", ("a", "e"), chance.random() < 0.5)
                plan = replace(plan, where=chance.choice(((), (asked,))))
        made.append(plan)
    return made


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an ordinary run only some dimensions are rolled up, and asked for."""
    chosen = tuple(roll for roll in OF_EVENTS if is_thorough() or roll.name in FEW)
    monkeypatch.setattr(rolling, "OF_EVENTS", chosen)
    for module in (rolling, sys.modules[__name__]):
        monkeypatch.setattr(module, "BY_DIMENSION", (*chosen, *OF_SESSIONS))


@pytest.fixture
def short_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two and four days are rolled up together."""
    for module in (rollups, columns, of_the_replica, duckdb):
        monkeypatch.setattr(module, "SPANS", (4, 2))


@pytest.mark.usefixtures("short_spans")
def test_every_roll_up_answers_as_its_rows_do(tmp_path: Path) -> None:
    world = World(tmp_path, 1)
    try:
        for _ in range(6):
            world.tell(60)
        world.maintain()
        assert not world.days(rolled=False)
        plans = [plan_of(roll, start=NOON - 3 * DAY, end=NOON + 4 * DAY) for roll in ROLLS]
        alone = [replace(plan, sites=(1,), start=plan.start + number % 2 * DAY) for number, plan in enumerate(plans)]
        assert {key >> 24 for plan in alone for key in _keys(world, plan)} == {0, 2, 4}
        assert world.assert_alike([*plans, *alone, *some_plans(world.chance, 8)]) > 2 * len(ROLLS)
        assert all(
            rows for rows in (duckdb.run(world.replica.connection, plan, seconds=9) for plan in plans[: len(ROLLS)])
        )
    finally:
        world.close()


def _keys(world: World, plan: Plan) -> tuple[int, ...]:
    """The days and spans of days that a plan of one website reads, where it reads spans."""
    made = world.replica.cut(plan)
    return () if made is None else made.keys


@pytest.mark.usefixtures("few", "short_spans")
def test_spans_with_a_day_that_changes_are_not_read_until_they_are_put_together_again(tmp_path: Path) -> None:
    world = World(tmp_path, 2)
    try:
        world.tell(120)
        world.maintain()
        plan = replace(plan_of(BY_DIMENSION[0], start=NOON - 3 * DAY, end=NOON + 4 * DAY), sites=(1,))
        spans = _spans(world, plan)
        assert spans
        world.assert_alike([plan])
        world.write("update stored_events set scroll = scroll")  # each day is touched
        world.assert_alike([plan])
        assert not _spans(world, plan)
        world.clock.advance(seconds=HOUR / 1000)
        now = world.clock.now()
        while world.days(rolled=False):
            world.replica.mark(world.replica.roll(world.replica.to_roll(now), now))
        rolled = world.replica.roll(world.replica.to_roll(now), now)
        assert rolled
        assert all(day.day >= FIRST_SPAN for day in rolled)
        world.tell(60)  # before they are marked
        world.assert_alike([plan])
        world.replica.mark(rolled)
        assert len(_spans(world, plan)) < len(spans)
        world.assert_alike([plan])
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert _spans(world, plan) == spans
        world.assert_alike([plan])
    finally:
        world.close()


def _spans(world: World, plan: Plan) -> set[int]:
    return {key for key in _keys(world, plan) if key >= FIRST_SPAN}


@pytest.mark.usefixtures("few")
def test_one_look_at_sessions_finds_the_ends_that_a_look_for_each_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, 4)
    try:
        world.tell(200)
        # A leave beacon may stand where the start was: entries and exits have another visitor than the session then.
        world.write(
            "update stored_events set kind = 3, visitor = visitor + 2 where since_start = 0 and session % 3 = 0"
        )
        found = []
        for beside in (True, False):
            monkeypatch.setattr(of_the_replica, "_ROLLING", of_the_replica._ROLLING._replace(ends_beside=beside))
            world.write("update stored_events set scroll = scroll")  # all days are rolled up again
            world.clock.advance(seconds=HOUR / 1000)
            world.maintain()
            found.append(
                [world.rows_of(f"rolled_{end}{kind}") for end in ("entries", "exits") for kind in ("", "_ids")]
            )
        assert found[0] == found[1]
        assert all(found[0])
    finally:
        world.close()


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("visits", [1, 2, 3, 40, 401])
def test_medians_of_days_that_are_rolled_up_are_those_of_all_their_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, visits: int
) -> None:
    """Of sessions as short as a click and as long as half an hour, of most durations several or many of nearly one, few
    or half of them of none, in one portion of a day or in several; in a long range and in a short one, also where a day
    is not rolled up."""
    monkeypatch.setattr(durations, "PORTION", 30)
    of_a_few = durations.packed(duckdb.DIALECT.class_of, rolling.SITE_AND_DAY)
    monkeypatch.setattr(of_the_replica, "_ROLLING", of_the_replica._ROLLING._replace(durations=of_a_few))
    world = World(tmp_path, visits)
    try:
        told = [fact for at_once in (0.1, 0.45) for fact in _visits(world.chance, visits, at_once)]
        world.db.write_now(lambda db: world.ledger.append(db, told))
        world.maintain()
        plans = [
            replace(plan_of(STARTS, **local(zone, -1, 3, unit)), measures=measures, order=(Order(measures[0]),))
            for zone in ("UTC", "Asia/Kolkata", "America/Havana")
            for unit in (None, "day")
            for measures in (("sessions", "median_duration"), ("median_duration",))
        ]
        (portions,) = world.replica.connection.execute("select max(portion) from rolled_durations").fetchall()
        assert (portions[0] > 0) == (visits > 100)
        for rolled in (True, False):
            if not rolled:
                world.write("update stored_events set scroll = scroll where time / 86400000 = ?", utc_day(NOON))
            for long in (0, 60):
                monkeypatch.setattr(durations, "LONG", long)
                assert world.assert_alike(plans) == len(plans)
    finally:
        world.close()


def _visits(chance: Random, number: int, at_once: float) -> Iterator[Event]:
    """Visits of two pages each by somebody else, this share of them within one instant. The more there are at once, the
    later they come."""
    edges = [0, 1, 999, 1_000, 1_001, *(round(1_000 * 2 ** (half / 2)) for half in range(1, 12))]
    for visitor in range(1, number + 1):
        begins = NOON + (DAY if at_once > 0.2 else 0) + chance.randint(-DAY, 0)
        some = (chance.choice(edges), chance.randint(0, 25 * MINUTE), chance.randint(8_100, 11_200))
        lasts = chance.choice(some) if chance.random() > at_once else 0
        for time in (begins, begins + lasts):
            yield page_view(1 + visitor % 2, time, "/", (visitor << 5) + (16 if at_once > 0.2 else 0))


STEPS = ("tell", "late", "remove", "remove day", "move", "roll", "roll beside", "crash", "reopen", "rebuild")


@pytest.mark.usefixtures("few", "short_spans")
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_roll_ups_answer_as_rows_do(tmp_path: Path, seed: int) -> None:
    world = World(tmp_path, seed)
    try:
        world.tell(80)
        world.maintain()
        plan = plan_of(BY_DIMENSION[seed], start=NOON - 3 * DAY, end=NOON + 4 * DAY)
        world.assert_alike([plan])
        for step in (*STEPS[seed::4], world.chance.choice(STEPS)):
            _do(world, step)
            world.assert_alike([plan, *some_plans(world.chance, 1)])
        world.clock.advance(seconds=HOUR / 1000)
        world.maintain()
        assert not world.days(rolled=False)
        world.assert_alike(some_plans(world.chance, 3))
    finally:
        world.close()


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
        case "roll":
            world.clock.advance(seconds=HOUR / 1000)
            world.maintain()
        case "roll beside":  # a step between a batch and its mark
            world.clock.advance(seconds=HOUR / 1000)
            replica, now = world.replica, world.clock.now()
            rolled = replica.roll(replica.to_roll(now), now)
            world.tell(2)
            world.assert_alike(some_plans(world.chance, 1))
            replica.mark(rolled)
        case "crash":  # between a batch and its mark
            world.clock.advance(seconds=HOUR / 1000)
            replica, now = world.replica, world.clock.now()
            replica.roll(replica.to_roll(now), now)
            world.reopen()
            world.tend()
        case "reopen":
            world.reopen()
            world.maintain()
        case "rebuild":
            world.close()
            columns.forget_replica(world.directory / columns.FILE_NAME)
            world.open()
            world.maintain()


def test_what_does_not_pay_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rolling, "ALWAYS_PAYS", 9)
    monkeypatch.setattr(rolling, "PAYS", 10)
    world = World(tmp_path, 2)
    try:
        world.tell(200)
        world.maintain()
        left_out = {roll for (roll,) in world.replica.connection.execute("select roll from not_rolled").fetchall()}
        assert left_out
        assert left_out < {roll.name for roll in BY_DIMENSION}
        asked = [roll for roll in ROLLS if roll.name in {*sorted(left_out)[:3], "device", "time", "starts"}]
        assert world.assert_alike([plan_of(roll, start=NOON - 3 * DAY, end=NOON + 4 * DAY) for roll in asked])
    finally:
        world.close()


@pytest.mark.usefixtures("few")
def test_what_is_compiled_names_the_parts(tmp_path: Path) -> None:
    world = World(tmp_path, 3, now=NOON)
    try:
        world.tell(90)
        world.maintain()
        plan = plan_of(BY_DIMENSION[0], **local("Europe/Berlin", -2, 3))
        step = (Step(plan),)
        (statement,) = written("top_pages", step, step, world.engines).statements
        assert [(one.from_[:16], one.until[:16], one.read) for one in statement.parts] == [
            ("2026-06-13 22:00", "2026-06-14 00:00", "rows"),
            ("2026-06-14 00:00", "2026-06-16 00:00", "rollups"),
            ("2026-06-16 00:00", "2026-06-16 22:00", "rows"),
        ]
        assert "rolled_path" in statement.sql
        with from_rows():
            (statement,) = written("top_pages", step, step, world.engines).statements
        assert not statement.parts
    finally:
        world.close()


@pytest.mark.usefixtures("few")
def test_a_batch_for_which_there_is_no_memory_is_tried_again_soon_and_in_smaller_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []

    def full(_batch: Any) -> None:
        raise OutOfMemoryException("there are questions")

    class Watched(rolling.Batch):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            batches.append(sum(self._events.values()))

    monkeypatch.setattr(of_the_replica, "Batch", Watched)
    monkeypatch.setattr(of_the_replica, "MOST_EVENTS", 100)
    world = World(tmp_path, 4)
    try:
        for _ in range(8):
            world.tell(20)
        with patch.object(Watched, "_check_that_it_pays", full):
            world.maintain()
        assert not world.days(rolled=True)
        assert not world.rows_of("rolled_time")
        world.clock.advance(seconds=29)
        world.maintain()
        assert len(batches) == 1
        world.clock.advance(seconds=1)
        with patch.object(Watched, "_check_that_it_pays", full):
            world.maintain()
        assert not world.days(rolled=True)
        world.clock.advance(seconds=60)
        world.maintain()
        assert not world.days(rolled=False)
        assert batches[0] > batches[1] >= batches[2]
        world.assert_alike(some_plans(world.chance, 1))
    finally:
        world.close()


@pytest.mark.usefixtures("few")
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
