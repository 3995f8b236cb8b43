"""Dropped traffic over RPC, and in words for its page. Keys need read:data."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base import figures
from analytics_box.base.clock import DAY, iso_day
from analytics_box.base.identity import DateFormat
from analytics_box.ingest.dropped import FOLDED, KEPT_DAYS, DroppedCount, DroppedTraffic
from analytics_box.ingest.reasons import is_quarantined, words
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call
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


DAYS = 30


class WhichDrops(Struct, frozen=True):
    """A website, and how many UTC days back, today included."""

    websiteId: str
    days: Annotated[int, Meta(ge=1, le=KEPT_DAYS)] = DAYS


class DroppedDay(Struct, frozen=True):
    """Dropped events for one reason on one UTC day, YYYY-MM-DD."""

    date: str
    reason: str
    count: int


class DroppedReason(Struct, frozen=True):
    """Dropped events for one reason over all days, with its explanation and remedy. `held` events can be counted after
    all.

    `counted` events count, and not in the total: new texts in them were replaced by "(other)".
    """

    reason: str
    label: str
    explanation: str
    held: bool
    counted: bool
    count: int


class DroppedList(Struct, frozen=True):
    """Dropped traffic: the most frequent reason first, the newest day first."""

    days: int
    total: int
    reasons: list[DroppedReason]
    daily: list[DroppedDay]


async def list_dropped(call: Call, given: WhichDrops) -> DroppedList:
    """websites.listDropped: return the number of dropped events by reason and day. Raises NotFound."""
    website = own(call, given.websiteId)
    found = await call.parts[DroppedTraffic].of(website.site, days=given.days)
    return DroppedList(
        days=given.days,
        total=not_counted(found),
        reasons=[
            DroppedReason(total.reason, total.label, total.explanation, total.held, total.counted, total.times)
            for total in totals(found)
        ],
        daily=[DroppedDay(iso_day(one.day * DAY), one.reason, one.times) for one in found],
    )
