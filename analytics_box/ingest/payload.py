"""Event payloads: one event of /track (wire 4.2) or of / and /batch (wire 4.3), decoded and checked.

Spans (wire 4.4) have separate files; all say their sender and destination in the same way.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value

MAX_PROPERTY_BYTES = 32 * 1024
MAX_PROPERTY_DEPTH = 8
MOST_RELEASE = 64  # characters; longer names are cut

_Text64 = Annotated[str, Meta(max_length=64)] | None
_Text256 = Annotated[str, Meta(max_length=256)] | None
_Text512 = Annotated[str, Meta(max_length=512)] | None
_Address = Annotated[str, Meta(max_length=8192)] | None
_PropertyName = Annotated[str, Meta(max_length=128)]


class EventPayload(Struct, frozen=True, kw_only=True):
    """Fields common to all payloads: time, place and sender. Unknown fields are ignored, null is absent."""

    eventId: _Text512 = None
    timestamp: int | str | None = None
    path: _Address = None
    anonymousId: _Text256 = None
    anonymizeVisitorIds: bool | Literal["auto"] | None = None
    sessionId: _Text256 = None
    profileId: Annotated[str, Meta(max_length=128)] | None = None


class Incoming(EventPayload, frozen=True, kw_only=True):
    """An event as it arrives.

    What says who and what an event is has limits; a description of its page that is too long is cut, and one that
    makes no sense is left out, because a page view must not be lost over it.
    """

    name: Annotated[str, Meta(min_length=1, max_length=256)]
    type: str | None = None
    namespace: _Text64 = None
    properties: Annotated[dict[_PropertyName, Any], Meta(max_length=50)] | None = None
    websiteId: Annotated[str, Meta(max_length=255)] | None = None
    source: str | None = None
    title: str | None = None
    referrer: str | None = None
    language: str | None = None
    timezone: str | None = None
    viewport_size: str | None = None
    screen_resolution: str | None = None
    time_on_page: float | None = None
    scroll_depth: float | None = None
    interaction_count: float | None = None
    interactive: bool | None = None
    connection_type: str | None = None
    utm_source: str | None = None
    utm_medium: str | None = None
    utm_campaign: str | None = None
    utm_term: str | None = None
    utm_content: str | None = None
    ref: str | None = None
    gclid: str | None = None
    fbclid: str | None = None
    ttclid: str | None = None
    twclid: str | None = None
    li_fat_id: str | None = None
    msclkid: str | None = None
    load_time: float | None = None
    dom_ready_time: float | None = None
    dom_interactive: float | None = None
    ttfb: float | None = None
    render_time: float | None = None
    redirect_time: float | None = None
    domain_lookup_time: float | None = None
    connection_time: float | None = None
    request_time: float | None = None


class InvalidEvent(Exception):
    """An event that cannot be taken; `details` say which field and why."""

    def __init__(self, detail: ErrorDetail) -> None:
        super().__init__(f"{detail.field}: {detail.message}" if detail.field else detail.message)
        self.detail = detail


ONE_OR_MANY = msgspec.json.Decoder(Incoming | list[Incoming])
MANY = msgspec.json.Decoder(list[Incoming])
ONE = msgspec.json.Decoder(Incoming)
ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
_HEAD = msgspec.json.Decoder(dict[str, Any])


def properties_text(properties: dict[str, Any] | None) -> str | None:
    """Properties as JSON text for the row; None when there are none. Raises InvalidEvent."""
    if not properties:
        return None
    if _depth(properties) > MAX_PROPERTY_DEPTH:
        raise InvalidEvent(
            ErrorDetail(
                "properties", _("Properties can be nested up to {most} levels deep").format(most=MAX_PROPERTY_DEPTH)
            )
        )
    try:
        text = msgspec.json.encode(properties)
    except RecursionError as deep:
        raise InvalidEvent(ErrorDetail("properties", _("Properties are nested too deeply"))) from deep
    if len(text) > MAX_PROPERTY_BYTES:
        raise InvalidEvent(ErrorDetail("properties", _("Properties can have up to 32 KB as JSON")))
    return text.decode()


def _depth(value: Any, so_far: int = 0) -> int:
    if so_far > MAX_PROPERTY_DEPTH or not isinstance(value, dict | list) or not value:
        return so_far
    inner = value.values() if isinstance(value, dict) else value
    return max(_depth(item, so_far + 1) for item in inner)


def instant_of(timestamp: int | str | None) -> int | None:
    """The client's time in UTC ms, None if it sent none. Raises InvalidEvent for text that is no ISO time."""
    if timestamp is None or isinstance(timestamp, int):
        return timestamp
    try:
        parsed = datetime.fromisoformat(timestamp)
    except ValueError as wrong:
        raise InvalidEvent(ErrorDetail("timestamp", _("Not an ISO 8601 time or a number of milliseconds"))) from wrong
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)


def wrong_field(broken: msgspec.ValidationError) -> ErrorDetail:
    """The field that an event has wrong, and the accepted values."""
    wrong = wrong_value(broken)
    return ErrorDetail(wrong.path or "body", wrong.message)


def event_id_of(item: msgspec.Raw) -> str | None:
    """The eventId of an item that may be anything, for the answer about it."""
    try:
        found = _HEAD.decode(item).get("eventId")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if isinstance(found, str) else None
