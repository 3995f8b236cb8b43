"""Plans that are cut, and where: what roll-ups know, and whole days of a range. test_rollups_file has the answers."""

from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.facts.event import CUSTOM
from analytics_box.base.store.db import Connection
from analytics_box.query import ranges, rollups
from analytics_box.query.engines import sqlite
from analytics_box.query.engines.counting import no_limit
from analytics_box.query.engines.rollups_file import RollupsFile
from analytics_box.query.filters import ConditionGroup, FilterCondition
from analytics_box.query.plan import BUCKET, Having, PlanOrder, QueryPlan, runs_of
from analytics_box.query.ranges import DayRange, Granularity
from analytics_box.query.rollups import BY_DIMENSION, OF_EVENTS, OF_SESSIONS, ROLLS, STARTS, TIME, RangePart, Roll
from tests.inprocess import FixedClock
from tests.query import replica
from tests.query.stories import PLACES, Teller

NOON = 20_620 * DAY + 12 * HOUR  # of a Tuesday


def local(zone: str, first: int, days: int, unit: Granularity | None = None) -> dict[str, Any]:
    """The start, the end and the buckets of so many local days, the first of them so many days from NOON."""
    tz = ZoneInfo(zone)
    today = ranges.today(NOON + first * DAY, tz)
    window = ranges.window(DayRange(today, type(today).fromordinal(today.toordinal() + days - 1)), tz, unit)
    runs = runs_of(window) if unit else ()
    return {"start": window.start, "end": window.end, "runs": runs}


def plan_of(roll: Roll, **given: Any) -> QueryPlan:
    """All that a roll-up knows, as a plan of two websites."""
    measures = tuple(sorted(roll.measures))
    group = (BUCKET,) if given.get("runs") else roll.group
    order = (PlanOrder(measures[0]),)
    return QueryPlan(roll.source, (1, 2), measures=measures, group=group, kinds=roll.kinds, order=order, **given)


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
        replace(plan, where=(FilterCondition("visitor", "set", (), negated=False),)),
        replace(plan, present=("title",)),
    ):
        assert rollups.roll_of(other) is None


def test_conditions_on_a_roll_ups_own_dimensions_are_its_own() -> None:
    source = next(roll for roll in ROLLS if roll.name == "source")
    own = FilterCondition("source", "is", ("Direct",), negated=True)
    plan = plan_of(source, start=0, end=DAY, where=(ConditionGroup(True, (own, own)),), present=("source",))
    assert rollups.roll_of(plan) is source
    assert rollups.roll_of(replace(plan, where=(own, FilterCondition("country", "is", ("",), negated=False)))) is None
    entries = next(roll for roll in ROLLS if roll.name == "entries")
    any_page = FilterCondition("path", "is", ("/",), negated=False)  # of a session's pages, not of its entry
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
        RangePart(HOUR, 3 * DAY, "rollups"),
        RangePart(3 * DAY, 3 * DAY + HOUR, "rows"),
    )


@pytest.mark.parametrize(
    ("roll", "latest", "counts", "is_open"),
    [
        (OF_EVENTS[0], 30 * MINUTE, True, True),
        (OF_EVENTS[0], 2 * HOUR, False, False),  # an event lies behind the range's end
        (TIME, 2 * HOUR, True, True),
        (STARTS, 2 * HOUR, True, True),
        (OF_SESSIONS[0], 30 * MINUTE, True, True),
        (OF_SESSIONS[0], 2 * HOUR, False, False),
    ],
)
def test_roll_ups_of_an_open_day_count_if_they_have_the_range(
    roll: Roll, latest: int, counts: bool, is_open: bool
) -> None:
    plan = plan_of(roll, start=0, end=2 * DAY + HOUR)
    made = rollups.cut(plan, roll, [2], (), {2: 2 * DAY + latest})
    assert made is not None
    assert (made.last == 2, made.open == (2,)) == (counts, is_open)
    assert bool(made.pieces) is not counts
    assert [*rollups.new_parts(plan, made)] == ([(2 * DAY, 2 * DAY + HOUR, 2)] if counts else [])


class World(replica.World):
    """Facts of a few days around NOON, of two websites: lasting ids and daily ones, sessions across midnight."""

    def __init__(self, directory: Path, seed: int, now: int = NOON + 30 * DAY, **given: Any) -> None:
        super().__init__(directory, FixedClock(now), **{"columnar": "off"} | given)
        self.chance = Random(seed)
        self.tellers = [Teller(seed + day, (1, 2, 3), NOON + (day - 1) * DAY, NOON) for day in range(4)]

    def tell(self, number: int) -> None:
        """So many facts of one of the days."""
        facts = self.chance.choice(self.tellers).facts(number)
        self.db.write_now(lambda db: self.ledger.append(db, facts))

    @property
    def rollups(self) -> RollupsFile:
        found = self.engines._rollups.file
        assert found is not None
        return found

    def days(self, *, rolled: bool) -> list[int]:
        """The days that are rolled up, or not."""
        found = self.rollups._connection.execute(
            "select day from days where (rolled > 0) = ? and day < 1 << 24", (rolled,)
        )
        return [int(str(day)) for (day,) in found]

    def assert_alike(self, plans: list[QueryPlan]) -> int:
        """Roll-ups and rows give the same; how many plans were cut."""
        return self.db.read_now(partial(_cuts, plans, self.rollups))


def _cuts(plans: list[QueryPlan], kept: RollupsFile, db: Connection) -> int:
    cuts = 0
    for plan in plans:
        expected = sqlite.run_plan(db, plan)
        for _ in range(2):  # the second time by medians that the first has found
            with sqlite.open_cut(db, plan, kept) as cut:
                found = sqlite.run_rendered(db, plan, sqlite.render(plan, cut), no_limit, 60)
            assert found == expected, plan
            if cut is not None:
                kept.medians.keep(plan, cut, found)
        cuts += cut is not None
    return cuts


def some_plans(chance: Random, number: int) -> list[QueryPlan]:
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
                order=(PlanOrder(chance.choice((*plan.measures, *roll.group)), chance.random() < 0.5),),
                share_of=chance.choice(("", plan.measures[0])),
                limit=chance.choice((0, 2)),
                offset=chance.choice((0, 1)),
                having=chance.choice(((), (Having(plan.measures[0], (1.0, 2.0), negated=True),))),
            )
            if roll.source == "events":
                asked = FilterCondition(roll.group[0], "contains", ("a", "e"), chance.random() < 0.5)
                plan = replace(plan, where=chance.choice(((), (asked,))))
        made.append(plan)
    return made
