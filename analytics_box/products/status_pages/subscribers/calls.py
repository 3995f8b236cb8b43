"""The procedures of subscribers: statusPage.listSubscribers, addSubscriber, removeSubscriber, exportSubscribers.

They show personal addresses, so they require members, or keys with write:status_pages.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base import audit, errors
from analytics_box.base.clock import iso
from analytics_box.base.notify import mail_limits
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.products.status_pages.access import find_reachable_page, page_in_reach
from analytics_box.products.status_pages.subscriber import Subscriber, SubscriberKind
from analytics_box.products.status_pages.subscribers import rows, secrets, subscribing
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.subscribing import SubscriptionTools
from analytics_box.query import sheets
from analytics_box.resource.reach import check
from analytics_box.tenants.tenancy.members import administers
from analytics_box.tenants.tenancy.messages import Success, date
from analytics_box.web.call import Call

_PAGE: Final = 50
_COLUMNS: Final = ("type", "address", "components", "confirmed", "createdAt", "confirmedAt")

Id = Annotated[str, Meta(min_length=1, max_length=255)]


class ListSubscribers(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.listSubscribers. `cursor` is the nextCursor of the page before."""

    statusPageId: Id
    cursor: Id | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = _PAGE


class AddSubscriber(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.addSubscriber. An empty `componentIds` means all components."""

    statusPageId: Id
    address: Annotated[str, Meta(min_length=1, max_length=2_048)]
    type: Literal["email", "webhook"] = "email"
    componentIds: Annotated[list[Id], Meta(max_length=100)] = []


class RemoveSubscriber(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.removeSubscriber."""

    statusPageId: Id
    subscriberId: Id


class ExportSubscribers(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of statusPage.exportSubscribers."""

    statusPageId: Id


class SubscriberAnswer(Struct, frozen=True):
    """A subscriber. Of a webhook's address only the origin is shown: its path may be a secret.

    `waiting` messages are still to be sent; `lastError` says why the latest one did not arrive.
    """

    id: str
    type: SubscriberKind
    address: str
    componentIds: tuple[str, ...]
    confirmed: bool
    createdAt: datetime
    confirmedAt: datetime | None
    waiting: int
    lastError: str | None


class SubscriberList(Struct, frozen=True):
    """Output of statusPage.listSubscribers: the oldest first. `nextCursor` is there while there are more."""

    subscribers: list[SubscriberAnswer]
    confirmed: int
    unconfirmed: int
    nextCursor: str | UnsetType = UNSET


class AddSubscriberAnswer(Struct, frozen=True):
    """Output of statusPage.addSubscriber. `signingSecret` is that of a webhook, and is shown only here."""

    subscriber: SubscriberAnswer
    signingSecret: str | UnsetType = UNSET


class ExportSubscribersAnswer(Struct, frozen=True):
    """Output of statusPage.exportSubscribers: all of them as the text of a file, and how many they are."""

    type: str
    content: str
    subscribers: int


async def list_subscribers(call: Call, given: ListSubscribers) -> SubscriberList:
    """statusPage.listSubscribers: list subscribers, oldest first. Raises NotFound, Forbidden or BadRequest."""
    own, _rest = find_reachable_page(call, given.statusPageId)

    def read(db: Connection) -> SubscriberList:
        check(db, own, "member")
        page = page_in_reach(db, own, given.statusPageId)
        after = (0, "")
        if given.cursor is not None:
            last = rows.ROWS.find(db, given.cursor)
            if last is None or last.page_id != page.id:
                raise errors.BadRequest.about("cursor", _("This subscriber no longer exists. Start again"))
            after = last.created_at, last.id
        found = rows.of(db, page.id, after=after, most=given.limit + 1)
        states = rows.states(db, [one.id for one in found])
        confirmed, unconfirmed = rows.count(db, page.id)
        return SubscriberList(
            [_subscriber_answer(one, *states.get(one.id, (0, ""))) for one in found[: given.limit]],
            confirmed,
            unconfirmed,
            found[given.limit - 1].id if len(found) > given.limit else UNSET,
        )

    return await call.read(read)


async def add_subscriber(call: Call, given: AddSubscriber) -> AddSubscriberAnswer:
    """statusPage.addSubscriber: add a subscriber, who must confirm. Raises NotFound, Forbidden, BadRequest, RateLimited
    as for visitors, or Conflict for an address that is a subscriber already."""
    own, whole = find_reachable_page(call, given.statusPageId)
    if given.type == "email" and not call.parts[Mailer].configured:
        raise errors.BadRequest.about("type", _("Set up a mail server first (smtp_host)"))
    tools = call.parts[SubscriptionTools]
    wanted = subscribing.check_subscription(whole, given.type, given.address, given.componentIds, tools.fence)

    def free(db: Connection) -> None:
        check(db, own, "member")
        subscribing.refuse_known(db, page_in_reach(db, own, given.statusPageId), wanted, tools)

    def add(db: Connection) -> subscribing.SubscriberWithSecrets:
        check(db, own, "member")
        if given.type == "email" and not administers(db, own.by):
            mail_limits.take_of_caller(db, own.by.actor, call.now)
        return subscribing.add(db, page_in_reach(db, own, given.statusPageId), wanted, tools, own.by)

    await call.read(free)
    limits = call.parts.limits
    subscribing.limit_page(limits, given.statusPageId)
    subscribing.limit_receiver(limits, wanted)
    asked = await call.parts.box_db.write(add, adds=True)
    call.parts[SubscriberDeliveries].soon()
    return AddSubscriberAnswer(_subscriber_answer(asked.subscriber, 1, ""), asked.secrets.signing or UNSET)


async def remove_subscriber(call: Call, given: RemoveSubscriber) -> Success:
    """statusPage.removeSubscriber: remove a subscriber. Raises NotFound or Forbidden."""
    own, _rest = find_reachable_page(call, given.statusPageId)

    def remove(db: Connection) -> None:
        check(db, own, "member")
        subscribing.remove(db, page_in_reach(db, own, given.statusPageId), given.subscriberId, own.by)

    await call.write(remove)
    return Success()


async def export_subscribers(call: Call, given: ExportSubscribers) -> ExportSubscribersAnswer:
    """statusPage.exportSubscribers: export subscribers as CSV. Raises NotFound or Forbidden.

    The audit log records it.
    """
    own, _rest = find_reachable_page(call, given.statusPageId)

    def read(db: Connection) -> list[Subscriber]:
        check(db, own, "member")
        page = page_in_reach(db, own, given.statusPageId)
        audit.record(db, own.by, own.organization_id, "created", "subscriber_export", page.id, {"page": page.name})
        return rows.of(db, page.id)

    found = await call.write(read)
    return ExportSubscribersAnswer("text/csv", _csv(found, call.parts[SubscriptionTools].seal), len(found))


def _subscriber_answer(one: Subscriber, waiting: int, error: str) -> SubscriberAnswer:
    return SubscriberAnswer(
        one.id,
        one.kind,
        one.shown_address,
        one.components,
        one.confirmed_at is not None,
        date(one.created_at),
        None if one.confirmed_at is None else date(one.confirmed_at),
        waiting,
        error or None,
    )


def _csv(found: Sequence[Subscriber], seal: Seal) -> str:
    """The subscribers with whole addresses, including those of webhooks, so that they can move to another box."""
    return sheets.lines(
        _COLUMNS,
        [
            {
                "type": one.kind,
                "address": _whole_address(one, seal),
                "components": " ".join(one.components),
                "confirmed": one.confirmed_at is not None,
                "createdAt": iso(one.created_at),
                "confirmedAt": None if one.confirmed_at is None else iso(one.confirmed_at),
            }
            for one in found
        ],
    )


def _whole_address(one: Subscriber, seal: Seal) -> str:
    """The address that messages go to; as much of it as is known if its secrets can no longer be read."""
    try:
        return secrets.decrypt_secrets(seal, one.id, one.sealed).address or one.address
    except SealBroken:
        return one.shown_address
