"""Dropped traffic over RPC. Keys need read:data."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.ingest.dropped import KEPT_DAYS, DroppedTraffic
from analytics_box.ingest.dropped_events import view
from analytics_box.tenants.websites.reach import own
from analytics_box.web.call import Call

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
        total=view.not_counted(found),
        reasons=[
            DroppedReason(total.reason, total.label, total.explanation, total.held, total.counted, total.times)
            for total in view.totals(found)
        ],
        daily=[DroppedDay(view.iso(one.day), one.reason, one.times) for one in found],
    )
