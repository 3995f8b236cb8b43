"""What a result makes of a monitor: every state, every result and every setting, as the design tells it."""

from itertools import product
from typing import get_args

from analytics_box.products.monitors.result import Outcome
from analytics_box.products.monitors.running.states import (
    FAILED,
    PASSED,
    PENDING,
    Base,
    CheckStep,
    MonitorStanding,
    Thresholds,
    after,
    repeated_after,
    thresholds,
    without_row,
)
from tests.cases import each
from tests.products.monitors.running.world import monitor

AT, EARLIER, LONG_AGO = 1_000_000, 900_000, 500_000
P, W, F = "pass", "warn", "fail"

# Before (state, fails, passes), what came, failures_to_down and successes_to_up; then state, fails, passes, what the
# check is stored as, and from when on the state is another one (None where it is not).
TABLE: tuple[tuple[tuple[Base, int, int], Outcome, Thresholds, tuple[Base, int, int], int, int | None], ...] = tuple(
    ((*before,), outcome, Thresholds(*needed), (*then,), status, since)  # type: ignore[misc]  # as the row has them
    for before, outcome, needed, then, status, since in (
        # nothing known yet
        (("new", 0, 0), P, (1, 1), ("up", 0, 0), PASSED, AT),
        (("new", 0, 0), W, (1, 1), ("degraded", 0, 0), PASSED, AT),
        (("new", 0, 0), F, (1, 1), ("down", 1, 0), FAILED, AT),
        (("new", 0, 0), F, (2, 1), ("new", 1, 0), PENDING, None),
        (("new", 1, 0), F, (2, 1), ("down", 2, 0), FAILED, EARLIER),
        (("new", 1, 0), P, (2, 1), ("up", 0, 0), PASSED, EARLIER),  # a blip, in no ratio: up since it was watched
        (("new", 1, 0), W, (2, 1), ("degraded", 0, 0), PASSED, EARLIER),
        (("new", 1, 0), F, (3, 1), ("new", 2, 0), PENDING, None),
        # up
        (("up", 0, 0), P, (2, 1), ("up", 0, 0), PASSED, None),
        (("up", 0, 0), W, (2, 1), ("degraded", 0, 0), PASSED, AT),
        (("up", 0, 0), F, (1, 1), ("down", 1, 0), FAILED, AT),
        (("up", 0, 0), F, (2, 1), ("up", 1, 0), PENDING, None),
        # verifying
        (("up", 1, 0), F, (2, 1), ("down", 2, 0), FAILED, EARLIER),
        (("up", 1, 0), F, (3, 1), ("up", 2, 0), PENDING, None),
        (("up", 2, 0), F, (3, 2), ("down", 3, 0), FAILED, EARLIER),
        (("up", 1, 0), P, (2, 1), ("up", 0, 0), PASSED, None),  # a blip
        (("up", 1, 0), W, (2, 1), ("degraded", 0, 0), PASSED, AT),
        (("up", 2, 0), F, (2, 1), ("down", 3, 0), FAILED, EARLIER),  # the setting was lowered meanwhile
        # degraded
        (("degraded", 0, 0), W, (2, 1), ("degraded", 0, 0), PASSED, None),
        (("degraded", 0, 0), P, (2, 1), ("up", 0, 0), PASSED, AT),
        (("degraded", 0, 0), F, (1, 1), ("down", 1, 0), FAILED, AT),
        (("degraded", 0, 0), F, (2, 1), ("degraded", 1, 0), PENDING, None),
        (("degraded", 1, 0), F, (2, 1), ("down", 2, 0), FAILED, EARLIER),
        (("degraded", 1, 0), P, (2, 1), ("up", 0, 0), PASSED, AT),
        (("degraded", 1, 0), W, (2, 1), ("degraded", 0, 0), PASSED, None),
        # down
        (("down", 2, 0), F, (2, 1), ("down", 3, 0), FAILED, None),
        (("down", 2, 0), P, (2, 1), ("up", 0, 0), PASSED, AT),
        (("down", 2, 0), W, (2, 1), ("degraded", 0, 0), PASSED, AT),
        (("down", 2, 0), P, (2, 2), ("down", 0, 1), PASSED, None),
        (("down", 0, 1), P, (2, 2), ("up", 0, 0), PASSED, EARLIER),
        (("down", 0, 1), W, (2, 2), ("degraded", 0, 0), PASSED, EARLIER),
        (("down", 0, 1), P, (2, 3), ("down", 0, 2), PASSED, None),
        (("down", 0, 1), F, (2, 2), ("down", 1, 0), FAILED, None),
        (("down", 0, 2), P, (2, 1), ("up", 0, 0), PASSED, EARLIER),
    )
)


