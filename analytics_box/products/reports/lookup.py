"""Reports that a caller can see, their answers, and their hits in the palette."""

from collections.abc import Sequence

from analytics_box.base.errors import NotFound
from analytics_box.products.reports import rows, schedule
from analytics_box.products.reports.report import REPORTS, RecipientShown, Report, ReportShown
from analytics_box.resource.fields import answer_of, date
from analytics_box.tenants.websites.findable import owned_hits
from analytics_box.tenants.websites.reach import own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def of_website(call: Call, website: Website) -> list[Report]:
    """The reports of a website whose other websites the caller can reach as well, oldest first."""
    found = await call.read(lambda db: REPORTS.all(db, "website_id = ? order by created_at, id", website.id))
    return [one for one in found if _reaches(call, one)]


async def find_report(call: Call, report_id: str, website_id: str | None = None) -> tuple[Website, Report]:
    """A report of one of the caller's websites, or of this one, if all of its websites are in reach. Raises
    NotFound."""
    website, report = await own_row(call, REPORTS.find, "report", report_id, website_id)
    if not _reaches(call, report):
        raise NotFound.of("report", report_id)
    return website, report


def _reaches(call: Call, report: Report) -> bool:
    """Whether a caller who is restricted to some websites can reach all of a report's."""
    return call.identity.resources is None or (
        not report.all_websites and all(call.identity.reaches(one) for one in report.websites)
    )


async def answers(call: Call, reports: list[Report]) -> list[ReportShown]:
    """The answers about these reports."""
    found = await call.read(lambda db: rows.recipients(db, [report.id for report in reports]))
    return [
        answer_of(
            ReportShown,
            report,
            recipients=[
                RecipientShown(one.email, one.is_member, one.state) for one in found if one.report_id == report.id
            ],
            isFiltered=bool(report.filters),
            nextAt=date(schedule.next_at(report, call.now)) if report.is_active else None,
        )
        for report in reports
    ]


async def report_hits(call: Call, asked: PaletteSearch) -> Sequence[PaletteHit]:
    """Reports by name, the latest changed first."""
    if call.identity.person is None or not call.identity.person.may("admin"):
        return ()
    return await owned_hits(
        call, asked, REPORTS, "report", "mail", lambda one: f"/sites/{one.website_id}/reports/{one.id}"
    )
