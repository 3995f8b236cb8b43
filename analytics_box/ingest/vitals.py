"""Web vitals: POST /vitals, and web_vitals events of older trackers (wire 4.3 and 4.4)."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.event import METRICS
from analytics_box.base.translation import _
from analytics_box.ingest import spans
from analytics_box.ingest.delivery import DeliveryAnswer, EventDelivery
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import MOST_RELEASE, EventPayload, InvalidEvent
from analytics_box.ingest.spans import SpanList
from analytics_box.web.recognition.paths import clean

LISTED = SpanList(most=20, type="web_vitals")

Metric = Literal["FCP", "LCP", "CLS", "INP", "TTFB", "FPS"]
# Milliseconds, for CLS its score, for FPS frames a second. A page that lies in the background for a day is slow.
Measured = Annotated[float, Meta(ge=0, le=86_400_000)]


class VitalSample(EventPayload, frozen=True, kw_only=True):
    """A measurement of a page."""

    metricName: Metric
    metricValue: Measured
    release: str | None = None


class OldVitals(EventPayload, frozen=True, kw_only=True):
    """All measurements of a page in one event, or a single one as today; what older trackers send."""

    metricName: Metric | None = None
    metricValue: Measured | None = None
    fcp: Measured | None = None
    lcp: Measured | None = None
    cls: Measured | None = None
    inp: Measured | None = None
    ttfb: Measured | None = None
    fps: Measured | None = None
    release: str | None = None


_LIST = msgspec.json.Decoder(list[VitalSample])
OLD = msgspec.json.Decoder(OldVitals)


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 20 measurements from a page."""
    return await spans.take(intake, sent, _LIST, LISTED, _add)


def _add(gathering: Gathering, given: VitalSample, target: EventTarget) -> None:
    own = METRICS[given.metricName], given.metricValue, clean(given.release or "", MOST_RELEASE)
    gathering.span(given, "vitals", own, target)


def add_old(gathering: Gathering, given: OldVitals, target: EventTarget) -> None:
    """Add what an event of type web_vitals measures. Raises InvalidEvent where it measures nothing."""
    found = {name: value for name in METRICS if (value := getattr(given, name.lower())) is not None}
    if given.metricName is not None and given.metricValue is not None:
        found[given.metricName] = given.metricValue
    if not found:
        raise InvalidEvent(
            ErrorDetail("metricName", _("Send metricName and metricValue, or fcp, lcp, cls, inp, ttfb or fps"))
        )
    release = clean(given.release or "", MOST_RELEASE)
    for name, value in found.items():
        event_id = f"{given.eventId} {name}" if given.eventId else ""
        gathering.span(given, "vitals", (METRICS[name], value, release), target, event_id=event_id)