def standing(state: tuple[Base, int, int]) -> MonitorStanding:
    base, fails, passes = state
    turned = EARLIER if passes or (fails and base != "down") else 0
    return MonitorStanding(base=base, since=0 if base == "new" else LONG_AGO, fails=fails, passes=passes, turned=turned)


@each(("before", "outcome", "needed", "then", "status", "since"), TABLE)
def test_every_result_in_every_state(
    before: tuple[Base, int, int],
    outcome: Outcome,
    needed: Thresholds,
    then: tuple[Base, int, int],
    status: int,
    since: int | None,
) -> None:
    step = after(standing(before), AT, outcome, needed)
    made = step.standing
    assert (made.base, made.fails, made.passes, step.status, step.since) == (*then, status, since)
    assert made.since == (since if since is not None else standing(before).since)
    begins_a_row = made.is_verifying or made.passes > 0
    was_in_a_row = before[2] > 0 or (before[1] > 0 and before[0] != "down")
    assert made.turned == ((EARLIER if was_in_a_row else AT) if begins_a_row else 0)


def test_the_table_has_every_state_with_every_result() -> None:
    told = {(before[0], bool(before[1]), bool(before[2]), outcome) for before, outcome, *_ in TABLE}
    rows_of = {"new": [(0, 0), (1, 0)], "up": [(0, 0), (1, 0)], "degraded": [(0, 0), (1, 0)], "down": [(1, 0), (0, 1)]}
    for base in get_args(Base):
        for (fails, passes), outcome in product(rows_of[base], get_args(Outcome)):
            assert (base, bool(fails), bool(passes), outcome) in told


@each("needed", [Thresholds(*both) for both in product(range(1, 5), range(1, 5))], ids=str)
def test_thresholds_count_checks_in_a_row(needed: Thresholds) -> None:
    step = CheckStep(MonitorStanding(base="up"), PASSED)
    for number in range(1, needed.failures + 1):
        step = after(step.standing, number, "fail", needed)
        assert (step.standing.base == "down") == (number == needed.failures)
    assert step.since == 1
    for number in range(1, needed.successes + 1):
        step = after(step.standing, 100 + number, "pass", needed)
        assert (step.standing.base == "up") == (number == needed.successes)
    assert step.since == 101


@each(
    ("state", "then"),
    [
        (("up", 1, 0), ("up", 0, 0)),
        (("new", 1, 0), ("new", 0, 0)),
        (("down", 0, 1), ("down", 0, 0)),
        (("down", 4, 0), ("down", 4, 0)),
        (("up", 0, 0), ("up", 0, 0)),
    ],
)
def test_streak_of_checks_does_not_continue_over_unobserved_time(
    state: tuple[Base, int, int], then: tuple[Base, int, int]
) -> None:
    made = without_row(standing(state))
    assert (made.base, made.fails, made.passes, made.turned) == (*then, 0)


@each(("interval", "again"), [(60, 30_000), (30, 15_000), (300, 30_000), (86_400, 30_000)])
def test_a_failing_check_is_repeated_soon(interval: int, again: int) -> None:
    assert repeated_after(interval) == again


def test_push_monitor_is_not_verified() -> None:
    assert thresholds(monitor(kind="push", failures_to_down=3, successes_to_up=2)) == (1, 2)
    assert thresholds(monitor(failures_to_down=3, successes_to_up=2)) == (3, 2)
