"""Recent deliveries to alert channels: `config.listDeliveries` and `config.retryDelivery` (scope manage:config)."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base.notify import log
from analytics_box.base.notify.deliveries import ChannelDeliveries
from analytics_box.base.notify.log import DeliveryLogEntry, Status
from analytics_box.base.store.db import Connection
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy.acting import acting
from analytics_box.tenants.tenancy.messages import Text, date
from analytics_box.web.call import Call

RETRIES = 30  # that one caller may ask for per 60 s


class AskedDeliveries(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of config.listDeliveries. `cursor` is the nextCursor of the page before."""

    channelId: Text | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    cursor: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    organizationId: Text | None = None


class OfDelivery(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a delivery."""

    deliveryId: Text
    organizationId: Text | None = None


class DeliveryShown(Struct, frozen=True):
    """A message and what became of it.

    `type` and `title` are the message's. `error` is that of the latest attempt, `nextTryAt` is null unless it waits,
    and `endedAt` is when it arrived or was given up.
    """

    id: str
    channelId: str
    channelName: str
    type: str
    title: str
    status: Status
    attempts: int
    error: str | None
    createdAt: datetime
    nextTryAt: datetime | None
    endedAt: datetime | None


class DeliveryList(Struct, frozen=True):
    """Output of config.listDeliveries; `nextCursor` is there while there are older ones."""

    deliveries: list[DeliveryShown]
    nextCursor: int | None


async def list_deliveries(call: Call, given: AskedDeliveries) -> DeliveryList:
    """config.listDeliveries: what channels were sent in 30 days, the newest first. Raises Forbidden or NotFound."""
    found, more = await page(call, given)
    return DeliveryList([_delivery_answer(entry) for entry in found], found[-1].number if more else None)


async def retry_delivery(call: Call, given: OfDelivery) -> DeliveryShown:
    """config.retryDelivery: try it now. Raises Forbidden, NotFound, Conflict or RateLimited."""
    organization_id, by = acting(call, given.organizationId)
    call.parts.limits.take("delivery retries", call.identity.limit_name, RETRIES)

    def again(db: Connection) -> DeliveryLogEntry:
        access.check(db, organization_id, by, "update")
        return log.retry(db, organization_id, given.deliveryId, now=call.now)

    entry = await call.write(again)
    call.parts[ChannelDeliveries].soon()
    return _delivery_answer(entry)


async def page(call: Call, given: AskedDeliveries) -> tuple[list[DeliveryLogEntry], bool]:
    """A page of the log, and whether there are older entries. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)

    def find(db: Connection) -> list[DeliveryLogEntry]:
        access.check(db, organization_id, by, "read")
        return log.entries(db, organization_id, channel_id=given.channelId, before=given.cursor, most=given.limit + 1)

    found = await call.read(find)
    return found[: given.limit], len(found) > given.limit


def _delivery_answer(entry: DeliveryLogEntry) -> DeliveryShown:
    return DeliveryShown(
        id=entry.id,
        channelId=entry.channel_id,
        channelName=entry.channel,
        type=entry.type,
        title=entry.title,
        status=entry.status,
        attempts=entry.attempts,
        error=entry.error or None,
        createdAt=date(entry.created_at),
        nextTryAt=None if entry.due_at is None else date(entry.due_at),
        endedAt=None if entry.ended_at is None else date(entry.ended_at),
    )
