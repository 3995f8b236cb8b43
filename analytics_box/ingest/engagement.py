"""Engagement with a page, from its view to leaving it: POST /engagement (wire 4.4)."""

from typing import Literal

import msgspec

from analytics_box.ingest import spans
from analytics_box.ingest.delivery import DeliveryAnswer, EventDelivery
from analytics_box.ingest.enrich import EventTarget, as_measured, between
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import EventPayload
from analytics_box.ingest.spans import SpanList
from analytics_box.web.recognition.paths import clean

LISTED = SpanList(most=20, type="engagement")
_MOST = 65_535  # of whatever is counted
_LONGEST = 86_400_000  # ms


class Engagement(EventPayload, frozen=True, kw_only=True):
    """A visit of a page. Times are milliseconds, the depth is percent; larger values are cut to their limit. Counts
    that are not
    sent are 0; times, depth and interactions are then unknown.
    """

    pageIndex: float | None = None
    exitType: Literal["navigation", "spa", "hidden", "unload"] | None = None
    timeOnPage: float | None = None
    activeTime: float | None = None
    timeToFirstInteraction: float | None = None
    maxScrollDepth: float | None = None
    scrollCount: float | None = None
    clickCount: float | None = None
    keyCount: float | None = None
    interactionCount: float | None = None
    copyCount: float | None = None
    rageClickCount: float | None = None
    deadClickCount: float | None = None
    rageClickTarget: str | None = None
    deadClickTarget: str | None = None
    formFieldCount: float | None = None
    formSubmitCount: float | None = None
    lastFormField: str | None = None
    errorCount: float | None = None


_LIST = msgspec.json.Decoder(list[Engagement])


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 20 visits of pages."""
    return await spans.take(intake, sent, _LIST, LISTED, _add)


def _add(gathering: Gathering, given: Engagement, target: EventTarget) -> None:
    own = (
        between(given.pageIndex, _MOST),
        given.exitType or "",
        as_measured(given.timeOnPage, _LONGEST),
        as_measured(given.activeTime, _LONGEST),
        as_measured(given.timeToFirstInteraction, _LONGEST),
        as_measured(given.maxScrollDepth, 100),
        between(given.scrollCount, _MOST),
        between(given.clickCount, _MOST),
        between(given.keyCount, _MOST),
        as_measured(given.interactionCount, _MOST),
        between(given.copyCount, _MOST),
        between(given.rageClickCount, _MOST),
        between(given.deadClickCount, _MOST),
        clean(given.rageClickTarget or "", 64),
        clean(given.deadClickTarget or "", 64),
        between(given.formFieldCount, _MOST),
        between(given.formSubmitCount, _MOST),
        clean(given.lastFormField or "", 64),
        between(given.errorCount, _MOST),
    )
    gathering.span(given, "engagement", own, target)
