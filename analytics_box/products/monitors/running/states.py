"""What a result makes of a monitor (monitors: states). Pure.

A monitor that fails is verified before it is down; what it is then holds from its first failing check on.
"""

from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.facts.uptime import DEGRADED, DOWN, UNKNOWN, UP
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import Outcome

Base = Literal["new", "up", "degraded", "down"]
FAILED, PASSED, PENDING = 0, 1, 2  # what a check is stored as; a pending one is in no ratio
SOONEST: Final = 30_000  # ms until a failing check is repeated, at most

# What the timeline shows of a monitor that nothing overlays. A new one has no timeline yet, or nothing is known of it.
SPANS: Final[dict[Base, int]] = {"new": UNKNOWN, "up": UP, "degraded": DEGRADED, "down": DOWN}


class Standing(Struct, frozen=True, omit_defaults=True):
    """What of a monitor goes on from check to check. Times are UTC ms.

    `fails` are failing checks in a row; `passes` are those in a row that passed since it is down. `turned` is when the
    first of a row was that may still change the state. `announced` is what people were last told, `changes` has a bit
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
    """How many failing checks make a monitor down, and how many passing ones up again."""

    failures: int
    successes: int


class Step(NamedTuple):
    """What a check made of a monitor. `since` is from when on its state is another, if it is."""

    standing: Standing
    status: int
    since: int | None = None


def thresholds(monitor: Monitor) -> Thresholds:
    """Those of this monitor. One that waits to be told cannot be asked again: what it says or fails to say counts."""
    return Thresholds(1 if monitor.kind == "push" else monitor.failures_to_down, monitor.successes_to_up)


def repeated_after(interval: int) -> int:
    """How many ms after a failing check it is repeated, of a monitor that is checked every `interval` seconds."""
    return min(interval * 500, SOONEST)


def after(before: Standing, at: int, outcome: Outcome, needed: Thresholds) -> Step:
    """What a check that began at `at` made of a monitor."""
    if outcome == "fail":
        return _failed(before, at, needed.failures)
    return _passed(before, at, "degraded" if outcome == "warn" else "up", needed.successes)


def without_row(standing: Standing) -> Standing:
    """The monitor after something that its checks say nothing about: a row of them begins anew."""
    if not standing.turned:
        return standing
    fails = standing.fails if standing.base == "down" else 0
    return _with(standing, standing.base, standing.since, fails, 0, 0)


def patience(monitor: Monitor) -> int:
    """How many ms one that waits to be told waits until it is late."""
    return (monitor.interval + monitor.options.grace) * 1000


def waiting_longer(monitor: Monitor, standing: Standing, since: int, now: int) -> Standing:
    """One that waits to be told, after nobody heard from `since` until now: it gets that as extra time, and a whole
    interval more where something may have been said meanwhile."""
    gap = now - since
    if monitor.kind != "push" or not standing.heard or gap <= 0 or standing.base == "down":
        return standing
    late_at = standing.heard + standing.extra + patience(monitor) + gap
    if standing.heard + standing.extra + monitor.interval * 1000 <= now:
        late_at = max(late_at, now + patience(monitor))
    return replace(standing, extra=late_at - standing.heard - patience(monitor))


def _failed(before: Standing, at: int, needed: int) -> Step:
    fails = before.fails + 1
    if before.base == "down":
        return Step(_with(before, "down", before.since, fails, 0, 0), FAILED)
    turned = before.turned or at
    if fails >= needed:
        return Step(_with(before, "down", turned, fails, 0, 0), FAILED, turned)
    return Step(_with(before, before.base, before.since, fails, 0, turned), PENDING)


def _passed(before: Standing, at: int, base: Base, needed: int) -> Step:
    if before.base == "down":
        passes, turned = before.passes + 1, before.turned or at
        if passes < needed:
            return Step(_with(before, "down", before.since, 0, passes, turned), PASSED)
        return Step(_with(before, base, turned, 0, 0, 0), PASSED, turned)
    if before.base == base:
        return Step(_with(before, base, before.since, 0, 0, 0), PASSED)
    since = before.turned or at if before.base == "new" else at  # what failed at first was a blip
    return Step(_with(before, base, since, 0, 0, 0), PASSED, since)


def _with(before: Standing, base: Base, since: int, fails: int, passes: int, turned: int) -> Standing:
    """What was before, with another state and another row of checks; the same object where nothing changes."""
    made = replace(before, base=base, since=since, fails=fails, passes=passes, turned=turned)
    return before if made == before else made
