"""POST /, /batch (wire 4.3) and /events (wire 4.4): events of pages, by client id."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.ingest import payload, spans, typed_events
from analytics_box.ingest.delivery import (
    MOST_EVENTS,
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
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.spans import SpanList
from analytics_box.ingest.typed_events import AddedEvent, UnknownType

WRONG = (msgspec.DecodeError, RecursionError, InvalidEvent)
_NAMED_LIST = SpanList(most=MOST_EVENTS, type="custom_event")


class NamedEvent(Incoming, frozen=True, kw_only=True):
    """An event of /events, named by eventName. Here too, screen_view and page_exit are page events (wire 0)."""

    name: Annotated[str, Meta(min_length=1, max_length=128)] = msgspec.field(name="eventName")


_NAMED_EVENTS = msgspec.json.Decoder(list[NamedEvent])


async def one(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Store one event."""
    gathering, website, _ = _begin(intake, sent)

    def add(body: bytes) -> AddedEvent:
        return typed_events.add(gathering, body, website)

    try:
        added = decode(add, sent.body, "INVALID_EVENT_SCHEMA")
    except UnknownType as unknown:
        raise errors.BadRequest(str(unknown), reason="INGEST_UNKNOWN_EVENT_TYPE") from unknown
    except InvalidEvent as wrong:
        raise errors.BadRequest(str(wrong), reason="INVALID_EVENT_SCHEMA", details=(wrong.detail,)) from wrong
    happened = await gathering.store()
    return nothing(happened) if gathering.sender.bot else success(sent, happened, type=added.type)


async def batch(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 100 events; each gets its own verdict."""
    gathering, website, identity = _begin(intake, sent)
    items = decode(payload.ITEMS.decode, sent.body, "INGEST_BATCH_NOT_ARRAY")
    if len(items) > MOST_EVENTS:
        raise errors.BadRequest(
            _("Send up to {most} events in a batch").format(most=MOST_EVENTS), reason="INGEST_BATCH_TOO_LARGE"
        )
    charge(intake, identity, len(items))
    results = [_verdict(gathering, item, website) for item in items]
    happened = await gathering.store()
    return success(sent, happened, batch=True, processed=len(results), results=results)


async def by_name(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Store up to 100 events, or none of them."""
    return await spans.take(intake, sent, _NAMED_EVENTS, _NAMED_LIST, Gathering.event)


def _begin(intake: Intake, sent: EventDelivery) -> tuple[Gathering, EventTarget, str]:
    """The gathering for the sender and destination, and the holder of the limit. Raises BoxError for those without
    access.
    """
    page = prepare_delivery(intake, sent, client_website(intake, sent))
    limit(intake, sent.scope, page.identity)
    return Gathering(intake, page.sender), page.target, page.identity


def _verdict(gathering: Gathering, item: msgspec.Raw, website: EventTarget) -> dict[str, Any]:
    """Add an item of a batch if it is valid."""
    try:
        added = typed_events.add(gathering, item, website)
    except UnknownType as unknown:
        gathering.wrong(website.site, "unknown_event_type")
        return {"status": "error", "message": "Unknown event type", "eventType": unknown.name[:64]}
    except WRONG as wrong:
        gathering.wrong(website.site, "invalid_schema")
        detail = typed_events.detail(wrong)
        return {
            "status": "error",
            "message": "Invalid event schema",
            "code": "INVALID_EVENT_SCHEMA",
            "eventType": typed_events.type_of(item),
            "eventId": payload.event_id_of(item),
            "errors": [{"code": "INVALID_VALUE", "field": detail.field, "message": detail.message}],
        }
    if gathering.sender.bot:
        return {"status": "error", "message": "Bot detected", "eventType": added.type, "error": "ignored"}
    return success_verdict(added.type, added.event_id)


def success_verdict(name: str, event_id: str | None) -> dict[str, Any]:
    """The verdict on an item that is stored."""
    return {"status": "success", "type": name, "eventId": event_id}
