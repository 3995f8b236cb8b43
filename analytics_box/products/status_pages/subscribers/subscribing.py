"""Subscriptions: requests, confirmation, choice of components and removal, by visitors and by the organization.

An email address gets a link to confirm; a webhook must answer a challenge. Both are queued in the outbox, so they are
sent even after a crash. Another request sends it again, at most once an hour per address.
"""

from collections.abc import Collection
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.acting import By
from analytics_box.base.audit import Action, record
from analytics_box.base.clock import HOUR
from analytics_box.base.errors import BadRequest
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.notify import checks, mail_limits, receivers
from analytics_box.base.notify.mail_limits import mailbox_of
from analytics_box.base.notify.receivers import SUBSCRIBERS
from analytics_box.base.outgoing.addresses import Fence
from analytics_box.base.outgoing.target import target
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.subscriber import (
    LONGEST_ADDRESS,
    ConfirmationRequest,
    Subscriber,
    SubscriberKind,
)
from analytics_box.products.status_pages.subscribers import rows, secrets
from analytics_box.products.status_pages.subscribers.secrets import SubscriberSecrets
from analytics_box.tenants.accounts.rules import clean_email

ASKED_AGAIN: Final = HOUR  # between two requests to one address
MOST_UNCONFIRMED: Final = 1_000  # of a page at the same time


class RequestedSubscription(Struct, frozen=True):
    """A requested subscription: the subscriber's address, and the components; none means all."""

    kind: SubscriberKind
    address: str
    components: tuple[str, ...] = ()


class SubscriptionTools(Struct, frozen=True):
    """The tools of subscribing: the seal of secrets, the fence of strangers, and the most subscribers of a page.

    A webhook counts as a stranger's, even if a member enters it: deliveries reach the public internet only.
    """

    seal: Seal
    fence: Fence
    most: int


class SubscriberWithSecrets(Struct, frozen=True):
    """A subscriber who was asked to confirm, or had confirmed before, with their secrets."""

    subscriber: Subscriber
    secrets: SubscriberSecrets


def check_subscription(
    whole: Whole, kind: SubscriberKind, address: str, components: Collection[str], fence: Fence
) -> RequestedSubscription:
    """Check the input as far as possible without an outgoing request. Raises BadRequest."""
    address = address.strip()
    if not address or len(address) > LONGEST_ADDRESS:
        raise BadRequest.about(
            "address", _("Enter an address of at most {longest} characters").format(longest=LONGEST_ADDRESS)
        )
    try:
        clean = clean_email(address) if kind == "email" else checks.secure_url(address, fence)
    except BadRequest as wrong:
        raise BadRequest.about("address", wrong.message) from wrong
    return RequestedSubscription(kind, clean, check_components(whole, components))


def check_components(whole: Whole, components: Collection[str]) -> tuple[str, ...]:
    """Ids of components in the order of the page, each once. Raises BadRequest for others."""
    known = [one.id for one in whole.components]
    if any(one not in known for one in components):
        raise BadRequest.about("components", _("One of these components is not on this page"))
    return tuple(one for one in known if one in components)


def subscribe(
    db: Connection, page: StatusPage, wanted: RequestedSubscription, tools: SubscriptionTools, now: int
) -> SubscriberWithSecrets | None:
    """Subscribe a visitor. Return the subscriber who was asked to confirm, or None if nothing is sent. `now` is UTC ms.

    The latest choice of an unconfirmed subscriber counts. Raises BadRequest if the page accepts no more subscribers.
    After the commit call `SubscriberDeliveries.soon`.
    """
    before = rows.by_address(db, page.id, wanted.kind, _at_rest(tools, wanted))
    if before is None:
        _make_room(db, page, tools)
        return _ask_new(db, page, wanted, tools, now)
    if before.kind == "webhook":
        return _ask_webhook_again(db, before, wanted, tools, now) if before.confirmed_at is None else None
    if before.asked_at > now - ASKED_AGAIN:
        return None
    components = before.components if before.confirmed_at is not None else wanted.components
    asked = replace(before, components=components, asked_at=now)
    return _ask(db, asked, secrets.decrypt_secrets(tools.seal, before.id, before.sealed), now)


