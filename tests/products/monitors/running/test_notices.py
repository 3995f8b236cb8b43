"""What people are told: changes, one notice of flapping, and nothing of what is muted."""

from typing import Any

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.products.monitors.result import CheckResult, Outcome
from analytics_box.products.monitors.running.notices import MonitorNotice, Muted, expiring, notices_after
from analytics_box.products.monitors.running.states import MonitorStanding, Thresholds, after
from tests.cases import each

LETTERS: dict[str, Outcome] = {"p": "pass", "w": "warn", "f": "fail"}
NEEDED = Thresholds(1, 1)


def told(checks: str, *, muted: str = "", needed: Thresholds = NEEDED) -> list[tuple[str, int]]:
    """What was told, and by which check. `muted` has an m for each check that was inside a maintenance."""
    standing, heard = MonitorStanding(), list[tuple[str, int]]()
    for number, letter in enumerate(checks):
        outcome = LETTERS[letter]
        step = after(standing, number + 1, outcome, needed)
        quiet: Muted = "maintenance" if muted[number : number + 1] == "m" else ""
        result = CheckResult(at=number + 1, outcome=outcome)
        standing, notices = notices_after(standing.base, step.standing, result, number + 1, quiet)
        heard += [(notice.what, number) for notice in notices if not notice.detail.muted]
    return heard


@each(
    ("checks", "heard"),
    [
        ("ppp", []),  # that it is up is no news
        ("pfp", [("down", 1), ("recovered", 2)]),
        ("f", [("down", 0)]),
        ("w", [("degraded", 0)]),
        ("pwwp", [("degraded", 1), ("recovered", 3)]),
        ("pwfp", [("degraded", 1), ("down", 2), ("recovered", 3)]),
        ("pfwp", [("down", 1), ("recovered", 2), ("recovered", 3)]),  # out of the worst, and then well
        ("pfff", [("down", 1)]),
    ],
)
def test_each_change_is_told_once(checks: str, heard: list[tuple[str, int]]) -> None:
    assert told(checks) == heard


@each(
    ("checks", "muted", "heard"),
    [
        ("pfp", " mm", []),
        ("pff", " m ", [("down", 2)]),  # it is still down after the maintenance
        ("pfp", "  m", [("down", 1)]),
        ("pfpp", "  m ", [("down", 1), ("recovered", 3)]),
        ("pwp", " m ", []),
    ],
)
def test_problem_during_maintenance_is_reported_afterwards_if_it_lasts(
    checks: str, muted: str, heard: list[tuple[str, int]]
) -> None:
    assert told(checks, muted=muted) == heard


@each(
    ("checks", "heard"),
    [
        ("p" + "fp" * 2, [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4)]),
        ("p" + "fp" * 9, [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4)]),  # and then silence
        ("p" + "fp" * 2 + "p" * 11, [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4)]),
        (
            "p" + "fp" * 2 + "p" * 12,
            [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4), ("stable", 16)],
        ),
        (
            "p" + "fp" * 2 + "f" * 13,  # it ends down, and people hear that it does
            [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4), ("stable", 17)],
        ),
        (
            "p" + "fp" * 2 + "p" * 12 + "f",
            [("down", 1), ("recovered", 2), ("down", 3), ("flapping", 4), ("stable", 16), ("down", 17)],
        ),
        ("pf" + "p" * 11 + "fp", [("down", 1), ("recovered", 2), ("down", 13), ("recovered", 14)]),  # too seldom
    ],
)
def test_flapping_is_told_once_and_then_that_it_is_stable(checks: str, heard: list[tuple[str, int]]) -> None:
    assert told(checks) == heard


def test_changes_inside_a_maintenance_are_no_flapping() -> None:
    assert told("p" + "fp" * 8 + "p", muted=" " + "m" * 16) == []


def test_blips_are_no_changes() -> None:
    assert told("p" + "fp" * 10, needed=Thresholds(2, 1)) == []


def test_a_muted_change_is_noted_with_what_muted_it() -> None:
    standing, result = (
        MonitorStanding(base="down", since=5),
        CheckResult(at=7, outcome="fail", error="No answer", reason="timeout"),
    )
    _, (notice,) = notices_after("up", standing, result, 7, "parent")
    assert (notice.what, notice.at, notice.detail.muted, notice.detail.since) == ("down", 7, "parent", 5)
    assert (notice.detail.error, notice.detail.reason, notice.detail.before) == ("No answer", "timeout", "up")


def days_told(ends: int, looks: list[int], standing: MonitorStanding | None = None) -> list[int]:
    heard, standing = list[int](), standing or MonitorStanding(base="up")
    for at in looks:
        standing, notices = expiring(standing, ends, at, "")
        heard += [notice.detail.days for notice in notices]
    return heard


@each(
    ("left", "heard"),
    [
        ([40, 31], []),
        ([31, 30, 29, 14, 13, 7, 3, 2, 1, 0], [30, 14, 7, 3, 1]),
        ([5, 5, 4], [5]),  # for the first time so late: once
        ([30, 30, 30], [30]),
        ([-3, -4], [0]),
    ],
)
def test_a_certificate_is_told_of_once_for_each_number_of_days(left: list[int], heard: list[int]) -> None:
    ends = 400 * DAY
    assert days_told(ends, [ends - days * DAY for days in left]) == heard


def test_certificates_are_reported_individually_and_a_new_one_again() -> None:
    standing: Any = MonitorStanding(base="up")
    heard: list[MonitorNotice] = []
    for minute, ends in enumerate((20, 21, 20, 21, 90, 20)):
        standing, notices = expiring(standing, ends * DAY, minute * MINUTE, "")
        heard += notices
    assert [notice.detail.ends // DAY for notice in heard] == [20, 21]


def test_however_many_certificates_are_behind_one_name_each_is_told_of_once() -> None:
    standing: Any = MonitorStanding(base="up")
    heard = 0
    for check in range(300):
        standing, notices = expiring(standing, (10 + check % 30) * HOUR, check, "")
        heard += len(notices)
    assert heard == 30
    standing, _ = expiring(standing, 80 * DAY, 60 * DAY, "")
    standing, _ = expiring(standing, 80 * DAY, 79 * DAY, "")
    assert len(standing.certificates) == 1, "those that are over are forgotten"


def test_a_certificate_waits_until_a_maintenance_is_over() -> None:
    standing, notices = expiring(MonitorStanding(), 5 * DAY, 0, "maintenance")
    assert not notices
    assert len(expiring(standing, 5 * DAY, 0, "")[1]) == 1
