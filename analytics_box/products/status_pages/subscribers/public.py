"""The public subscription pages: `subscribe`, and `subscription/…` to confirm, choose components and unsubscribe.

They return a struct, which the server of the page renders. A subscriber's link is proof enough: it needs neither a
cookie nor the page's password. Opening a link changes nothing, because mail scanners open links too.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal
from urllib.parse import parse_qsl

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.clock import HOUR, Clock
from analytics_box.base.errors import BadRequest, BrokenBody, RateLimited
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.notify.mail import ONE_CLICK, Mailer
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.products.status_pages.page import MOST_COMPONENTS, StatusPage, Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.subscriber import Subscriber, SubscriberKind
from analytics_box.products.status_pages.subscribers import rows, secrets, subscribing
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.subscribing import (
    RequestedSubscription,
    SubscriberWithSecrets,
    SubscriptionTools,
)
from analytics_box.web import body
from analytics_box.web.asgi import Receive, Scope

SUBSCRIBE: Final = "subscribe"
SUBSCRIPTION: Final = "subscription/"

# Subscription requests per network and hour. Recipients have their own limits (asking.py).
PER_VISITOR: Final = 20
SHOWN_FOR: Final = HOUR  # How long a webhook's signing secret is shown.
_COMPONENT: Final = "component."  # The prefix of the check boxes' names.

Template = Literal["status/subscribe.html", "status/subscription.html", "status/said.html"]


class SubscriptionVisit(Struct, frozen=True):
    """A request below a page: `rest` is the path, `network` the visitor for rate limits, `form` the posted fields.

    `is_foreign` is true if the browser names another website as the sender of the form.
    """

    method: Literal["GET", "POST"]
    rest: str
    network: str
    form: Mapping[str, str] = {}
    is_foreign: bool = False


class ComponentChoice(Struct, frozen=True):
    """A component to choose, and the name of its check box."""

    name: str
    label: str
    checked: bool


class Reply(Struct, frozen=True):
    """An answer: a template and its values or, with a `location`, a redirect (303) below the page."""

    template: Template = "status/said.html"
    status: int = 200
    title: str = ""
    text: str = ""
    location: str = ""
    wrong: str = ""
    done: str = ""
    kind: SubscriberKind = "email"
    address: str = ""
    by_email: bool = True
    everything: bool = True
    choices: tuple[ComponentChoice, ...] = ()
    is_confirmed: bool = False
    action: str = ""
    signing: str = ""
    failed: bool = False
    again: bool = False


def is_for_us(rest: str) -> bool:
    """Return whether a path below a page is answered here."""
    return rest == SUBSCRIBE or rest.startswith(SUBSCRIPTION)


class SubscriptionPages:
    """Answers subscription requests of visitors."""

    def __init__(
        self,
        db: Db,
        tools: SubscriptionTools,
        deliveries: SubscriberDeliveries,
        mailer: Mailer,
        limits: TokenBuckets,
        clock: Clock,
    ) -> None:
        self._db = db
        self._tools = tools
        self._deliveries = deliveries
        self._mailer = mailer
        self._limits = limits
        self._clock = clock

    async def answer(self, whole: Whole, seen: PageSeen, visit: SubscriptionVisit) -> Reply:
        """Answer a visitor of a page. Raises NotFound for other paths, Forbidden for forms of other websites, and
        Unavailable.
        """
        one_click = visit.rest.startswith(SUBSCRIPTION) and visit.form.get(ONE_CLICK[0]) == ONE_CLICK[1]
        if visit.method == "POST" and visit.is_foreign and not one_click:
            raise errors.Forbidden(_("This form was sent from another website. Open the page and try again"))
        if visit.rest == SUBSCRIBE:
            return await self._subscribe(whole, seen, visit) if visit.method == "POST" else self._form(whole, seen)
        if not visit.rest.startswith(SUBSCRIPTION):
            raise errors.NotFound(_("This address does not exist"))
        return await self._subscription(whole, seen, visit, one_click=one_click)

    # Subscribing

    def _form(
        self,
        whole: Whole,
        seen: PageSeen,
        *,
        given: Mapping[str, str] | None = None,
        wrong: str = "",
        status: int = 200,
    ) -> Reply:
        if not whole.page.subscribable:
            return Reply(
                status=404,
                title=_("Subscriptions are disabled"),
                text=_("You cannot subscribe to this page. Its feeds are public."),
            )
        said = given or {}
        return Reply(
            template="status/subscribe.html",
            status=status,
            title=_("Subscribe to updates"),
            wrong=wrong,
            kind="webhook" if "://" in said.get("address", "") else "email",
            address=said.get("address", ""),
            by_email=self._mailer.configured,
            everything=said.get("about", "all") == "all",
            choices=_choices(seen, [name.removeprefix(_COMPONENT) for name in said]),
            action=f"/{SUBSCRIBE}",
        )

    async def _subscribe(self, whole: Whole, seen: PageSeen, visit: SubscriptionVisit) -> Reply:
        if not whole.page.subscribable:
            return self._form(whole, seen)
        try:
            self._limit(whole.page, visit)
            wanted = self._wanted(whole, visit.form)
            asked = await self._ask(whole.page, wanted)
        except RateLimited:
            return self._form(
                whole,
                seen,
                given=visit.form,
                wrong=_("Too many attempts. Try again later."),
                status=429,
            )
        except BadRequest as refused:
            return self._form(whole, seen, given=visit.form, wrong=refused.message, status=400)
        self._deliveries.soon()
        if wanted.kind == "email":
            return Reply(
                title=_("Check your inbox"),
                text=_(
                    "Select the link in the email to confirm your subscription. It expires in 48 hours. "
                    "If you are already subscribed, use the link in any earlier email to manage your subscription."
                ),
            )
        if asked is None:
            return self._form(
                whole,
                seen,
                given=visit.form,
                wrong=_(
                    "This webhook is already subscribed. Every message contains a link to manage the subscription."
                ),
                status=409,
            )
        return Reply(status=303, location=f"/{SUBSCRIPTION}{asked.secrets.link}")

    def _wanted(self, whole: Whole, form: Mapping[str, str]) -> RequestedSubscription:
        address = form.get("address", "").strip()
        kind: SubscriberKind = "webhook" if "://" in address else "email"
        if kind == "email" and not self._mailer.configured:
            raise BadRequest(_("Email is not available on this page. Use a feed or a webhook."))
        return subscribing.check_subscription(whole, kind, address, _ticked_components(form), self._tools.fence)

    async def _ask(self, page: StatusPage, wanted: RequestedSubscription) -> SubscriberWithSecrets | None:
        """Ask for a confirmation. An email address that was asked too often is not asked again, without saying so."""
        now = self._clock.now()
        try:
            subscribing.limit_receiver(self._limits, wanted)
            return await self._db.write(lambda db: subscribing.subscribe(db, page, wanted, self._tools, now), adds=True)
        except RateLimited:
            if wanted.kind == "webhook":
                raise
            return None

    def _limit(self, page: StatusPage, visit: SubscriptionVisit) -> None:
        """Raises RateLimited."""
        self._limits.take("subscribe", visit.network, PER_VISITOR, window=subscribing.HOUR_SECONDS)
        subscribing.limit_page(self._limits, page.id)

    # Pages of a link

    async def _subscription(self, whole: Whole, seen: PageSeen, visit: SubscriptionVisit, *, one_click: bool) -> Reply:
        link, page = visit.rest.removeprefix(SUBSCRIPTION), whole.page
        action = "leave" if one_click else visit.form.get("action", "") if visit.method == "POST" else ""
        if not action:
            found = await self._db.read(lambda db: _find_linked(db, page, link))
        else:
            self._limits.take("subscription", visit.network, PER_VISITOR * 6)
            try:
                if action == "challenge":
                    await self._limit_challenge(page, link)
                found = await self._act(whole, link, action, visit.form)
            except (BadRequest, RateLimited) as refused:
                found = await self._db.read(lambda db: _find_linked(db, page, link))
                too_often = isinstance(refused, RateLimited)
                wrong = _("The challenge was sent a moment ago. Try again later.") if too_often else refused.message
                return self._shown(seen, found, link, wrong=wrong, is_too_often=too_often) if found else _unknown(page)
        if action == "leave":
            return Reply(
                title=_("Unsubscribed"),
                text=_("You will receive no further messages from {page}. Your address was deleted.").format(
                    page=page.name
                ),
            )
        if found is None:
            return _unknown(page)
        if action == "challenge":
            return Reply(status=303, location=f"/{SUBSCRIPTION}{link}")
        done = {
            "confirm": _("Subscription confirmed. Updates from {page} are sent to {address}.").format(
                address=found.subscriber.shown_address, page=page.name
            ),
            "save": _("Changes saved."),
        }.get(action, "")
        return self._shown(seen, found, link, done=done)

    async def _limit_challenge(self, page: StatusPage, link: str) -> None:
        """Raises RateLimited."""
        found = await self._db.read(lambda db: subscribing.of_link(db, page, link))
        if found is not None and found.kind == "webhook" and found.confirmed_at is None:
            subscribing.limit_challenge(self._limits, found)

    async def _act(self, whole: Whole, link: str, action: str, form: Mapping[str, str]) -> "_LinkedSubscriber | None":
        """Perform the action of a form. Raises BadRequest."""
        components = (
            subscribing.check_components(whole, _ticked_components(form)) if action in {"save", "confirm"} else ()
        )
        now = self._clock.now()

        def act(db: Connection) -> "_LinkedSubscriber | None":
            found = _find_linked(db, whole.page, link)
            if found is None:
                return None
            subscriber = found.subscriber
            match action:
                case "leave":
                    subscribing.leave(db, subscriber)
                    return None
                case "confirm" if subscriber.kind == "email":
                    subscriber = subscribing.confirm(db, subscribing.choose(db, subscriber, components), now)
                case "save":
                    subscriber = subscribing.choose(db, subscriber, components)
                case "challenge" if subscriber.kind == "webhook":
                    subscribing.challenge_again(db, subscriber, now)
                case _:
                    raise BadRequest(_("This action is not available"))
            return _LinkedSubscriber(subscriber, found.failed)

        done = await self._db.write(act)
        if action == "challenge":
            self._deliveries.soon()
        return done

    def _shown(
        self,
        seen: PageSeen,
        found: "_LinkedSubscriber",
        link: str,
        *,
        done: str = "",
        wrong: str = "",
        is_too_often: bool = False,
    ) -> Reply:
        subscriber = found.subscriber
        is_confirmed = subscriber.confirmed_at is not None
        return Reply(
            template="status/subscription.html",
            status=429 if is_too_often else 400 if wrong else 200,
            title=_("Your subscription"),
            text=(
                _("Updates from {page} are sent to {address}.")
                if is_confirmed
                else _("Confirm that updates from {page} should be sent to {address}.")
            ).format(address=subscriber.shown_address, page=seen.name),
            done=done,
            wrong=wrong,
            kind=subscriber.kind,
            address=subscriber.shown_address,
            everything=not subscriber.components,
            choices=_choices(seen, subscriber.components),
            is_confirmed=is_confirmed,
            action=f"/{SUBSCRIPTION}{link}",
            signing=self._signing(subscriber),
            failed=found.failed,
        )

    def _signing(self, subscriber: Subscriber) -> str:
        """The secret of a webhook, shown until it is confirmed and for an hour in any case."""
        is_new = self._clock.now() < subscriber.asked_at + SHOWN_FOR
        if subscriber.confirmed_at is not None and not is_new:
            return ""
        try:
            return secrets.decrypt_secrets(self._tools.seal, subscriber.id, subscriber.sealed).signing
        except SealBroken:
            return ""


class _LinkedSubscriber(Struct, frozen=True):
    """A subscriber, and whether the last request to confirm failed. The reason is not shown, because it would reveal
    which hosts the box can reach."""

    subscriber: Subscriber
    failed: bool


def _find_linked(db: Connection, page: StatusPage, link: str) -> _LinkedSubscriber | None:
    subscriber = subscribing.of_link(db, page, link)
    if subscriber is None:
        return None
    requests = rows.requests(db, subscriber.id) if subscriber.confirmed_at is None else []
    return _LinkedSubscriber(subscriber, bool(requests and requests[0][2]))


def _unknown(page: StatusPage) -> Reply:
    return Reply(
        status=404,
        title=_("This link is no longer valid"),
        text=_("You have unsubscribed, the link was not confirmed within 48 hours, or it is incomplete."),
        again=page.subscribable,
    )


def _choices(seen: PageSeen, chosen: Collection[str]) -> tuple[ComponentChoice, ...]:
    groups = {group.id: group.name for group in seen.groups}
    return tuple(
        ComponentChoice(
            f"{_COMPONENT}{one.id}",
            f"{groups[one.group_id]} – {one.name}" if one.group_id in groups else one.name,
            one.id in chosen,
        )
        for one in sorted(seen.components, key=lambda one: one.position)
    )


def _ticked_components(form: Mapping[str, str]) -> list[str]:
    """The ticked components, or none for all. Raises BadRequest if no component is ticked."""
    if form.get("about", "all") == "all":
        return []
    ticked = [name.removeprefix(_COMPONENT) for name in form if name.startswith(_COMPONENT)]
    if not ticked:
        raise BadRequest(_("Select at least one component, or all components"))
    return ticked


MOST_BYTES: Final = 32_768
_MOST_FIELDS: Final = MOST_COMPONENTS + 20
_PLAIN: Final = b"application/x-www-form-urlencoded"


async def read_form(scope: Scope, receive: Receive, *, seconds: float) -> dict[str, str]:
    """The fields; the last of equal names wins. Mail programs can send multipart/form-data.

    Raises BrokenBody and the other refusals of http.body.
    """
    given = scope["headers"]
    body.check_headers(given, wanted=(_PLAIN, body.TYPE, b""))
    sent = await body.read_body(scope, receive, limit=MOST_BYTES, seconds=seconds)
    kind = next((value for name, value in given if name == b"content-type"), _PLAIN)
    try:
        if kind.lower().startswith(body.TYPE):
            found = body.fields(sent, kind.decode("latin-1"))
            return {name: value.decode("utf-8") for name, value in found.items()}
        return dict(parse_qsl(sent.decode("utf-8"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError as broken:
        raise BrokenBody(_("The form cannot be read")) from broken
