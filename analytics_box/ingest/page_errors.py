"""Errors of a page's scripts: POST /errors, and error events of older trackers (wire 4.3 and 4.4)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.ingest import spans
from analytics_box.ingest.delivery import DeliveryAnswer, EventDelivery
from analytics_box.ingest.enrich import EventTarget, between
from analytics_box.ingest.fingerprints import fingerprint
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import MOST_RELEASE, EventPayload, InvalidEvent
from analytics_box.ingest.spans import SpanList
from analytics_box.web.recognition.paths import clean

MOST_BYTES = 128 * 1024  # of a body
LISTED = SpanList(most=50, type="error")
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


_LIST = msgspec.json.Decoder(list[PageError])
ONE = msgspec.json.Decoder(PageError)


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 50 errors from a page."""
    return await spans.take(intake, sent, _LIST, LISTED, add)


def add(gathering: Gathering, given: PageError, target: EventTarget) -> None:
    """Add an error. Raises InvalidEvent."""
    message = clean(" ".join(given.message.splitlines()), 2048)
    if not message:
        raise InvalidEvent(ErrorDetail("message", _("Send a message with visible characters")))
    kind, filename = clean(given.errorType or "", 128) or "Error", clean(given.filename or "", 512)
    stack = _lines(given.stack or "", 4096)
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


def _lines(text: str, longest: int) -> str:
    """Clean text that keeps its line breaks."""
    cleaned = (clean(line, longest) for line in text[: 2 * longest].splitlines())
    return "\n".join(line for line in cleaned if line)[:longest].rstrip()
