"""Clicks on links that lead away from a site: events of type outgoing_link (wire 4.3)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from analytics_box.base.errors import ErrorDetail
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.payload import EventPayload, InvalidEvent
from analytics_box.web.recognition.paths import clean
from analytics_box.web.recognition.source import host_of

_LONGEST = 2_048


class OutgoingLink(EventPayload, frozen=True, kw_only=True):
    """A click: where it led, and what the link said."""

    href: Annotated[str, Meta(min_length=1)]
    text: str | None = None


ONE = msgspec.json.Decoder(OutgoingLink)


def add(gathering: Gathering, given: OutgoingLink, target: EventTarget) -> None:
    """Add a click. Raises InvalidEvent."""
    href = clean(given.href, _LONGEST)
    if not href:
        raise InvalidEvent(ErrorDetail("href", "The address has no visible character"))
    own = (href, clean(given.text or "", _LONGEST), host_of(href).removeprefix("www."))
    gathering.span(given, "outgoing_links", own, target)
