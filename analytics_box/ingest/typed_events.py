"""Events with a type, on /, /batch and /px.jpg: the type decides how the rest is read (wire 4.3)."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Raw, Struct

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.ingest import payload, spans
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.payload import EventPayload, InvalidEvent
from analytics_box.web.recognition.paths import clean
from analytics_box.web.recognition.source import host_of

TRACK = "track"
_LONGEST_LINK = 2_048


class EventKind(NamedTuple):
    """An event type: how its events are read and added."""

    decoder: "msgspec.json.Decoder[Any]"
    add: Callable[[Gathering, Any, EventTarget], None]


class OutgoingLink(EventPayload, frozen=True, kw_only=True):
    """A click on a link that leads away from the website: the address and the text of the link."""

    href: Annotated[str, Meta(min_length=1)]
    text: str | None = None


def _add_outgoing_link(gathering: Gathering, given: OutgoingLink, target: EventTarget) -> None:
    href = clean(given.href, _LONGEST_LINK)
    if not href:
        raise InvalidEvent(ErrorDetail("href", _("Send an address with visible characters")))
    own = (href, clean(given.text or "", _LONGEST_LINK), host_of(href).removeprefix("www."))
    gathering.span(given, "outgoing_links", own, target)


_EVENT = EventKind(payload.ONE, Gathering.event)
KINDS = {
    TRACK: _EVENT,
    "outgoing_link": EventKind(msgspec.json.Decoder(OutgoingLink), _add_outgoing_link),
    # Older trackers send these.
    "custom": _EVENT,
    "error": EventKind(spans.ONE_ERROR, spans.add_error),
    "web_vitals": EventKind(spans.OLD_VITALS, spans.add_old_vitals),
}
EVENT_TYPES = frozenset(name for name, kind in KINDS.items() if kind is _EVENT)


class _Head(Struct, frozen=True):
    """The type, which precedes the event. Older trackers wrap the event itself into payload."""

    type: str | None = None
    payload: Raw = Raw()


_HEAD = msgspec.json.Decoder(_Head)


class UnknownType(Exception):
    """There are no events of this type."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown event type {name[:64]}")
        self.name = name


class AddedEvent(NamedTuple):
    """An event that was gathered: its type, and the id that it brought."""

    type: str
    event_id: str | None


def add(gathering: Gathering, sent: bytes | Raw, target: EventTarget) -> AddedEvent:
    """Read one event and add it. Raises UnknownType, InvalidEvent, DecodeError, RecursionError."""
    head = _HEAD.decode(sent)
    name = head.type or TRACK
    kind = KINDS.get(name)
    if kind is None:
        raise UnknownType(name)
    wrapped = bytes(head.payload).startswith(b"{")
    given: EventPayload = kind.decoder.decode(head.payload if wrapped else sent)
    kind.add(gathering, given, target)
    return AddedEvent(name, given.eventId)


def type_of(item: Raw) -> str:
    """The type of an item that may be anything, for the answer about it."""
    try:
        return _HEAD.decode(item).type or TRACK
    except (msgspec.DecodeError, RecursionError):
        return TRACK


def detail(wrong: Exception) -> ErrorDetail:
    """The error of an event that could not be added."""
    if isinstance(wrong, InvalidEvent):
        return wrong.detail
    if isinstance(wrong, msgspec.ValidationError):
        return payload.wrong_field(wrong)
    return ErrorDetail("body", _("Invalid value"))