def add(
    db: Connection, page: StatusPage, wanted: RequestedSubscription, tools: SubscriptionTools, by: By
) -> SubscriberWithSecrets:
    """Add a subscriber on behalf of the organization; they have to confirm as usual.

    Raises BadRequest if the page takes no more subscribers, Conflict for an address that is already subscribed.
    """
    if not page.published:
        raise BadRequest(_("Publish the status page before you add subscribers"))
    refuse_known(db, page, wanted, tools)
    _make_room(db, page, tools)
    asked = _ask_new(db, page, wanted, tools, by.now)
    _note(db, page, by, "created", asked.subscriber)
    return asked


def refuse_known(db: Connection, page: StatusPage, wanted: RequestedSubscription, tools: SubscriptionTools) -> None:
    """Raises Conflict for an address that is subscribed already."""
    if rows.by_address(db, page.id, wanted.kind, _at_rest(tools, wanted)) is not None:
        raise errors.Conflict(_("This address is already subscribed"))


def remove(db: Connection, page: StatusPage, subscriber_id: str, by: By) -> None:
    """Remove a subscriber on behalf of the organization. Raises NotFound."""
    found = rows.ROWS.find(db, subscriber_id)
    if found is None or found.page_id != page.id:
        raise errors.NotFound.of("subscriber", subscriber_id)
    rows.ROWS.delete(db, found.id)
    _note(db, page, by, "deleted", found)


def of_link(db: Connection, page: StatusPage, link: str) -> Subscriber | None:
    """The subscriber with this link; None if the link is not valid on this page."""
    found = rows.ROWS.first(db, "digest = ?", ids.digest(link))
    return found if found is not None and found.page_id == page.id else None


def confirm(db: Connection, subscriber: Subscriber, now: int) -> Subscriber:
    """Confirm a subscription. Doing it twice changes nothing."""
    rows.set_confirmed(db, subscriber.id, now)
    return replace(subscriber, confirmed_at=subscriber.confirmed_at or now)


def choose(db: Connection, subscriber: Subscriber, components: tuple[str, ...]) -> Subscriber:
    """Limit a subscription to these components; none means all."""
    changed = replace(subscriber, components=components)
    rows.ROWS.update(db, changed)
    return changed


def leave(db: Connection, subscriber: Subscriber) -> None:
    """Unsubscribe: all data of the subscriber is deleted."""
    rows.ROWS.delete(db, subscriber.id)


def challenge_again(db: Connection, subscriber: Subscriber, now: int) -> None:
    """Send the challenge of a webhook again now. The time to confirm does not start again.

    After the commit call `SubscriberDeliveries.soon`.
    """
    latest = next(iter(rows.requests(db, subscriber.id)), None)
    if latest is None or subscriber.confirmed_at is not None:
        return
    rows.begin_again(db, latest[0], now)
    receivers.forget(db, SUBSCRIBERS, subscriber.id)


def _make_room(db: Connection, page: StatusPage, tools: SubscriptionTools) -> None:
    """Make room for a subscriber: the oldest unconfirmed ones are deleted, so that requests in the name of others
    cannot close a page. Raises BadRequest if all have confirmed."""
    confirmed, waiting = rows.count(db, page.id)
    room = min(tools.most - confirmed, MOST_UNCONFIRMED)
    if room <= 0:
        raise BadRequest(_("This page cannot accept more subscribers right now. Use its RSS feed instead."))
    if waiting >= room:
        rows.forget_oldest_unconfirmed(db, page.id, room - 1)


