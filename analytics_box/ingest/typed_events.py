"""Events that say themselves what they are, on /, /batch and /px.jpg: `type` leads to the rest (wire 4.3)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from analytics_box.base.errors import Detail
from analytics_box.ingest import outgoing_links, page_errors, payload, vitals
from analytics_box.ingest.enrich import Target
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.payload import InvalidEvent, Sent

TRACK = "track"


class Kind(NamedTuple):
    """How events of a type are read and added."""

    decoder: "msgspec.json.Decoder[Any]"
    add: Callable[[Gathering, Any, Target], None]


_EVENT = Kind(payload.ONE, Gathering.event)
KINDS = {
    TRACK: _EVENT,
    "outgoing_link": Kind(outgoing_links.ONE, outgoing_links.add),
    # and what older trackers send
    "custom": _EVENT,
    "error": Kind(page_errors.ONE, page_errors.add),
    "web_vitals": Kind(vitals.OLD, vitals.add_old),
}


class _Head(Struct, frozen=True):
    """What comes before the event: its type. Older trackers wrap the event itself into payload."""

    type: str | None = None
    payload: Raw = Raw()


_HEAD = msgspec.json.Decoder(_Head)


class UnknownType(Exception):
    """There are no events of this type."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There are no events of the type {name[:64]}")
        self.name = name


class Added(NamedTuple):
    """An event that was gathered: its type, and the id that it brought."""

    type: str
    event_id: str | None


def add(gathering: Gathering, sent: bytes | Raw, target: Target) -> Added:
    """Read one event and add it. Raises UnknownType, InvalidEvent, DecodeError, RecursionError."""
    head = _HEAD.decode(sent)
    name = head.type or TRACK
    kind = KINDS.get(name)
    if kind is None:
        raise UnknownType(name)
    wrapped = bytes(head.payload).startswith(b"{")
    given: Sent = kind.decoder.decode(head.payload if wrapped else sent)
    kind.add(gathering, given, target)
    return Added(name, given.eventId)


def type_of(item: Raw) -> str:
    """The type of an item that may be anything, for the answer about it."""
    try:
        return _HEAD.decode(item).type or TRACK
    except (msgspec.DecodeError, RecursionError):
        return TRACK


def detail(wrong: Exception) -> Detail:
    """What is wrong with an event that could not be added."""
    if isinstance(wrong, InvalidEvent):
        return wrong.detail
    if isinstance(wrong, msgspec.ValidationError):
        return payload.wrong_field(wrong)
    return Detail("body", "This cannot be read")
