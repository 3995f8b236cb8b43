"""The result of an experiment: GET /flags/{id}/results."""

from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.base.texts import FlagResults, Ranges
from analytics_box.figures.asking import day_of
from analytics_box.figures.spans import NAMED, RangeName, days_of, read_span
from analytics_box.products.flags.figures.result import Result, Row, result_of
from analytics_box.products.flags.page_frame import Opened, opened
from analytics_box.query import ranges
from analytics_box.query.access import Scope
from analytics_box.query.ranges import Days
from analytics_box.query.request import GivenFilter, GivenParameter, GivenQuery, check
from analytics_box.query.run import Queries
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Page, Visit, Visitor

_MOST_EVENTS: Final = 100
_LONGEST_NAME: Final = 256


class Asked(Struct, frozen=True):
    """What the address asks for: the event that counts as a success, and the days; `unread` says what it asks for in
    vain."""

    event: str
    range: RangeName
    first: str
    last: str
    days: Days
    unread: str


async def results(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/results: what came of each variant. Raises NotFound or Forbidden."""
    page = await opened(visit, flag_id)
    zone = ranges.zone(visit.person.time_zone)
    asked = _asked(visit, zone, day_of(page.flag.created_at, zone))
    found = await _rows(page, asked, zone.key)
    rows, events = found or ([], [])
    return page.show(
        "flag_results.html",
        "results",
        asked=asked,
        ranges=[(name, Ranges.names[name]) for name in NAMED],
        events=events,
        failed=found is None,
        result=_result(page, rows, asked, zone.key) if rows else None,
    )


def _asked(visit: Visit, zone: ZoneInfo, made: date) -> Asked:
    """What an address asks for; all time begins on the day on which the flag was `made`. Never raises: what cannot be
    read is the usual."""
    span = read_span({name: visit.asked(name) for name in ("range", "from", "to")})
    days = days_of(span, visit.call.now, zone, made)
    event = visit.asked("conversion").strip()[:_LONGEST_NAME]
    return Asked(event, span.name, days.first.isoformat(), days.last.isoformat(), days, span.unread)


async def _rows(page: Opened, asked: Asked, zone: str) -> tuple[list[Row], list[str]] | None:
    """The variants, and the names of the events that their visitors sent; None where the queries failed."""
    visit, flag = page.visit, page.flag
    filters = [GivenFilter("flag", "eq", flag.key)]
    if asked.event:
        filters.append(GivenFilter("conversion", "eq", asked.event))
    given = GivenQuery(
        parameters=[GivenParameter("flag_exposures"), GivenParameter("custom_events")],
        startDate=asked.first,
        endDate=asked.last,
        limit=_MOST_EVENTS,
        filters=filters,
    )
    websites = visit.parts[Directory]
    sites = tuple(
        one.site for one in websites.of(flag.organization_id) if flag.website_id is None or one.id == flag.website_id
    )
    request = check(given, zone_name=zone, now=visit.call.now)
    try:
        entries = await visit.parts[Queries].answer(request, Scope(sites))
    except BoxError:
        return None
    if not all(entry.success for entry in entries):
        return None
    answers = {entry.parameter: entry.data for entry in entries}
    events = [row["name"] for row in answers["custom_events"] if not row["name"].startswith("$")]
    return answers["flag_exposures"], events


def _result(page: Opened, rows: list[Row], asked: Asked, zone: str) -> Result:
    flag = page.flag
    notes = []
    if flag.updated_at > ranges.window(asked.days, ranges.zone(zone), None).start and flag.version > 1:
        notes.append(FlagResults.changed.format(moment=dates.moment(flag.updated_at, page.visit.person)))
    if any(one.key == flag.key and one.environment != flag.environment for one in page.scope.flags):
        notes.append(FlagResults.environments)
    if flag.definition.type != "multivariant":
        notes.append(FlagResults.failures)
    notes.append(FlagResults.days)
    return result_of(rows, asked.event, notes)
