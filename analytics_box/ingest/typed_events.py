"""Events that say themselves what they are, on /, /batch and /px.jpg: `type` leads to the rest (wire 4.3)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from analytics_box.base.errors import ErrorDetail
from analytics_box.ingest import outgoing_links, page_errors, payload, vitals
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.payload import EventPayload, InvalidEvent

TRACK = "track"


class EventKind(NamedTuple):
    """An event type: how its events are read and added."""

    decoder: "msgspec.json.Decoder[Any]"
    add: Callable[[Gathering, Any, EventTarget], None]


_EVENT = EventKind(payload.ONE, Gathering.event)
KINDS = {
    TRACK: _EVENT,
    "outgoing_link": EventKind(outgoing_links.ONE, outgoing_links.add),
    # and what older trackers send
    "custom": _EVENT,
    "error": EventKind(page_errors.ONE, page_errors.add),
    "web_vitals": EventKind(vitals.OLD, vitals.add_old),
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
        super().__init__(f"There are no events of the type {name[:64]}")
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
    return ErrorDetail("body", "This cannot be read")
