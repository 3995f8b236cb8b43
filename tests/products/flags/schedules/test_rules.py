"""Steps of ramps, which of them counts, and when a schedule cannot go on."""

from contextlib import nullcontext
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.products.flags.flag import Flag, FlagDefinition, Status
from analytics_box.products.flags.schedules import rules
from analytics_box.products.flags.schedules.messages import FlagSchedule, RolloutStep, ScheduleType
from tests.cases import each

NOW = 1_800_000_000_000


def rollout(*steps: tuple[int, float], done: int = 0, status: Status = "active") -> FlagSchedule:
    """A rollout with steps so many minutes from now, of which the first `done` are done."""
    planned = tuple(
        RolloutStep(at=NOW + minutes * MINUTE, percentage=value, doneAt=NOW if number < done else None)
        for number, (minutes, value) in enumerate(steps)
    )
    return FlagSchedule(
        id="a" * 20,
        flag_id="f" * 20,
        type="update_rollout",
        scheduled_at=planned[0].at,
        steps=planned,
        next_at=planned[done].at if done < len(planned) else None,
        flag_percentage=10,
        flag_status=status,
    )


def flag(**fields: object) -> Flag:
    definition = replace(FlagDefinition(type="rollout", rolloutPercentage=10), **fields)
    return Flag(id="f" * 20, organization_id="o" * 20, website_id=None, key="checkout", definition=definition)


