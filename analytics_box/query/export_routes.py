"""POST /v1/export/data (wire 3.8): the facts of a website as files."""

from datetime import timedelta
from typing import Any, get_args

import msgspec
from litestar import Request
from litestar.di import NamedDependency
from litestar.response import Stream
from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.errors import InvalidQuery
from analytics_box.base.translation import _
from analytics_box.query import access, ranges
from analytics_box.query.exported import FactExport, Format, archive
from analytics_box.query.ranges import DayRange
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web import body
from analytics_box.web.call import Call

LONGEST, OLDEST = 366, 731  # days: of one export, and back from today
_USUAL = 30
FORMATS: tuple[Format, ...] = get_args(Format)


class DataExportRequest(Struct, frozen=True):
    """Wire 3.8. Dates are local days of `timezone`; without them the last 30 days."""

    website_id: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    format: str = "csv"
    timezone: str | None = None


_DECODER = msgspec.json.Decoder(DataExportRequest)


async def export_data(
    request: Request[Any, Any, Any],
    call: NamedDependency[Call],
) -> Stream:
    """All facts of a website in up to a year as a ZIP archive with a file for each kind; bots are left out."""
    identity, parts, settings = call.identity, call.parts, call.parts.settings
    allowance = parts.limits.take("export", identity.limit_name, settings.limit_export)
    request.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
    sent = await body.of_request(
        request, wanted=(b"application/json",), limit=settings.max_query_bytes, seconds=settings.body_seconds
    )
    given = body.decode(_DECODER.decode, sent)
    if identity.anonymous:
        raise errors.AuthRequired(_("Authentication required"))
    if not given.website_id:
        raise errors.MissingWebsite(_("Name the website with website_id"))
    if given.format not in FORMATS:
        raise errors.InvalidFormat(_("The format is one of {formats}").format(formats=", ".join(FORMATS)))
    website = parts[Directory].find(given.website_id)
    if website is None or not access.may_export(identity, website):
        raise errors.Forbidden(_("Access denied to this website"))
    tz = ranges.zone(given.timezone or request.query_params.get("timezone"))
    days = _days(given, call.now, tz)
    window = ranges.window(days, tz)
    form = next(name for name in FORMATS if name == given.format)
    part = FactExport(website.site, window.start, window.end, form, people=access.may_see_people(identity, website))
    engines = parts[QueryRunner].engines
    await engines.beyond.require(part.site, part.start)
    name = f"{website.domain}-{days.first}-{days.last}.zip".replace(":", "-")
    return Stream(
        archive(engines, part, seconds=settings.query_seconds),
        media_type="application/zip",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
    )


def _days(given: DataExportRequest, now: int, tz: Any) -> DayRange:
    """Raises InvalidDateRange."""
    today = ranges.today(now, tz)
    start = given.start_date or (today - timedelta(days=_USUAL - 1)).isoformat()
    try:
        days = ranges.of_dates(start, given.end_date or today.isoformat())
    except InvalidQuery as wrong:
        raise errors.InvalidDateRange(wrong.message) from wrong
    if days.length > LONGEST:
        raise errors.InvalidDateRange(_("An export can have up to {longest} days").format(longest=LONGEST))
    if (today - days.first).days > OLDEST:
        raise errors.InvalidDateRange(_("An export may begin two years ago at the earliest"))
    return days
