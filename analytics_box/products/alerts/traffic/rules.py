"""Detection of unusual traffic. Pure.

What is usual is the median of the same window one to four weeks before; of a website that has not been measured for two
weeks, that of the same window one to seven days before. Windows before the first visitor say nothing. With fewer than
two earlier windows nothing is judged. A difference counts if it reaches the threshold, if there are enough visitors for
it to mean something, and if it is more than chance explains: three times the square root of what is usual.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base.clock import DAY
from analytics_box.products.alerts import rules
from analytics_box.products.alerts.alert_rule import AlertRule
from analytics_box.products.alerts.rules import Usual

WEEKS: Final = tuple(7 * DAY * number for number in (4, 3, 2, 1))  # how long before, the oldest first
DAYS: Final = tuple(DAY * number for number in (7, 6, 5, 4, 3, 2, 1))
_LEAST_WINDOWS: Final = 2
CHANCE: Final = 3
BACK: Final = 0.5  # of the threshold: below it the traffic is as usual again

Verdict = Literal["begins", "lasts", "ends"]  # `lasts` is neither: what goes on goes on, and nothing begins


class Terms(Struct, frozen=True):
    """The terms of an alert rule, with the defaults of its trigger filled in. `threshold` is in percent."""

    threshold: float
    minutes: int
    least: int
    silence_hours: int


class Sessions(Struct, frozen=True):
    """The sessions of a window, and how many of them met an error."""

    all: int
    failing: int

    @property
    def share(self) -> float:
        """In percent; 0 of none."""
        return 100 * self.failing / self.all if self.all else 0.0


class WindowGroup(Struct, frozen=True):
    """An error group in a window: the sessions with it, its latest message, and when it happened last (UTC ms)."""

    sessions: int
    message: str
    last: int


def terms(rule: AlertRule) -> Terms:
    """The terms of an alert rule."""
    given = rule.conditions
    usual = rules.OF_ERRORS[given.errors] if given.errors else rules.DEFAULTS.get(rule.trigger, Usual())
    usual = usual if given.figure is None else rules.OF_FIGURES
    return Terms(
        threshold=given.threshold or usual.threshold,
        minutes=given.minutes or usual.minutes,
        least=given.min_visitors or usual.min_visitors,
        silence_hours=given.silence_hours or usual.silence_hours,
    )


def expected_value(earlier: Sequence[int]) -> float | None:
    """The usual value, from earlier windows with the oldest first; None if there are too few."""
    first = next((place for place, visitors in enumerate(earlier) if visitors), len(earlier))
    known = earlier[first:]
    return median(known) if len(known) >= _LEAST_WINDOWS else None


def spike(visitors: int, usual: float, wanted: Terms) -> Verdict:
    """Whether there are many more visitors than usual."""
    if (
        visitors >= wanted.least
        and visitors >= usual * (1 + wanted.threshold / 100)
        and _is_no_chance(visitors - usual, usual)
    ):
        return "begins"
    return "ends" if visitors < usual * (1 + BACK * wanted.threshold / 100) else "lasts"


def drop(visitors: int, usual: float, wanted: Terms) -> Verdict:
    """Whether there are far fewer visitors than usual. At times with few visitors nothing begins and nothing ends."""
    if usual < wanted.least:
        return "lasts"
    if visitors <= usual * (1 - wanted.threshold / 100) and _is_no_chance(usual - visitors, usual):
        return "begins"
    return "ends" if visitors > usual * (1 - BACK * wanted.threshold / 100) else "lasts"


def error_rate(sessions: Sessions, wanted: Terms) -> Verdict:
    """Whether too many sessions meet an error."""
    if sessions.all < wanted.least:
        return "lasts"
    if sessions.share > wanted.threshold:
        return "begins"
    return "ends" if sessions.share <= BACK * wanted.threshold else "lasts"


def new_groups(
    now: Mapping[str, WindowGroup], before: Mapping[str, int], decided: Mapping[str, int], least: int
) -> dict[str, str]:
    """The messages of error groups that are new, or back for the first time since they were resolved; `before` and
    `decided` are when they happened last and when that was decided (UTC ms)."""
    found = {}
    for fingerprint, group in now.items():
        resolved, earlier = decided.get(fingerprint), before.get(fingerprint)
        is_back = resolved is not None and group.last > resolved and (earlier is None or earlier <= resolved)
        if group.sessions >= least and (earlier is None or is_back):
            found[fingerprint] = group.message
    return found


def rising_groups(
    now: Mapping[str, WindowGroup], before: Mapping[str, WindowGroup], windows: float, wanted: Terms
) -> dict[str, str]:
    """The messages of error groups that affect far more sessions than usual; `before` are those of the `windows` before
    this one."""
    found = {}
    for fingerprint, group in now.items():
        earlier = before.get(fingerprint)
        usual = earlier.sessions / windows if earlier is not None else 0.0
        limit = usual * (1 + wanted.threshold / 100)
        if group.sessions >= max(wanted.least, limit) and _is_no_chance(group.sessions - usual, usual):
            found[fingerprint] = group.message
    return found


def _is_no_chance(difference: float, usual: float) -> bool:
    return difference > CHANCE * sqrt(usual)
