"""The page of what a channel was sent lately: /settings/integrations/{id}/deliveries."""

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors, texts
from analytics_box.base.identity import SignedInPerson
from analytics_box.base.notify import change
from analytics_box.base.notify.log import DeliveryLogEntry
from analytics_box.tenants.configuration import delivery_calls as procedures
from analytics_box.tenants.configuration.delivery_calls import AskedDeliveries, OfDelivery
from analytics_box.tenants.tenancy import rules
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

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
        await procedures.retry_delivery(visit.call, OfDelivery(delivery_id))
    except errors.Conflict as refused:
        return await _page(visit, channel_id, Again(refused.status, general=refused.message))
    return visit.go(f"{HOME}/{channel_id}/deliveries?done=retried")


async def _page(visit: PageRequest, channel_id: str, again: Again, *, done: bool = False) -> Page:
    person, asked = visit.person, visit.asked("before")
    cursor = int(asked) if asked.isascii() and asked.isdecimal() and 0 < len(asked) < 16 else None
    channel = await visit.call.read(lambda db: change.existing(db, channel_id, person.organization_id))
    found, more = await procedures.page(visit.call, AskedDeliveries(channelId=channel_id, cursor=cursor or None))
    editable = rules.may(person.role, "update")
    return visit.settings_page(
        "channel_deliveries.html",
        "integrations",
        again=again,
        channel=channel,
        rows=[_row(entry, person, editable=editable and channel.enabled) for entry in found],
        newest=f"{HOME}/{channel_id}/deliveries" if cursor else "",
        older=f"{HOME}/{channel_id}/deliveries?before={found[-1].number}" if more else "",
        done=texts.DeliveryTexts.retried if done else "",
    )


def _row(entry: DeliveryLogEntry, person: SignedInPerson, *, editable: bool) -> DeliveryRow:
    words = texts.DeliveryTexts
    attempts = words.attempts.format(count=entry.attempts) if entry.attempts != 1 else words.one_attempt
    match entry.status:
        case "sent":
            state = words.sent.format(when=dates.moment(entry.ended_at or entry.created_at, person), attempts=attempts)
        case "failed":
            when = dates.moment(entry.ended_at or entry.created_at, person)
            state = words.failed.format(when=when, attempts=attempts, error=entry.error)
        case "waiting" if entry.error:
            when = dates.moment(entry.due_at or entry.created_at, person)
            state = words.waiting.format(when=when, attempts=attempts, error=entry.error)
        case _:
            state = words.new
    return DeliveryRow(
        id=entry.id,
        title=entry.title,
        when=dates.moment(entry.created_at, person),
        state=state,
        well=entry.status == "sent" or not entry.error,
        may_retry=editable and entry.status != "sent",
    )
