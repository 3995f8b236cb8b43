"""The pages on which visitors of a status page subscribe, confirm, choose and leave: `subscribe`, `subscription/…`.

What they show is a struct here; whoever serves the page renders it. A link of a subscriber is its own proof: it needs
neither a cookie nor the password of the page. Nothing happens to whoever only opens one, as mail scanners do.
"""

from collections.abc import Collection, Mapping
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.clock import HOUR, Clock
from analytics_box.base.errors import BadRequest, RateLimited
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.subscriber import Subscriber, SubscriberKind
from analytics_box.products.status_pages.subscribers import asking, rows, secrets, subscribing
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.products.status_pages.subscribers.subscribing import (
    RequestedSubscription,
    SubscriberWithSecrets,
    SubscriptionTools,
)
from analytics_box.products.status_pages.whole import Whole

SUBSCRIBE: Final = "subscribe"
SUBSCRIPTION: Final = "subscription/"

# How often somebody may ask to be told, within an hour; what anybody is asked has limits of its own (asking.py)
PER_VISITOR: Final = 20
SHOWN_FOR: Final = HOUR  # a webhook's signing secret
_COMPONENT: Final = "component."  # begins the names of the boxes that are ticked
_ONE_CLICK: Final = ("List-Unsubscribe", "One-Click")  # RFC 8058

Template = Literal["status/subscribe.html", "status/subscription.html", "status/said.html"]


class SubscriptionVisit(Struct, frozen=True):
    """A request below a page: `rest` is the path there, `network` whom limits count, `form` what was posted.

    `is_foreign` says that the browser names another site as the one that sent the form.
    """

    method: Literal["GET", "POST"]
    rest: str
    network: str
    form: Mapping[str, str] = {}
    is_foreign: bool = False


class ComponentChoice(Struct, frozen=True):
    """A component that somebody may choose, by the name of its box in the form."""

    name: str
    label: str
    checked: bool


class Reply(Struct, frozen=True):
    """An answer: a template with what it shows, or, with a `location`, a 303 to there below the page."""

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
    """Whether a path below a page is answered here."""
    return rest == SUBSCRIBE or rest.startswith(SUBSCRIPTION)


