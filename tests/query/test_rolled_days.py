"""What questions found of the days that are rolled up is used as long as it is true."""

from pathlib import Path

import pytest

from analytics_box.clock import DAY
from analytics_box.query.engines import duckdb
from analytics_box.query.engines.rolled_days import Found, RolledDays
from analytics_box.query.rollups import BY_DIMENSION, TIME, Roll
from tests.query.test_rollups import NOON, World, plan_of

NOTHING = Found(frozenset(), frozenset(), has_ids=False)


@pytest.fixture
def days() -> RolledDays:
    return RolledDays()


def test_what_was_found_is_kept_until_days_are_marked(days: RolledDays) -> None:
    days.keep("a week", NOTHING, days.moment)
    assert days.found("a week") == NOTHING
    assert days.found("a year") is None
    with days.marking():
        assert days.found("a week") is None
    assert days.found("a week") is None


def test_what_was_found_before_or_while_days_are_marked_is_not_kept(days: RolledDays) -> None:
    before = days.moment
    with days.marking():
        days.keep("a week", NOTHING, before)
        days.keep("a week", NOTHING, days.moment)
        assert days.found("a week") is None
    days.keep("a week", NOTHING, before)
    assert days.found("a week") is None


def test_it_does_not_keep_more_than_a_thousand(days: RolledDays) -> None:
    for number in range(1_001):
        days.keep(number, NOTHING, days.moment)
    assert days.found(0) is None
    assert days.found(1_000) == NOTHING


class MarkedMeanwhile(RolledDays):
    """Somebody marks days between the look at what is kept and the statement."""

    world: World

    def found(self, asked: object) -> Found | None:
        found = super().found(asked)
        if found is not None:
            self.world.write("delete from stored_events where id % 2 = 0")
            self.world.runner.run(self.world.engines._columns.follow())
        return found


@pytest.mark.parametrize("roll", [TIME, BY_DIMENSION[0]], ids=["time", "path"])
def test_a_question_whose_days_are_marked_meanwhile_looks_again(tmp_path: Path, roll: Roll) -> None:
    world = World(tmp_path, 4)
    try:
        world.tell(90)
        world.maintain()
        world.replica.days = days = MarkedMeanwhile()
        days.world = world
        plan = plan_of(roll, start=NOON - 2 * DAY, end=NOON + 2 * DAY)
        cursor = world.replica.connection.cursor()
        first = duckdb.run(cursor, plan, seconds=60, days=days)
        assert duckdb.run(cursor, plan, seconds=60, days=days) == duckdb.run(cursor, plan, seconds=60) != first
        cursor.close()
    finally:
        world.close()


def test_days_that_are_rolled_up_are_looked_for_anew(tmp_path: Path) -> None:
    world = World(tmp_path, 4)
    try:
        world.tell(20)
        world.tend()
        before = world.replica.days.moment
        world.maintain()
        assert world.days(rolled=True)
        assert world.replica.days.moment != before
    finally:
        world.close()