def _ask_new(
    db: Connection, page: StatusPage, wanted: RequestedSubscription, tools: SubscriptionTools, now: int
) -> SubscriberWithSecrets:
    own, subscriber_id = secrets.new(wanted.kind, wanted.address), ids.new_id()
    subscriber = Subscriber(
        id=subscriber_id,
        page_id=page.id,
        kind=wanted.kind,
        address=_at_rest(tools, wanted),
        components=wanted.components,
        digest=ids.digest(own.link),
        sealed=secrets.encrypt_secrets(tools.seal, subscriber_id, own),
        created_at=now,
        asked_at=now,
    )
    return _ask(db, subscriber, own, now)


def _ask_webhook_again(
    db: Connection, before: Subscriber, wanted: RequestedSubscription, tools: SubscriptionTools, now: int
) -> SubscriberWithSecrets:
    """Ask with new secrets, which belong to the latest request: earlier secrets are invalid until the
    webhook confirms."""
    own = secrets.new("webhook", wanted.address)
    sealed = secrets.encrypt_secrets(tools.seal, before.id, own)
    asked = replace(before, components=wanted.components, digest=ids.digest(own.link), sealed=sealed, asked_at=now)
    return _ask(db, asked, own, now)


def _at_rest(tools: SubscriptionTools, wanted: RequestedSubscription) -> str:
    return secrets.address_at_rest(tools.seal, wanted.kind, wanted.address)


def _ask(db: Connection, subscriber: Subscriber, own: SubscriberSecrets, now: int) -> SubscriberWithSecrets:
    """Ask a subscriber to confirm. Raises RateLimited for a mailbox that was asked too often."""
    if subscriber.kind == "email":
        mail_limits.take(db, "subscription", subscriber.address, now)
    is_known = rows.ROWS.find(db, subscriber.id) is not None
    store = rows.ROWS.update if is_known else rows.ROWS.insert
    store(db, subscriber)
    _put_request(db, subscriber.id, now)
    return SubscriberWithSecrets(subscriber, own)


def _put_request(db: Connection, subscriber_id: str, now: int) -> None:
    topic = f"request_{ids.base62(12)}"
    rows.end_requests(db, subscriber_id, now)
    rows.put_message(db, topic, None, msgspec.json.encode(ConfirmationRequest()).decode(), now)
    rows.put_deliveries(db, topic, [subscriber_id], now)


def _note(db: Connection, page: StatusPage, by: By, action: Action, subscriber: Subscriber) -> None:
    detail = {"page": page.name, "type": subscriber.kind}
    record(db, by, page.organization_id, action, "subscriber", subscriber.id, detail)


# Per hour, for the whole box but PER_PAGE. A mail domain is one organization's, or a large provider's. The limit of a
# single mailbox is in notify.mail_limits.
PER_DOMAIN, PER_HOST, PER_PAGE, PER_BOX = 1_000, 10, 1_000, 5_000
HOUR_SECONDS: Final = 3_600.0


def limit_page(limits: TokenBuckets, page_id: str) -> None:
    """Raises RateLimited if a page or the box sends too many requests."""
    limits.take("subscribe page", page_id, PER_PAGE, window=HOUR_SECONDS)
    limits.take("subscribe box", "", PER_BOX, window=HOUR_SECONDS)


def limit_receiver(limits: TokenBuckets, wanted: RequestedSubscription) -> None:
    """Raises RateLimited where a mail domain or the host of a webhook got too many requests."""
    if wanted.kind == "webhook":
        limit_host(limits, wanted.address)
        return
    domain = mailbox_of(wanted.address).rpartition("@")[2]
    limits.take("subscribe domain", domain, PER_DOMAIN, window=HOUR_SECONDS)


def limit_host(limits: TokenBuckets, url: str) -> None:
    """Raises RateLimited where the host of a webhook was asked too often."""
    limits.take("subscribe host", target(url).host, PER_HOST, window=HOUR_SECONDS)


def limit_challenge(limits: TokenBuckets, subscriber: Subscriber) -> None:
    """Raises RateLimited where the challenge was just sent again, or the host was asked too often."""
    limits.take("subscribe challenge", subscriber.id, 1)
    limit_host(limits, subscriber.shown_address)
