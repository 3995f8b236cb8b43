"""The page of a channel's recent deliveries: /settings/integrations/{id}/deliveries."""

from datetime import datetime
from typing import Annotated

from litestar.params import FromPath
from msgspec import Meta, Struct

from analytics_box.base import errors
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify import change, log
from analytics_box.base.notify.deliveries import ChannelDeliveries
from analytics_box.base.notify.log import DeliveryLogEntry, Status
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _, ngettext
from analytics_box.resource.reach import acting
from analytics_box.tenants.tenancy import members, rules
from analytics_box.tenants.tenancy.messages import Text, date
from analytics_box.web.call import Call
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

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
    """config.listDeliveries: list messages of the last 30 days, newest first. Raises Forbidden or NotFound."""
    found, more = await page(call, given)
    return DeliveryList([_delivery_answer(entry) for entry in found], found[-1].number if more else None)


async def retry_delivery(call: Call, given: OfDelivery) -> DeliveryShown:
    """config.retryDelivery: retry a message now. Raises Forbidden, NotFound, Conflict or RateLimited."""
    organization_id, by = acting(call, given.organizationId)
    call.parts.limits.take("delivery retries", call.identity.limit_name, RETRIES)

    def again(db: Connection) -> DeliveryLogEntry:
        members.check(db, organization_id, by, "update")
        return log.retry(db, organization_id, given.deliveryId, now=call.now)

    entry = await call.write(again)
    call.parts[ChannelDeliveries].soon()
    return _delivery_answer(entry)


async def page(call: Call, given: AskedDeliveries) -> tuple[list[DeliveryLogEntry], bool]:
    """A page of the log, and whether there are older entries. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)

    def find(db: Connection) -> list[DeliveryLogEntry]:
        members.check(db, organization_id, by, "read")
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


HOME = "/settings/integrations"


class DeliveryRow(Struct, frozen=True):
    """A message in the log. `state` says what became of it, `well` whether that was good; `may_retry` is about it."""

    id: str
    title: str
    when: str
    state: str
    well: bool
    may_retry: bool


async def deliveries(visit: Visitor, channel_id: FromPath[str]) -> Page:
    """GET /settings/integrations/{id}/deliveries. Raises NotFound."""
    return await _page(visit, channel_id, Again(), done=visit.asked("done") == "retried")


async def retry(visit: Visitor, channel_id: FromPath[str], delivery_id: FromPath[str]) -> Answer:
    """POST /settings/integrations/{id}/deliveries/{delivery}: try it now. Raises NotFound."""
    try:
        await retry_delivery(visit.call, OfDelivery(delivery_id))
    except errors.Conflict as refused:
        return await _page(visit, channel_id, Again(refused.status, general=refused.message))
    return visit.go(f"{HOME}/{channel_id}/deliveries?done=retried")


async def _page(visit: PageRequest, channel_id: str, again: Again, *, done: bool = False) -> Page:
    person, asked = visit.person, visit.asked("before")
    cursor = int(asked) if asked.isascii() and asked.isdecimal() and 0 < len(asked) < 16 else None
    channel = await visit.call.read(lambda db: change.existing(db, channel_id, person.organization_id))
    found, more = await page(visit.call, AskedDeliveries(channelId=channel_id, cursor=cursor or None))
    editable = rules.may(person.role, "update")
    return visit.settings_page(
        "channel_deliveries.html",
        "integrations",
        again=again,
        channel=channel,
        rows=[_row(entry, person, editable=editable and channel.enabled) for entry in found],
        newest=f"{HOME}/{channel_id}/deliveries" if cursor else "",
        older=f"{HOME}/{channel_id}/deliveries?before={found[-1].number}" if more else "",
        done=_("Trying again.") if done else "",
    )


def _row(entry: DeliveryLogEntry, person: SignedInPerson, *, editable: bool) -> DeliveryRow:
    attempts = ngettext("1 attempt", "{count} attempts", entry.attempts).format(count=entry.attempts)
    match entry.status:
        case "sent":
            state = _("Arrived {when} ({attempts}).").format(
                when=dates.moment(entry.ended_at or entry.created_at, person), attempts=attempts
            )
        case "failed":
            when = dates.moment(entry.ended_at or entry.created_at, person)
            state = _("Failed {when} ({attempts}): {error}").format(when=when, attempts=attempts, error=entry.error)
        case "waiting" if entry.error:
            when = dates.moment(entry.due_at or entry.created_at, person)
            state = _("Next attempt {when} ({attempts} so far): {error}").format(
                when=when, attempts=attempts, error=entry.error
            )
        case _:
            state = _("Waiting to be sent.")
    return DeliveryRow(
        id=entry.id,
        title=entry.title,
        when=dates.moment(entry.created_at, person),
        state=state,
        well=entry.status == "sent" or not entry.error,
        may_retry=editable and entry.status != "sent",
    )
