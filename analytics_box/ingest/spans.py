"""Lists of spans: errors, web vitals and engagement, by /errors, /vitals and /engagement (wire 4.3 and 4.4).

The whole list is taken or none of it. Numbers and texts that describe a page are cut to their limits, because a
report must not be lost over them; what it is about has to be right.
"""

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from analytics_box.base import errors
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.facts.event import METRICS
from analytics_box.base.translation import _
from analytics_box.ingest.delivery import (
    DeliveryAnswer,
    EventDelivery,
    charge,
    client_website,
    decode,
    limit,
    nothing,
    prepare_delivery,
    success,
)
from analytics_box.ingest.enrich import EventTarget, as_measured, between
from analytics_box.ingest.fingerprints import fingerprint
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import MOST_RELEASE, EventPayload, InvalidEvent
from analytics_box.web.recognition.paths import clean

T = TypeVar("T", bound=EventPayload)


class SpanList(NamedTuple):
    """A list route: what it may hold, and what its answer says of its type."""

    most: int
    type: str


async def take(
    intake: Intake,
    sent: EventDelivery,
    decoder: "msgspec.json.Decoder[list[T]]",
    listed: SpanList,
    add: Callable[[Gathering, T, EventTarget], None],
) -> DeliveryAnswer:
    """Take a list from a page by client id; `add` gathers one item. Raises BoxError."""
    page = prepare_delivery(intake, sent, client_website(intake, sent))
    sender, website, identity = page.sender, page.target, page.identity
    limit(intake, sent.scope, identity)
    items = decode(decoder.decode, sent.body, "INVALID_EVENT_SCHEMA")
    if len(items) > listed.most:
        detail = ErrorDetail("body", _("Send up to {most} items").format(most=listed.most))
        raise errors.BadRequest(detail.message, reason="INVALID_EVENT_SCHEMA", details=(detail,))
    charge(intake, identity, len(items))
    gathering = Gathering(intake, sender)
    for number, item in enumerate(items):
        try:
            add(gathering, item, website)
        except InvalidEvent as wrong:
            detail = ErrorDetail(f"[{number}].{wrong.detail.field}", wrong.detail.message)
            raise errors.BadRequest(str(wrong), reason="INVALID_EVENT_SCHEMA", details=(detail,)) from wrong
    happened = await gathering.store()
    if sender.bot:
        return nothing(happened)
    return success(sent, happened, type=listed.type, count=len(items))


MOST_ERROR_BYTES = 128 * 1024  # of a body
ERRORS = SpanList(most=50, type="error")
_MOST_LINES = 100_000


class PageError(EventPayload, frozen=True, kw_only=True):
    """An error that nobody caught. Texts that are too long are cut."""

    message: Annotated[str, Meta(min_length=1)]
    filename: str | None = None
    lineno: float | None = None
    colno: float | None = None
    stack: str | None = None
    errorType: str | None = None
    release: str | None = None


_ERROR_LIST = msgspec.json.Decoder(list[PageError])
ONE_ERROR = msgspec.json.Decoder(PageError)


async def take_errors(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 50 errors from a page."""
    return await take(intake, sent, _ERROR_LIST, ERRORS, add_error)


def add_error(gathering: Gathering, given: PageError, target: EventTarget) -> None:
    """Add an error. Raises InvalidEvent."""
    message = clean(" ".join(given.message.splitlines()), 2048)
    if not message:
        raise InvalidEvent(ErrorDetail("message", _("Send a message with visible characters")))
    kind, filename = clean(given.errorType or "", 128) or "Error", clean(given.filename or "", 512)
    stack = _limited_lines(given.stack or "", 4096)
    own = (
        kind,
        message,
        filename,
        between(given.lineno, _MOST_LINES),
        between(given.colno, _MOST_LINES),
        stack,
        clean(given.release or "", MOST_RELEASE),
        fingerprint(kind, message, filename, stack),
    )
    gathering.span(given, "errors", own, target)


def _limited_lines(text: str, longest: int) -> str:
    """Clean text that keeps its line breaks."""
    cleaned = (clean(line, longest) for line in text[: 2 * longest].splitlines())
    return "\n".join(line for line in cleaned if line)[:longest].rstrip()


VITALS = SpanList(most=20, type="web_vitals")

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


_VITALS_LIST = msgspec.json.Decoder(list[VitalSample])
OLD_VITALS = msgspec.json.Decoder(OldVitals)


async def take_vitals(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 20 measurements from a page."""
    return await take(intake, sent, _VITALS_LIST, VITALS, _add_vital)


def _add_vital(gathering: Gathering, given: VitalSample, target: EventTarget) -> None:
    own = METRICS[given.metricName], given.metricValue, clean(given.release or "", MOST_RELEASE)
    gathering.span(given, "vitals", own, target)


def add_old_vitals(gathering: Gathering, given: OldVitals, target: EventTarget) -> None:
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


ENGAGEMENTS = SpanList(most=20, type="engagement")
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


_ENGAGEMENT_LIST = msgspec.json.Decoder(list[Engagement])


async def take_engagement(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 20 visits of pages."""
    return await take(intake, sent, _ENGAGEMENT_LIST, ENGAGEMENTS, _add_engagement)


def _add_engagement(gathering: Gathering, given: Engagement, target: EventTarget) -> None:
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
