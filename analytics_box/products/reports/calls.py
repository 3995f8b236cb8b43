"""The procedures `reports.*`. Keys need manage:websites; people have to be admins, as for everything that publishes."""

from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.reports import change, exporting, making, rows, schedule, sending, wording
from analytics_box.products.reports.content import ReportContent
from analytics_box.products.reports.language import for_reader, words_of
from analytics_box.products.reports.lookup import answers, find_report, of_website
from analytics_box.products.reports.report import (
    REPORTS,
    ChangedReport,
    ListReports,
    NewReport,
    OneReport,
    Report,
    ReportDeliveryShown,
    ReportShown,
)
from analytics_box.products.segments.menu import filters_of_segment
from analytics_box.resource.fields import date, values_of
from analytics_box.resource.reach import refuse_restricted
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.page import dates

# Of one report, by hand.
SENT_PER_HOUR: Final = 6
# In the log.
MOST_DELIVERIES: Final = 200


class ReportPreview(Struct, frozen=True):
    """A report on its newest period: the subject, the mail as HTML and as text, and its figures."""

    subject: str
    html: str
    text: str
    report: ReportContent


async def list_reports(call: Call, given: ListReports) -> list[ReportShown]:
    """reports.list: list the reports of a website, oldest first. Raises NotFound."""
    return await answers(call, await of_website(call, own(call, given.websiteId)))


async def get_by_id(call: Call, given: OneReport) -> ReportShown:
    """reports.getById: get a report. Raises NotFound."""
    _website, report = await find_report(call, given.id)
    (shown,) = await answers(call, [report])
    return shown


async def create(call: Call, given: NewReport) -> ReportShown:
    """reports.create: create a report. Raises NotFound, BadRequest, Conflict or RateLimited."""
    website = own(call, given.websiteId)
    filters = () if given.segmentId is None else await filters_of_segment(call, website, given.segmentId)
    zone = call.identity.person.time_zone if call.identity.person is not None else "UTC"
    values = _values(call, given)
    made = await call.parts.box_db.write(
        lambda db: change.create(db, call.by, website, values, given.recipients, filters, zone), adds=True
    )
    return await _answer(call, made)


async def update(call: Call, given: ChangedReport) -> ReportShown:
    """reports.update: change a report. Raises NotFound, BadRequest or RateLimited."""
    website, _report = await find_report(call, given.id)
    values = _values(call, given)
    if not isinstance(given.segmentId, UnsetType):
        segment_id = given.segmentId
        values["filters"] = () if segment_id is None else await filters_of_segment(call, website, segment_id)
    recipients = None if given.recipients is UNSET else given.recipients
    return await _answer(
        call, await call.write(lambda db: change.update(db, call.by, website, given.id, values, recipients))
    )


async def delete(call: Call, given: OneReport) -> Success:
    """reports.delete: delete a report with its deliveries. Raises NotFound."""
    website, report = await find_report(call, given.id)
    await call.write(lambda db: REPORTS.remove(db, call.by, website.organization_id, report))
    return Success()


async def preview(call: Call, given: OneReport) -> ReportPreview:
    """reports.preview: return the report on its newest period, without sending it. Raises NotFound or Unavailable."""
    website, report = await find_report(call, given.id)
    content = await make_latest(call, report, website)
    links = preview_links(call, report)
    render = call.parts[sending.ReportDeliveries].render
    words = words_of(report.language)
    html, text = wording.html(content, links, render, words, to=""), wording.text(content, links, words, "")
    return ReportPreview(wording.subject(content, words), html, text, content)


async def send_now(call: Call, given: OneReport) -> Success:
    """reports.sendNow: send the report on its newest period to all recipients now. The schedule stays as it is. Raises
    NotFound, RateLimited, Conflict or Unavailable."""
    website, report = await find_report(call, given.id)
    call.parts.limits.take("reports by hand", report.id, SENT_PER_HOUR, window=3_600)
    days = schedule.latest(report, call.now).days
    if not await sending.send(call.parts, report, website, days, manual=True):
        raise errors.Conflict(_("The report was changed in the meantime. Try again"))
    return Success()


async def deliveries(call: Call, given: OneReport) -> list[ReportDeliveryShown]:
    """reports.deliveries: list the latest deliveries of a report, newest first. Raises NotFound."""
    _website, report = await find_report(call, given.id)
    found = await call.read(lambda db: rows.log(db, report.id, MOST_DELIVERIES))
    return [
        ReportDeliveryShown(
            one.to,
            one.first_day,
            one.last_day,
            one.manual,
            date(one.created_at),
            one.attempts,
            sentAt=date(one.ended_at) if one.ended_at is not None and not one.error else None,
            failedAt=date(one.ended_at) if one.ended_at is not None and one.error else None,
            error=one.error,
        )
        for one in found
    ]


def _values(call: Call, given: NewReport | ChangedReport) -> dict[str, Any]:
    """The values of a message. Raises NotFound for a website out of reach, and Forbidden for a key that is restricted
    to websites and names all of them."""
    values: dict[str, Any] = values_of(given, Report)
    for website_id in values.get("websites", ()):
        own(call, website_id)
    if values.get("all_websites"):
        refuse_restricted(call)
    return values


async def make_latest(call: Call, report: Report, website: Website) -> ReportContent:
    """The content of a report on its newest period. Raises Unavailable."""
    content = await making.make(call.parts, report, website, schedule.latest(report, call.now).days)
    person = call.identity.person
    formats = dates.USUAL if person is None else dates.formats_of(person)
    content = for_reader(content, formats, words_of(report.language))
    if "email" not in report.exports:
        return content
    return replace(content, export=exporting.export_text(content, report, None))


def preview_links(call: Call, report: Report) -> wording.ReportLinks:
    """The links of a preview, which has no recipient."""
    url = call.parts.settings.public_url
    return wording.ReportLinks(f"{url}/sites/{report.website_id}/reports/{report.id}", "", url)


async def _answer(call: Call, report: Report) -> ReportShown:
    """The answer about a changed report, whose requests to confirm are sent now."""
    call.parts[sending.ReportDeliveries].soon()
    (shown,) = await answers(call, [report])
    return shown
