"""The pages of a recipient's links: to confirm, and to unsubscribe, without an account.

Opening a link changes nothing, because mail scanners open links too.
"""

from typing import Final

from litestar.params import FromPath

from analytics_box.base.notify.mail import ONE_CLICK
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import SealBroken
from analytics_box.base.translation import _
from analytics_box.products.reports import change
from analytics_box.products.reports.report import REPORTS, Report
from analytics_box.products.reports.rows import ReportRecipient
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.web.guard import check_same_origin
from analytics_box.web.page.visit import Page, PageRequest, Visitor

# Requests of one network.
PER_MINUTE: Final = 60
_LONGEST_TOKEN: Final = 200


async def confirm_form(visit: Visitor, token: FromPath[str]) -> Page:
    """GET /reports/confirm/{token}: the button that confirms."""
    found = await _find(visit, token)
    if found is None:
        return _unknown(visit)
    recipient, report = found
    text = _("Confirm that the report “{report}” is sent to {address}.")
    return visit.pages.show(
        "report_link.html",
        title=_("Confirm your address"),
        text=text.format(report=report.name, address=recipient.email),
        action=f"/reports/confirm/{token}",
        label=_("Confirm"),
    )


async def confirm(visit: Visitor, token: FromPath[str]) -> Page:
    """POST /reports/confirm/{token}."""
    found = await _find(visit, token)
    if found is None:
        return _unknown(visit)
    recipient, report = found
    await visit.call.write(lambda db: change.confirm(db, recipient, visit.call.now))
    text = _("The report “{report}” is sent to {address}. Each email has a link to unsubscribe.")
    return _notice(visit, _("Confirmed"), text.format(report=report.name, address=recipient.email))


async def unsubscribe_form(visit: Visitor, token: FromPath[str]) -> Page:
    """GET /reports/unsubscribe/{token}: the button that unsubscribes."""
    found = await _find(visit, token)
    if found is None:
        return _gone(visit)
    recipient, report = found
    text = _("The report “{report}” is no longer sent to {address}.")
    return visit.pages.show(
        "report_link.html",
        title=_("Unsubscribe?"),
        text=text.format(report=report.name, address=recipient.email),
        action=f"/reports/unsubscribe/{token}",
        label=_("Unsubscribe"),
    )


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
    return _gone(visit)


async def _find(visit: PageRequest, token: str) -> tuple[ReportRecipient, Report] | None:
    """The recipient that a link was sent to, with the report. Raises RateLimited."""
    visit.parts.limits.take("links of reports", visit.call.identity.limit_name, PER_MINUTE)
    if len(token) > _LONGEST_TOKEN:
        return None
    keys = visit.parts[ReportDeliveries].links

    def find(db: Connection) -> tuple[ReportRecipient, Report] | None:
        recipient = keys.recipient(db, token)
        report = None if recipient is None else REPORTS.find(db, recipient.report_id)
        return None if recipient is None or report is None else (recipient, report)

    try:
        return await visit.call.read(find)
    except SealBroken:
        return None


def _unknown(visit: PageRequest) -> Page:
    text = _("You have unsubscribed, the link was not confirmed within 7 days, or it is incomplete.")
    return _notice(visit, _("This link is no longer valid"), text, code=404)


def _gone(visit: PageRequest) -> Page:
    return _notice(visit, _("Unsubscribed"), _("You will no longer receive this report. Your address was deleted."))


def _notice(visit: PageRequest, title: str, text: str, code: int = 200) -> Page:
    return visit.pages.show("report_link.html", code=code, title=title, text=text, action="", label="")
