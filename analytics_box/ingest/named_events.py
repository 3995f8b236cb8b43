"""Custom events of a page by their eventName: POST /events (wire 4.4)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from analytics_box.ingest import spans
from analytics_box.ingest.delivery import MOST_EVENTS, DeliveryAnswer, EventDelivery
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import Incoming
from analytics_box.ingest.spans import SpanList

LISTED = SpanList(most=MOST_EVENTS, type="custom_event")


class NamedEvent(Incoming, frozen=True, kw_only=True):
    """An event whose name stands in eventName; screen_view and page_exit are page events here too (wire 0)."""

    name: Annotated[str, Meta(min_length=1, max_length=128)] = msgspec.field(name="eventName")


_LIST = msgspec.json.Decoder(list[NamedEvent])


async def take(intake: Intake, sent: EventDelivery) -> DeliveryAnswer:
    """Up to 100 events from a page."""
    return await spans.take(intake, sent, _LIST, LISTED, Gathering.event)
