"""Lists of spans: what /vitals, /errors and /engagement have in common (wire 4.4).

The whole list is taken or none of it. Numbers and texts that describe a page are cut to their limits, because a
report must not be lost over them; what it is about has to be right.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import msgspec

from analytics_box.base import errors
from analytics_box.base.errors import ErrorDetail
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
from analytics_box.ingest.enrich import EventTarget
from analytics_box.ingest.gathering import Gathering
from analytics_box.ingest.intake import Intake
from analytics_box.ingest.payload import EventPayload, InvalidEvent

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
