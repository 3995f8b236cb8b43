"""The pages of a recipient's links: to confirm, and to unsubscribe, without an account.

Opening a link changes nothing, because mail scanners open links too.
"""

from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.notify.mail import ONE_CLICK
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.products.reports import change, rows
from analytics_box.products.reports.report import REPORTS, Report
from analytics_box.products.reports.rows import RECIPIENTS, ReportRecipient
from analytics_box.products.reports.sending import EXPORTS_KEPT, ReportDeliveries
from analytics_box.web.guard import check_same_origin
from analytics_box.web.page.visit import Next, Page, PageRequest, Visitor

# Requests of one network.
PER_MINUTE: Final = 60
_LONGEST_TOKEN: Final = 200
CONFIRM: Final = "/reports/confirm/"


class RecipientLinkTexts(Struct, frozen=True):
    """The texts about a link in a mail: before and after its button is used, and if it has no recipient."""

    title: str
    text: str
    label: str
    done: tuple[str, str]
    unknown: tuple[int, str, str]


_GONE: Final = _("Unsubscribed"), _("You will no longer receive this report. Your address was deleted.")
_CONFIRM: Final = RecipientLinkTexts(
    _("Confirm your address"),
    _("Confirm that the report “{report}” is sent to {address}."),
    _("Confirm"),
    (_("Confirmed"), _("The report “{report}” is sent to {address}. Each email has a link to unsubscribe.")),
    (
        404,
        _("This link is no longer valid"),
        _("You have unsubscribed, the link was not confirmed within 7 days, or it is incomplete."),
    ),
)
_UNSUBSCRIBE: Final = RecipientLinkTexts(
    _("Unsubscribe?"),
    _("The report “{report}” is no longer sent to {address}."),
    _("Unsubscribe"),
    _GONE,
    (200, *_GONE),
)


async def show_form(visit: Visitor, token: FromPath[str]) -> Page:
    """GET /reports/confirm/{token} and /reports/unsubscribe/{token}: the button of a link."""
    path = visit.request.url.path
    texts = _CONFIRM if path.startswith(CONFIRM) else _UNSUBSCRIBE
    found = await _find(visit, token)
    if found is None:
        return _notice(visit, *texts.unknown)
    return _notice(visit, 200, texts.title, texts.text, found, path, texts.label)


async def confirm(visit: Visitor, token: FromPath[str]) -> Page:
    """POST /reports/confirm/{token}."""
    found = await _find(visit, token)
    if found is None:
        return _notice(visit, *_CONFIRM.unknown)
    await visit.call.write(lambda db: change.confirm(db, found[0], visit.call.now))
    return _notice(visit, 200, *_CONFIRM.done, found)


async def unsubscribe(visit: Visitor, token: FromPath[str]) -> Page:
    """POST /reports/unsubscribe/{token}: by the page, or from elsewhere by a mail program (RFC 8058). Doing it twice
    changes nothing. Raises Forbidden for forms of other websites."""
    is_multipart = visit.request.headers.get("content-type", "").startswith("multipart/")
    form = (await visit.uploaded_with("", limit=0))[0] if is_multipart else await visit.form()
    if form.get(ONE_CLICK[0]) != ONE_CLICK[1]:
        check_same_origin(visit.request)
    found = await _find(visit, token)
    if found is not None:
        await visit.call.write(lambda db: change.unsubscribe(db, found[0], visit.call.now))
    return _notice(visit, 200, *_GONE)


async def files(visit: Visitor, token: FromPath[str]) -> Next:
    """GET /reports/files/{token}: the files of a report that a webhook was offered. Raises NotFound or RateLimited."""
    _take(visit, token)
    gone = errors.NotFound(_("This link has expired"))
    try:
        run_id = visit.parts[ReportDeliveries].links.id_in(token, "files")
    except SealBroken as broken:
        raise gone from broken
    kept_since = visit.call.now - EXPORTS_KEPT
    found = None if run_id is None else await visit.call.read(lambda db: rows.export_of(db, run_id, kept_since))
    if found is None:
        raise gone
    return visit.download(found[1], "application/zip", found[0])


def _take(visit: PageRequest, token: str) -> None:
    """Count the use of a link before anything is looked up. Raises RateLimited or NotFound."""
    visit.parts.limits.take("links of reports", visit.call.identity.limit_name, PER_MINUTE)
    if len(token) > _LONGEST_TOKEN:
        raise errors.NotFound(_("There is nothing at this address"))


async def _find(visit: PageRequest, token: str) -> tuple[ReportRecipient, Report] | None:
    """The recipient that a link was sent to, with the report. Raises RateLimited or NotFound."""
    _take(visit, token)
    keys = visit.parts[ReportDeliveries].links

    def find(db: Connection) -> tuple[ReportRecipient, Report] | None:
        recipient_id = keys.id_in(token)
        recipient = None if recipient_id is None else RECIPIENTS.find(db, recipient_id)
        report = None if recipient is None else REPORTS.find(db, recipient.report_id)
        return None if recipient is None or report is None else (recipient, report)

    try:
        return await visit.call.read(find)
    except SealBroken:
        return None


def _notice(
    visit: PageRequest,
    code: int,
    title: str,
    text: str,
    found: tuple[ReportRecipient, Report] | None = None,
    action: str = "",
    label: str = "",
) -> Page:
    """A page with a title and a text about a recipient and their report, with a button if it has an action."""
    named = {} if found is None else {"report": found[1].name, "address": found[0].email}
    text = text.format(**named)
    return visit.pages.show("report_link.html", code=code, title=title, text=text, action=action, label=label)
