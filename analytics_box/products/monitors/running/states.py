"""The state of a monitor after a result (monitors: states). Pure.

A failing monitor is verified before it is down; its outage then begins with its first failing check.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.facts.uptime import DEGRADED, DOWN, STATES, UNKNOWN, UP, UptimeSpan
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import Outcome

Base = Literal["new", "up", "degraded", "down"]
FAILED, PASSED, PENDING = 0, 1, 2  # what a check is stored as; a pending one is in no ratio
SOONEST: Final = 30_000  # ms until a failing check is repeated, at most

# What the timeline shows of a monitor that nothing overlays. A new one has no timeline yet, or nothing is known of it.
SPANS: Final[dict[Base, int]] = {"new": UNKNOWN, "up": UP, "degraded": DEGRADED, "down": DOWN}


class MonitorStanding(Struct, frozen=True, omit_defaults=True):
    """The state of a monitor that carries over from check to check. Times are UTC ms.

    `fails` are failing checks in a row; `passes` are passing ones in a row since it is down. `turned` is the time of
    the
    first check of a row that may still change the state. `announced` is the last announced state, `changes` has a bit
    for each of the last twelve checks that changed the state, the newest lowest.
    """

    base: Base = "new"
    since: int = 0
    fails: int = 0
    passes: int = 0
    turned: int = 0
    announced: Base = "up"
    changes: int = 0
    flapping: bool = False
    certificates: tuple[tuple[int, int], ...] = ()  # when it ends (UTC ms), and the days before that that were told
    heard: int = 0  # of one that waits to be told: when it was last
    extra: int = 0  # ms that it may be later because the box was off

    @property
    def is_verifying(self) -> bool:
        """Whether it has failed, and is not down yet."""
        return self.base != "down" and self.fails > 0

    @property
    def is_open(self) -> bool:
        """Whether the next check may change the state from the first of a row on: it is repeated soon."""
        return self.turned > 0

    @property
    def is_in_trouble(self) -> bool:
        """Whether what depends on it is not told: it is down, or may be."""
        return self.base == "down" or self.fails > 0


class Thresholds(NamedTuple):
    """The number of failing checks until a monitor is down, and of passing ones until it is up again."""

    failures: int
    successes: int


class CheckStep(NamedTuple):
    """The result of a check for a monitor's state. `since` is the beginning of the new state, if it changed."""

    standing: MonitorStanding
    status: int
    since: int | None = None


def thresholds(monitor: Monitor) -> Thresholds:
    """The thresholds of this monitor. A push monitor cannot be checked again: each heartbeat, and each missed one,
    counts.
    """
    return Thresholds(1 if monitor.kind == "push" else monitor.failures_to_down, monitor.successes_to_up)


def repeated_after(interval: int) -> int:
    """The delay in ms until a failing check is repeated, for an interval in seconds."""
    return min(interval * 500, SOONEST)


def after(before: MonitorStanding, at: int, outcome: Outcome, needed: Thresholds) -> CheckStep:
    """The step after a check that began at `at`."""
    if outcome == "fail":
        return _after_failure(before, at, needed.failures)
    return _after_pass(before, at, "degraded" if outcome == "warn" else "up", needed.successes)


def without_row(standing: MonitorStanding) -> MonitorStanding:
    """The monitor after something that its checks say nothing about: a row of them restarts."""
    if not standing.turned:
        return standing
    fails = standing.fails if standing.base == "down" else 0
    return _with(standing, standing.base, standing.since, fails, 0, 0)


def patience(monitor: Monitor) -> int:
    """The time in ms that a push monitor waits before a heartbeat is late."""
    return (monitor.interval + monitor.options.grace) * 1000


def waiting_longer(monitor: Monitor, standing: MonitorStanding, since: int, now: int) -> MonitorStanding:
    """The standing of a push monitor after the box received nothing from `since` until now: that is added as extra
    time, and
    a whole interval more if a heartbeat may have been sent in between.
    """
    gap = now - since
    if monitor.kind != "push" or not standing.heard or gap <= 0 or standing.base == "down":
        return standing
    late_at = standing.heard + standing.extra + patience(monitor) + gap
    if standing.heard + standing.extra + monitor.interval * 1000 <= now:
        late_at = max(late_at, now + patience(monitor))
    return replace(standing, extra=late_at - standing.heard - patience(monitor))


def _after_failure(before: MonitorStanding, at: int, needed: int) -> CheckStep:
    fails = before.fails + 1
    if before.base == "down":
        return CheckStep(_with(before, "down", before.since, fails, 0, 0), FAILED)
    turned = before.turned or at
    if fails >= needed:
        return CheckStep(_with(before, "down", turned, fails, 0, 0), FAILED, turned)
    return CheckStep(_with(before, before.base, before.since, fails, 0, turned), PENDING)


def _after_pass(before: MonitorStanding, at: int, base: Base, needed: int) -> CheckStep:
    if before.base == "down":
        passes, turned = before.passes + 1, before.turned or at
        if passes < needed:
            return CheckStep(_with(before, "down", before.since, 0, passes, turned), PASSED)
        return CheckStep(_with(before, base, turned, 0, 0, 0), PASSED, turned)
    if before.base == base:
        return CheckStep(_with(before, base, before.since, 0, 0, 0), PASSED)
    since = before.turned or at if before.base == "new" else at  # what failed at first was a blip
    return CheckStep(_with(before, base, since, 0, 0, 0), PASSED, since)


def _with(before: MonitorStanding, base: Base, since: int, fails: int, passes: int, turned: int) -> MonitorStanding:
    """The standing with another state and another row of checks; the same object if nothing changes."""
    made = replace(before, base=base, since=since, fails=fails, passes=passes, turned=turned)
    return before if made == before else made


BASES: Final = frozenset((UP, DEGRADED, DOWN))  # what checks say; all others lie over it
NEW: Final = BASES | {UNKNOWN}  # and what is shown of a new monitor before they have said anything
_ALL: Final = frozenset(STATES)


class Stroke(NamedTuple):
    """From `at` (UTC ms) on a monitor is in this state: whatever it was, or only where it was one of `instead_of`."""

    monitor: int
    at: int
    state: int
    instead_of: frozenset[int] = _ALL


def paint_spans(tail: Sequence[UptimeSpan], stroke: Stroke) -> list[UptimeSpan]:
    """The last spans of a monitor after a stroke, oldest first. They must reach back to the time of the stroke.

    A stroke over everything begins no earlier than the open span: the clock may have been set back.
    """
    if not tail:
        return [UptimeSpan(stroke.state, stroke.at)]
    if stroke.instead_of == _ALL:
        at, last = max(stroke.at, tail[-1].start), tail[-1]
        return merge_spans([*tail[:-1], UptimeSpan(last.state, last.start, at), UptimeSpan(stroke.state, at)])
    made: list[UptimeSpan] = []
    for span in tail:
        if span.state not in stroke.instead_of or 0 < span.until <= stroke.at:
            made.append(span)
        else:
            at = max(stroke.at, span.start)
            made += (UptimeSpan(span.state, span.start, at), UptimeSpan(stroke.state, at, span.until))
    return merge_spans(made)


def merge_spans(spans: Sequence[UptimeSpan]) -> list[UptimeSpan]:
    """The spans without empty ones, with neighbours of one state merged."""
    made: list[UptimeSpan] = []
    for span in spans:
        if span.until and span.until <= span.start:
            continue
        if made and made[-1].state == span.state:
            made[-1] = UptimeSpan(span.state, made[-1].start, span.until)
        else:
            made.append(span)
    return made