def test_a_ramp_is_a_straight_line_and_ends_where_and_when_it_should() -> None:
    made = rules.ramp(0, 100, NOW, NOW + HOUR, 15 * MINUTE)
    assert [((step.at - NOW) // MINUTE, step.percentage) for step in made] == [
        (0, 0),
        (15, 25),
        (30, 50),
        (45, 75),
        (60, 100),
    ]
    uneven = rules.ramp(10, 0, NOW, NOW + 25 * MINUTE, 10 * MINUTE)
    assert [((step.at - NOW) // MINUTE, step.percentage) for step in uneven] == [(0, 10), (10, 6), (20, 2), (25, 0)]


@settings(max_examples=100)
@given(
    start=st.integers(0, 10_000),
    end=st.integers(0, 10_000),
    length=st.integers(1, 400 * 24 * 60),
    every=st.integers(1, 7 * 24 * 60),
)
def test_every_ramp_is_steps_that_can_be_scheduled_or_a_refusal(start: int, end: int, length: int, every: int) -> None:
    low, high = start / 100, end / 100
    try:
        made = rules.ramp(low, high, NOW, NOW + length * MINUTE, every * MINUTE)
    except BadRequest:
        assert low == high or length / every > rules.MOST_STEPS - 1
        return
    assert 2 <= len(made) <= rules.MOST_STEPS
    assert (made[0].at, made[0].percentage) == (NOW, low)
    assert (made[-1].at, made[-1].percentage) == (NOW + length * MINUTE, high)
    assert all(earlier.at < later.at <= earlier.at + every * MINUTE for earlier, later in pairwise(made))
    assert all((later.percentage - earlier.percentage) * (high - low) >= 0 for earlier, later in pairwise(made))
    rules.check("update_rollout", None, made, NOW)


@each(
    ("steps", "message"),
    [
        ((50, 50, HOUR, MINUTE), "Enter a different final percentage"),
        ((0, 100, 0, MINUTE), "Enter an end after the start"),
        ((0, 100, -HOUR, MINUTE), "Enter an end after the start"),
        ((0, 100, DAY, MINUTE), "That would be 1441 steps, more than 200. Enter at least 8 minutes"),
    ],
)
def test_a_ramp_that_is_none_is_refused(steps: tuple[float, float, int, int], message: str) -> None:
    start, end, length, every = steps
    with pytest.raises(BadRequest, match=message):
        rules.ramp(start, end, NOW, NOW + length, every)


def at(*minutes: int, value: float = 10) -> tuple[RolloutStep, ...]:
    return tuple(RolloutStep(at=NOW + one * MINUTE, percentage=value) for one in minutes)


@each(
    ("kind", "scheduled_at", "steps", "message"),
    [
        ("enable", NOW, (), ""),
        ("enable", NOW - 30_000, (), ""),
        ("disable", NOW + 1_000 * DAY, (), ""),
        ("enable", None, (), "Say when"),
        ("disable", NOW, at(1), "Only update_rollout can have steps"),
        ("enable", NOW - 2 * MINUTE, (), "Enter a time in the future"),
        ("enable", NOW + 2_000 * DAY, (), "within five years"),
        ("update_rollout", None, at(1, 2), ""),
        ("update_rollout", NOW, at(1, 2), ""),
        ("update_rollout", NOW + HOUR, at(1, 2), "Omit scheduledAt"),
        ("update_rollout", NOW, (), "Send steps or a ramp"),
        ("update_rollout", None, at(2, 1), "Enter steps in order of time"),
        ("update_rollout", None, at(1, 1), "Enter steps in order of time"),
        ("update_rollout", None, at(-5, 1), "Enter a time in the future"),
        ("update_rollout", None, at(1, value=100.5), "from 0 to 100"),
        ("update_rollout", None, at(1, value=float("nan")), "from 0 to 100"),
        ("update_rollout", None, at(*range(201)), "A schedule can have up to 200 steps"),
    ],
)
def test_times_and_steps_have_to_fit(
    kind: ScheduleType, scheduled_at: int | None, steps: tuple[RolloutStep, ...], message: str
) -> None:
    with pytest.raises(BadRequest, match=message) if message else nullcontext():
        rules.check(kind, scheduled_at, steps, NOW)


def test_of_steps_that_are_late_together_the_latest_counts() -> None:
    turn = rules.next_turn(rollout((0, 10), (10, 30), (20, 60), (30, 100), done=1), NOW + 25 * MINUTE)
    assert turn.percentage == 60
    assert [(step.doneAt is not None, step.skipped) for step in turn.after.steps] == [
        (True, False),
        (True, True),
        (True, False),
        (False, False),
    ]
    assert (turn.after.next_at, turn.after.ended_at) == (NOW + 30 * MINUTE, None)
    last = rules.next_turn(turn.after, NOW + 30 * MINUTE)
    assert (last.percentage, last.after.next_at, last.after.ended_at) == (100, None, NOW + 30 * MINUTE)


def test_a_clock_that_is_set_back_repeats_and_undoes_nothing() -> None:
    halfway = rules.next_turn(rollout((0, 10), (10, 30), (20, 60)), NOW + 10 * MINUTE).after
    for back in (NOW - HOUR, NOW + MINUTE, NOW + 11 * MINUTE):
        again = rules.next_turn(halfway, back)
        assert (again.percentage, again.after) == (None, halfway)


@each(
    ("done", "before", "fields", "said"),
    [
        (0, "active", {}, ""),
        (0, "active", {"status": "inactive"}, "The flag was deactivated before the first step"),
        (0, "active", {"rolloutPercentage": 77}, "The percentage was changed manually before the first step"),
        (0, "inactive", {"status": "inactive"}, ""),
        (0, "inactive", {}, ""),
        (1, "inactive", {"status": "inactive"}, ""),
        (1, "active", {}, ""),
        (1, "active", {"rolloutPercentage": 10.0000000000001}, ""),
        (1, "active", {"rolloutPercentage": 0}, "The percentage was changed manually after the previous step"),
        (1, "active", {"status": "inactive"}, "The flag was deactivated after the previous step"),
        (1, "active", {"status": "archived"}, "The flag is archived"),
        (0, "active", {"status": "archived"}, "The flag is archived"),
        (0, "active", {"type": "boolean"}, "The flag is no longer a percentage rollout"),
    ],
)
def test_manual_change_ends_a_rollout(done: int, before: Status, fields: dict[str, object], said: str) -> None:
    found = rules.hindrance(rollout((0, 10), (10, 30), done=done, status=before), flag(**fields))
    assert found.partition(",")[0].removesuffix(".") == said


def test_switching_needs_only_a_flag_that_is_not_archived() -> None:
    plan = FlagSchedule(id="a" * 20, flag_id="f" * 20, type="enable", scheduled_at=NOW, next_at=NOW)
    assert rules.hindrance(plan, flag(status="inactive", type="boolean")) == ""
    assert rules.hindrance(plan, flag(status="archived"))
    assert rules.next_turn(plan, NOW) == rules.Turn(replace(plan, next_at=None, ended_at=NOW))


def test_rollouts_of_one_flag_do_not_overlap() -> None:
    others = [rollout((0, 10), (60, 50))]
    for first, last, fits in [(61, 90, True), (60, 90, False), (-30, -1, True), (-30, 0, False), (10, 20, False)]:
        try:
            rules.check_room(rollout((first, 10), (last, 20)), others)
        except BoxError:
            assert not fits
        else:
            assert fits
    switch = FlagSchedule(id="b" * 20, flag_id="f" * 20, type="enable", scheduled_at=NOW, next_at=NOW)
    rules.check_room(switch, others)
    with pytest.raises(BoxError, match="A flag can have up to 20 open schedules"):
        rules.check_room(switch, [switch] * 20)
