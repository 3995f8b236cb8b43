"""The pages of reports: the list of a website, a report with its preview and deliveries, and its form."""

import base64
import re
from collections.abc import Mapping
from datetime import date as day_of_text
from hashlib import sha256
from typing import Any, Final

from litestar import Response
from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.backup.places import S3
from analytics_box.base.errors import BoxError
from analytics_box.base.notify.change import of as channels_of
from analytics_box.base.notify.kinds.table import KINDS as CHANNEL_KINDS
from analytics_box.base.notify.mail import Mailer
from analytics_box.base.translation import _, ngettext
from analytics_box.figures.periods import period_text
from analytics_box.products.alerts.alert_rule import DAYS
from analytics_box.products.reports import calls, exporting, wording
from analytics_box.products.reports.language import LANGUAGE_NAMES, words_of
from analytics_box.products.reports.lookup import answers, find_report, of_website
from analytics_box.products.reports.report import (
    EXPORT_TARGETS,
    FREQUENCIES,
    SECTIONS,
    USUAL_HOUR,
    USUAL_SECTIONS,
    ChangedReport,
    ExportTarget,
    Frequency,
    NewReport,
    OneReport,
    Report,
    ReportDeliveryShown,
    ReportShown,
    Section,
)
from analytics_box.products.reports.sending import ReportDeliveries
from analytics_box.products.segments.segment import SEGMENTS
from analytics_box.query.ranges import DayRange
from analytics_box.tenants.accounts.preferences import zone_groups
from analytics_box.tenants.saved import verbs
from analytics_box.tenants.websites.reach import all_own, own
from analytics_box.tenants.websites.resource_form import WebsiteForm
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.front import CONTENT_SECURITY_POLICY
from analytics_box.web.page import dates
from analytics_box.web.page.questions import ConfirmationTexts
from analytics_box.web.page.resource_form import Form
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor

FREQUENCY_LABELS: Final[Mapping[Frequency, str]] = {
    "daily": _("Every day"),
    "weekly": _("Every week"),
    "monthly": _("Every month"),
    "weekdays": _("On chosen weekdays"),
}
SECTION_LABELS: Final[Mapping[Section, str]] = {
    "figures": _("Totals and days"),
    "changes": _("What changed"),
    "sources": _("Sources"),
    "pages": _("Pages"),
    "countries": _("Countries"),
    "devices": _("Devices"),
    "events": _("Custom events"),
    "goals": _("Goals"),
    "funnels": _("Funnels"),
    "revenue": _("Revenue"),
    "links": _("Short links"),
    "uptime": _("Uptime and outages"),
    "errors": _("New errors"),
    "flags": _("Changed flags"),
    "notes": _("Notes"),
}
EXPORT_LABELS: Final[Mapping[ExportTarget, str]] = {
    "email": _("Attach to emails"),
    "webhook": _("Offer to webhooks"),
    "storage": _("Copy to the server's S3 storage"),
}
DAY_LABELS: Final = dict(zip(DAYS, dates.WEEKDAYS, strict=True))
_LABELS: Final = {
    "name": _("Name"),
    "recipients": _("Email addresses"),
    "channelIds": _("Channels"),
    "weekdays": _("Weekdays"),
    "hour": _("Hour"),
    "timeZone": _("Time zone"),
    "language": _("Language"),
    "sections": _("Contents"),
    "exports": _("Files"),
    "fileFormat": _("File format"),
    "websiteIds": _("Websites"),
}
_DELETE: Final = ConfirmationTexts(
    _("Delete the report {name}?"), _("It is no longer sent, and its deliveries are deleted."), _("Delete {name}")
)
_DONE: Final = {
    "created": _("Report created. Recipients outside of your organization receive it once they have confirmed."),
    "saved": _("Saved."),
    "deleted": _("Report deleted."),
    "sent": _("The report is being sent. Deliveries are listed below."),
}
_ALL, _KEPT = "", "kept"
_STYLE: Final = re.compile(r"<style>(.*?)</style>", re.DOTALL)


class ReportLine(Struct, frozen=True):
    """A report in the list."""

    name: str
    href: str
    schedule: str
    receivers: str
    next: str