class SubscriptionPages:
    """Answers what visitors ask about subscriptions."""

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
        """The answer to a visitor of a page. Raises NotFound for other paths, Forbidden for forms of other sites, and
        Unavailable.
        """
        one_click = visit.rest.startswith(SUBSCRIPTION) and visit.form.get(_ONE_CLICK[0]) == _ONE_CLICK[1]
        if visit.method == "POST" and visit.is_foreign and not one_click:
            raise errors.Forbidden("This form came from another site")
        if visit.rest == SUBSCRIBE:
            return await self._subscribe(whole, seen, visit) if visit.method == "POST" else self._form(whole, seen)
        if not visit.rest.startswith(SUBSCRIPTION):
            raise errors.NotFound("This address does not exist")
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
            return Reply(status=404, title=_("No subscriptions"), text=_("This page takes no subscriptions."))
        said = given or {}
        return Reply(
            template="status/subscribe.html",
            status=status,
            title=_("Subscribe to updates"),
            wrong=wrong,
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
                wrong=_("Too many subscriptions were asked for; try again later"),
                status=429,
            )
        except BadRequest as refused:
            return self._form(whole, seen, given=visit.form, wrong=refused.message, status=400)
        self._deliveries.soon()
        if wanted.kind == "email":
            return Reply(
                title=_("Look into your mailbox"),
                text=_(
                    "If this address is not subscribed yet, a link to confirm it is on its way. It "
                    "works for 48 hours. If it is, there is a link to your subscription in every "
                    "mail that you got."
                ),
            )
        if asked is None:
            return self._form(
                whole,
                seen,
                given=visit.form,
                wrong=_(
                    "This address gets messages already. Each of them has a link with which the "
                    "subscription is changed or ended."
                ),
                status=409,
            )
        return Reply(status=303, location=f"/{SUBSCRIPTION}{asked.secrets.link}")

    def _wanted(self, whole: Whole, form: Mapping[str, str]) -> RequestedSubscription:
        address = form.get("address", "").strip()
        kind: SubscriberKind = "webhook" if "://" in address else "email"
        if kind == "email" and not self._mailer.configured:
            raise BadRequest(
                _("This page sends no e-mail. Enter the address of a webhook, like https://example.com/hook")
            )
        return subscribing.check_subscription(whole, kind, address, _ticked_components(form), self._tools.fence)

    async def _ask(self, page: StatusPage, wanted: RequestedSubscription) -> SubscriberWithSecrets | None:
        """Ask them to confirm, unless their address has heard of the box too often: of mail nobody is told that."""
        now = self._clock.now()
        try:
            asking.limit_receiver(self._limits, wanted)
            return await self._db.write(lambda db: subscribing.subscribe(db, page, wanted, self._tools, now), adds=True)
        except RateLimited:
            if wanted.kind == "webhook":
                raise
            return None

    def _limit(self, page: StatusPage, visit: SubscriptionVisit) -> None:
        """Raises RateLimited."""
        self._limits.take("subscribe", visit.network, PER_VISITOR, window=asking.HOUR_SECONDS)
        asking.limit_page(self._limits, page.id)

    # What a link leads to

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
                wrong = (
                    _("The challenge was sent again a moment ago; try again later") if too_often else refused.message
                )
                return self._shown(seen, found, link, wrong=wrong, is_too_often=too_often) if found else _unknown(page)
        if action == "leave":
            return Reply(
                title=_("Unsubscribed"),
                text=_("You get no further message from {page}, and the address is removed.").format(page=page.name),
            )
        if found is None:
            return _unknown(page)
        if action == "challenge":
            return Reply(status=303, location=f"/{SUBSCRIPTION}{link}")
        done = {
            "confirm": _("Confirmed: {address} hears from {page} from now on.").format(
                address=found.subscriber.shown_address, page=page.name
            ),
            "save": _("Saved."),
        }.get(action, "")
        return self._shown(seen, found, link, done=done)

    async def _limit_challenge(self, page: StatusPage, link: str) -> None:
        """Raises RateLimited."""
        found = await self._db.read(lambda db: subscribing.of_link(db, page, link))
        if found is not None and found.kind == "webhook" and found.confirmed_at is None:
            asking.limit_challenge(self._limits, found)

    async def _act(self, whole: Whole, link: str, action: str, form: Mapping[str, str]) -> "_LinkedSubscriber | None":
        """Do what was clicked. Raises BadRequest."""
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
                    raise BadRequest("This action is not available")
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
                _("{address} hears from {page}.")
                if is_confirmed
                else _("Confirm that {address} is to hear from {page}.")
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
        """The secret of a webhook: until it has confirmed, and for a while in any case, because that may be quick."""
        is_new = self._clock.now() < subscriber.asked_at + SHOWN_FOR
        if subscriber.confirmed_at is not None and not is_new:
            return ""
        try:
            return secrets.decrypt_secrets(self._tools.seal, subscriber.id, subscriber.sealed).signing
        except SealBroken:
            return ""


class _LinkedSubscriber(Struct, frozen=True):
    """A subscriber, and whether the last request to confirm failed. Strangers do not learn why: that would tell them
    what the box can reach."""

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
        text=_("It was used to unsubscribe, it is older than 48 hours and was not confirmed, or it is not complete."),
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
    """The components that were chosen; none for all. Raises BadRequest where none is chosen."""
    if form.get("about", "all") == "all":
        return []
    ticked = [name.removeprefix(_COMPONENT) for name in form if name.startswith(_COMPONENT)]
    if not ticked:
        raise BadRequest(_("Choose at least one component, or everything"))
    return ticked
