"""The subscribers of a status page, under /status-pages/{id}/subscribers."""

from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, Conflict, RateLimited
from analytics_box.base.translation import _, ngettext
from analytics_box.products.status_pages.console.frame import ConsolePage, itself, open_page, page_deletion
from analytics_box.products.status_pages.subscribers import calls as procedures
from analytics_box.products.status_pages.subscribers.calls import (
    AddSubscriber,
    ExportSubscribers,
    ListSubscribers,
    RemoveSubscriber,
    SubscriberAnswer,
)
from analytics_box.tenants.tenancy.messages import message_of, millis
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.templates import field_errors
from analytics_box.web.page.visit import Again, Answer, Page, Visitor

_REMOVE_ONE = ConfirmationTexts(
    _("Remove {name}?"), _("They receive no further updates, but can subscribe again."), _("Remove {name}")
)
_KINDS = {"email": _("Email"), "webhook": _("Webhook")}


AT_ONCE: Final = 100
UNKNOWN: Final = _("This subscriber no longer exists")


class SubscriberRow(Struct, frozen=True):
    """A subscriber in the list; `href` is the page that removes them, `note` has pending messages or the last error."""

    address: str
    kind: str
    about: str
    confirmed: bool
    since: str
    note: str
    href: str


async def subscribers(visit: Visitor, page_id: FromPath[str]) -> Page:
    """GET /status-pages/{id}/subscribers, with ?after= the last one before. Raises NotFound or Forbidden."""
    return await _page(await open_page(visit, page_id), Again())


async def add(visit: Visitor, page_id: FromPath[str]) -> Answer:
    """POST /status-pages/{id}/subscribers: add a subscriber, who must confirm. Raises NotFound or Forbidden."""
    page, form = await open_page(visit, page_id), await visit.form()
    address = form.get("address", "").strip()
    kind = "webhook" if address.casefold().startswith(("http://", "https://")) else "email"
    found = {"statusPageId": page_id, "address": address, "type": kind}
    try:
        visit.saves()
        added = await procedures.add_subscriber(visit.call, message_of(found, AddSubscriber))
    except (BadRequest, Conflict, RateLimited) as wrong:
        errors = {"address": wrong.message} if field_errors(wrong) or isinstance(wrong, Conflict) else {}
        return await _page(page, Again(wrong.status, form, errors, "" if errors else wrong.message))
    if isinstance(added.signingSecret, str):
        return await _page(page, Again(), secret=added.signingSecret)
    return visit.go(f"{page.href}/subscribers?done=subscribed")


REMOVAL: Final = page_deletion(
    itself,
    _REMOVE_ONE,
    about=lambda page, _same: (page.visit.asked("name") or _("this subscriber"), f"{page.href}/subscribers"),
    delete=lambda visit, page, _same: procedures.remove_subscriber(
        visit.call, RemoveSubscriber(page.whole.page.id, visit.path("subscriber_id"))
    ),
    after=lambda page, _form: f"{page.href}/subscribers?done=unsubscribed",
)


async def export(visit: Visitor, page_id: FromPath[str]) -> Response[str]:
    """POST /status-pages/{id}/subscribers/export: all of them as CSV. Raises NotFound or Forbidden."""
    page = await open_page(visit, page_id)
    made = await procedures.export_subscribers(visit.call, ExportSubscribers(page_id))
    name = f'attachment; filename="{page.whole.page.slug}-subscribers.csv"'
    headers = {"content-disposition": name, "cache-control": "no-store"}
    return Response(made.content, media_type=made.type, headers=headers)


async def _page(page: ConsolePage, again: Again, *, secret: str = "") -> Page:
    after = page.visit.asked("after")
    given: dict[str, Any] = {"statusPageId": page.whole.page.id, "limit": AT_ONCE} | (
        {"cursor": after} if after else {}
    )
    found = await procedures.list_subscribers(page.visit.call, message_of(given, ListSubscribers))
    waiting = found.unconfirmed
    return page.show(
        "status_subscribers.html",
        "subscribers",
        again=again,
        lines=[_line(page, one) for one in found.subscribers],
        counted=ngettext("1 subscriber", "{count} subscribers", found.confirmed).format(
            count=figures.count(found.confirmed)
        ),
        waiting=ngettext("1 has not confirmed yet", "{count} have not confirmed yet", waiting).format(
            count=figures.count(waiting)
        )
        if waiting
        else "",
        later=f"{page.href}/subscribers?after={found.nextCursor}" if isinstance(found.nextCursor, str) else "",
        off=not page.whole.page.subscribable,
        secret=secret,
    )


def _line(page: ConsolePage, one: SubscriberAnswer) -> SubscriberRow:
    names = [each.name for each in page.seen.components if each.id in one.componentIds]
    note = (
        ngettext("1 message waiting", "{count} messages waiting", one.waiting).format(count=figures.count(one.waiting))
        if one.waiting
        else ""
    )
    return SubscriberRow(
        address=figures.visible(one.address),
        kind=_KINDS[one.type],
        about=figures.visible(", ".join(names)) if one.componentIds else _("All components"),
        confirmed=one.confirmed,
        since=dates.day(millis(one.createdAt), page.visit.person),
        note=figures.visible(one.lastError) if one.lastError else note,
        href=f"{page.href}/subscribers/{one.id}/remove",
    )