class DeliveryOfReport(Struct, frozen=True):
    """A delivery in the log of a report, in words."""

    to: str
    period: str
    state: str
    failed: bool
    when: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/reports: the reports of a website. Raises NotFound."""
    website = own(visit.call, website_id)
    reports = await answers(visit.call, await of_website(visit.call, website))
    return visit.pages.show(
        "reports.html",
        shell=site_shell(visit, "reports", website),
        site=website,
        home=_home(website),
        reports=[_line(visit, one) for one in reports],
        mails=visit.parts[Mailer].configured,
        is_administrator=visit.person.is_administrator,
        done=_DONE.get(visit.asked("done"), ""),
    )


async def show_one(visit: Visitor, website_id: FromPath[str], report_id: FromPath[str]) -> Page:
    """GET /sites/{id}/reports/{report}: a report with its preview and its deliveries. Raises NotFound."""
    website, report = await find_report(visit.call, report_id, website_id)
    (shown,) = await answers(visit.call, [report])
    deliveries = await calls.deliveries(visit.call, OneReport(report.id))
    policy = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
    return visit.pages.show(
        "report.html",
        headers={"content-security-policy": policy},
        shell=site_shell(visit, "reports", website),
        site=website,
        home=_home(website),
        report=shown,
        line=_line(visit, shown),
        deliveries=[_delivery(visit, one) for one in deliveries],
        mails=visit.parts[Mailer].configured,
        is_administrator=visit.person.is_administrator,
        done=_DONE.get(visit.asked("done"), ""),
    )


async def mail(visit: Visitor, website_id: FromPath[str], report_id: FromPath[str]) -> Page:
    """GET /sites/{id}/reports/{report}/mail: the mail on the newest period, for the frame of the preview. The page may
    have the one style sheet of the mail and nothing else. Raises NotFound."""
    website, report = await find_report(visit.call, report_id, website_id)
    try:
        content = await calls.make_latest(visit.call, report, website)
    except BoxError as failed:
        html = visit.pages.text("report_failed.html", why=failed.message)
    else:
        links = calls.preview_links(visit.call, report)
        words = words_of(report.language)
        html = wording.html(content, links, visit.parts[ReportDeliveries].render, words, to="")
    digests = " ".join(
        f"'sha256-{base64.b64encode(sha256(style.encode()).digest()).decode()}'" for style in _STYLE.findall(html)
    )
    policy = (
        f"default-src 'none'; style-src {digests}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
    )
    headers = {"cache-control": "no-store", "content-security-policy": policy}
    return Response(html, media_type="text/html", headers=headers)


async def send(visit: Visitor, website_id: FromPath[str], report_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/reports/{report}/send: send it now. Raises NotFound, RateLimited, Conflict or Unavailable."""
    website, report = await find_report(visit.call, report_id, website_id)
    await calls.send_now(visit.call, OneReport(report.id))
    return visit.go(f"{_home(website)}/{report.id}?done=sent")


def _home(website: Website) -> str:
    return f"/sites/{website.id}/reports"


async def _message(_visit: PageRequest, _website: Website, _report: Report | None, form: Form) -> Mapping[str, Any]:
    """The fields of reports.create and reports.update that the form has."""
    frequency, hour = form.get("frequency", ""), form.get("hour", "")
    segment = form.get("segmentId", _ALL)
    return {
        "name": form.get("name", ""),
        "frequency": frequency,
        "weekdays": [day for day in DAYS if f"weekday.{day}" in form],
        "hour": int(hour) if hour.isascii() and hour.isdecimal() and len(hour) < 3 else hour,
        "timeZone": form.get("timeZone", ""),
        "language": form.get("language", "en"),
        "sections": [section for section in SECTIONS if f"section.{section}" in form],
        "exports": [target for target in EXPORT_TARGETS if f"export.{target}" in form],
        "fileFormat": form.get("fileFormat", "csv"),
        "allWebsites": form.get("scope") == "all",
        "websiteIds": [
            name.removeprefix("website.")
            for name in form
            if name.startswith("website.") and form.get("scope") == "selected"
        ],
        "channelIds": [name.removeprefix("channel.") for name in form if name.startswith("channel.")],
        "recipients": [one for one in re.split(r"[\s,;]+", form.get("recipients", "")) if one],
        "isActive": "isActive" in form,
        **({} if segment == _KEPT else {"segmentId": segment or None}),
    }


def _values(report: ReportShown) -> dict[str, str]:
    """The form of an existing report."""
    return {
        "name": report.name,
        "frequency": report.frequency,
        "hour": str(report.hour),
        "timeZone": report.timeZone,
        "language": report.language,
        "recipients": "\n".join(one.email for one in report.recipients),
        "isActive": "on" if report.isActive else "",
        "segmentId": _KEPT if report.isFiltered else _ALL,
        "fileFormat": report.fileFormat,
        "scope": "all" if report.allWebsites else "selected" if report.websiteIds else "one",
        **{f"website.{one}": "on" for one in report.websiteIds},
        **{f"weekday.{day}": "on" for day in report.weekdays},
        **{f"section.{section}": "on" for section in report.sections},
        **{f"export.{target}": "on" for target in report.exports},
        **{f"channel.{one}": "on" for one in report.channelIds},
    }


