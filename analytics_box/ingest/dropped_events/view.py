"""Dropped traffic in words."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.identity import DateFormat
from analytics_box.ingest.dropped import FOLDED, DroppedCount
from analytics_box.ingest.reasons import is_quarantined, words
from analytics_box.web.page.dates import day_text

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  only its day counts


class ReasonTotal(Struct, frozen=True):
    """A reason over all days."""

    reason: str
    label: str
    explanation: str
    held: bool
    counted: bool
    times: int
    count: str  # as people write it
    share: int  # percent of the most frequent reason, for the bar


class DayLine(Struct, frozen=True):
    """A day: its name, how much was not counted, and why."""

    day: str
    count: str
    reasons: str


def totals(found: Sequence[DroppedCount]) -> list[ReasonTotal]:
    """The reasons, the commonest first."""
    counted: Counter[str] = Counter()
    for one in found:
        counted[one.reason] += one.times
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [
        ReasonTotal(
            reason=reason,
            label=words(reason)[0],
            explanation=words(reason)[1],
            held=is_quarantined(reason),
            counted=reason == FOLDED,
            times=times,
            count=figures.count(times),
            share=max(1, round(100 * times / ranked[0][1])),
        )
        for reason, times in ranked
    ]


def days(found: Sequence[DroppedCount], form: DateFormat) -> list[DayLine]:
    """The days on which something was not counted, the newest first."""
    by_day: dict[int, list[DroppedCount]] = {}
    for one in found:
        by_day.setdefault(one.day, []).append(one)
    return [
        DayLine(
            day=day_text(_EPOCH + timedelta(days=number), form),
            count=figures.count(not_counted(ones)),
            reasons=", ".join(f"{words(one.reason)[0]} {figures.count(one.times)}" for one in ones),
        )
        for number, ones in sorted(by_day.items(), reverse=True)
    ]


def not_counted(found: Sequence[DroppedCount]) -> int:
    """The number of events that are not counted anywhere."""
    return sum(one.times for one in found if one.reason != FOLDED)


def iso(day: int) -> str:
    """A UTC day as YYYY-MM-DD."""
    return (_EPOCH + timedelta(days=day)).date().isoformat()