def _fill(visit: PageRequest, _website: Website, report: Report | None) -> Form:
    """The values of a new report; those of an existing one are read with its recipients."""
    person = visit.person
    if report is not None:
        return {}
    first = "mon" if person.week_start == "monday" else "sun"
    return {
        "frequency": "weekly",
        f"weekday.{first}": "on",
        "hour": str(USUAL_HOUR),
        "timeZone": person.time_zone,
        "recipients": person.email,
        "isActive": "on",
        **{f"section.{name}": "on" for name in USUAL_SECTIONS},
    }


async def _context(visit: PageRequest, website: Website, report: Report | None, values: Form) -> Mapping[str, Any]:
    channels = await visit.call.read(lambda db: channels_of(db, website.organization_id))
    if report is not None and not values:
        (shown,) = await answers(visit.call, [report])
        values = _values(shown)
    return {
        "values": values,
        "frequencies": {name: FREQUENCY_LABELS[name] for name in FREQUENCIES},
        "days": DAY_LABELS,
        "hours": range(24),
        "zones": zone_groups(values.get("timeZone", ""), visit.person.time_zone),
        "sections": SECTION_LABELS,
        "exports": {
            name: label
            for name, label in EXPORT_LABELS.items()
            if name != "storage"
            or f"export.{name}" in values
            or (visit.person.is_administrator and visit.parts.settings.backup_to.startswith(S3))
        },
        "formats": exporting.FORMAT_LABELS,
        "languages": LANGUAGE_NAMES,
        "scopes": {"one": _("Only this website"), "selected": _("Selected websites"), "all": _("All websites")},
        "websites": [(one.id, one.name, one.domain) for one in all_own(visit.call) if one != website],
        "channels": [(one.id, one.name, CHANNEL_KINDS[one.kind].label) for one in channels],
        "segments": await verbs.visible(visit.call, SEGMENTS, website),
        "is_filtered": report is not None and bool(report.filters),
        "mails": visit.parts[Mailer].configured,
    }


_FORM: Final = WebsiteForm[Report](
    path="reports", template="report_form.html", here="reports", labels=_LABELS, context=_context, has_page=True
)
REPORT: Final = _FORM.pages(
    parameter="report_id",
    find=find_report,
    fill=_fill,
    message=_message,
    create=(calls.create, NewReport),
    update=(calls.update, ChangedReport),
    delete=(calls.delete, OneReport),
    question=_DELETE,
)


def _line(visit: PageRequest, report: ReportShown) -> ReportLine:
    people, channels = len(report.recipients), len(report.channelIds)
    receivers = [
        ngettext("1 recipient", "{count} recipients", people).format(count=people),
        *([ngettext("1 channel", "{count} channels", channels).format(count=channels)] if channels else []),
    ]
    following = _("Paused")
    if report.nextAt is not None:
        following = _("Next: {time}").format(time=dates.moment(round(report.nextAt.timestamp() * 1000), visit.person))
    return ReportLine(
        report.name,
        f"/sites/{report.websiteId}/reports/{report.id}",
        _schedule_text(report),
        " · ".join(receivers),
        following,
    )


def _schedule_text(report: ReportShown) -> str:
    """The schedule in words, such as "Every week: Mon, 08:00 (Europe/Berlin)"."""
    days = ", ".join(DAY_LABELS[day] for day in report.weekdays)
    named = f": {days}" if report.frequency in {"weekly", "weekdays"} else ""
    return f"{FREQUENCY_LABELS[report.frequency]}{named}, {report.hour:02d}:00 ({report.timeZone})"


def _delivery(visit: PageRequest, one: ReportDeliveryShown) -> DeliveryOfReport:
    formats = dates.formats_of(visit.person)
    days = DayRange(day_of_text.fromisoformat(one.firstDay), day_of_text.fromisoformat(one.lastDay))
    if one.sentAt is not None:
        state = _("Sent")
    elif one.failedAt is not None:
        state = _("Failed: {error}").format(error=one.error)
    else:
        state = _("Waiting: {error}").format(error=one.error) if one.error else _("Waiting")
    at = one.sentAt or one.failedAt or one.createdAt
    when = dates.moment(round(at.timestamp() * 1000), visit.person)
    return DeliveryOfReport(one.to, period_text(days, formats), state, bool(one.error), when)
