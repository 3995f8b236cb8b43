"""The result of an experiment: GET /flags/{id}/results."""

from datetime import date
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import audit
from analytics_box.base.errors import BoxError
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.figures.asking import day_of
from analytics_box.figures.earnings import earnings, earnings_text
from analytics_box.figures.spans import NAMED, RANGE_LABELS, RangeName, days_of, read_span
from analytics_box.products.flags.access import FlagReach, find_flag
from analytics_box.products.flags.figures.result import ExperimentResult, Row, result_of
from analytics_box.products.flags.flag import SUBJECT, Flag
from analytics_box.products.flags.page_frame import HOME, FlagPageView, open_flag
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import GivenParameter, GivenQuery, QueryFilterInput, check
from analytics_box.query.run import QueryRunner
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.reach import all_own
from analytics_box.web.page import dates
from analytics_box.web.page.dates import formats_of
from analytics_box.web.page.visit import Answer, Page, PageRequest, Visitor


class SuccessMetric(Struct, frozen=True):
    """The event that an experiment should make more frequent."""

    flag_id: str
    event: str


METRICS: Final = Table("flag_metrics", SuccessMetric, key="flag_id")


def find_metric(db: Connection, flag_id: str) -> str:
    """The success metric of a flag, the name of an event; empty if it has none."""
    metric = METRICS.first(db, "flag_id = ?", flag_id)
    return metric.event if metric is not None else ""


def store_metric(db: Connection, own: FlagReach, flag: Flag, event: str) -> None:
    """Store the success metric of a flag, with an audit entry if it changes."""
    before = find_metric(db, flag.id)
    if event == before:
        return
    METRICS.delete(db, flag.id)
    if event:
        METRICS.insert(db, SuccessMetric(flag.id, event))
    detail = {"key": flag.key, "successMetric": {"from": before or None, "to": event or None}}
    audit.record(db, own.by, flag.organization_id, "updated", SUBJECT, flag.id, detail)


_MOST_EVENTS: Final = 100
_LONGEST_NAME: Final = 256


class FlagResultsRequest(Struct, frozen=True):
    """The request of the page: the event that counts as a conversion, and the days; `unread` is a range that could not
    be read.
    """

    event: str
    range: RangeName
    first: str
    last: str
    days: DayRange
    unread: str


async def results(visit: Visitor, flag_id: FromPath[str]) -> Page:
    """GET /flags/{id}/results: the results of each variant. Raises NotFound or Forbidden."""
    page = await open_flag(visit, flag_id)
    zone = ranges.zone(visit.person.time_zone)
    metric = await visit.call.read(lambda db: find_metric(db, page.flag.id))
    asked = _read_request(visit, zone, day_of(page.flag.created_at, zone), metric)
    found = await _rows(page, asked, zone.key)
    rows, events, revenue = found or ([], [], "")
    return page.show(
        "flag_results.html",
        "results",
        asked=asked,
        ranges=[(name, RANGE_LABELS[name]) for name in NAMED],
        events=events,
        failed=found is None,
        revenue=revenue,
        result=_result(page, rows, asked, zone.key) if rows else None,
    )


async def save_metric(visit: Visitor, flag_id: FromPath[str]) -> Answer:
    """POST /flags/{id}/results: store the success metric of the flag; an empty one is removed. Raises NotFound or
    Forbidden.
    """
    form = await visit.form()
    own, flag = find_flag(visit.call, flag_id)
    event = form.get("conversion", "").strip()[:_LONGEST_NAME]
    visit.saves()
    await visit.parts.box_db.write(lambda db: store_metric(db, own, flag, event), adds=bool(event))
    days = {name: form[name] for name in ("range", "from", "to") if form.get(name)}
    return visit.go(f"{HOME}/{flag.id}/results?{urlencode(days)}")


def _read_request(visit: PageRequest, zone: ZoneInfo, created: date, metric: str) -> FlagResultsRequest:
    """The request in the URL, else the stored success metric; all time begins on the day on which the flag was
    created. Invalid values get the default.
    """
    span = read_span({name: visit.asked(name) for name in ("range", "from", "to")})
    days = days_of(span, visit.call.now, zone, created, formats_of(visit.person))
    event = visit.asked("conversion").strip()[:_LONGEST_NAME] or metric
    return FlagResultsRequest(event, span.name, days.first.isoformat(), days.last.isoformat(), days, span.unread)


async def _rows(page: FlagPageView, asked: FlagResultsRequest, zone: str) -> tuple[list[Row], list[str], str] | None:
    """The variants, the names of the events that their visitors sent, and the revenue of their sessions, which is empty
    if there is none; None if the queries failed."""
    visit, flag = page.visit, page.flag
    filters = [QueryFilterInput("flag", "eq", flag.key)]
    if asked.event:
        filters.append(QueryFilterInput("conversion", "eq", asked.event))
    given = GivenQuery(
        parameters=[GivenParameter("flag_exposures"), GivenParameter("custom_events")],
        startDate=asked.first,
        endDate=asked.last,
        limit=_MOST_EVENTS,
        filters=filters,
    )
    websites = all_own(visit.call, flag.organization_id)
    reads = ReadScope(tuple(one.site for one in websites if flag.website_id is None or one.id == flag.website_id))
    request = check(given, zone_name=zone, now=visit.call.now)
    queries = visit.parts[QueryRunner]
    try:
        entries = await queries.answer(request, reads)
    except BoxError:
        return None
    if not all(entry.success for entry in entries):
        return None
    answers = {entry.parameter: entry.data for entry in entries}
    events = [row["name"] for row in answers["custom_events"] if not row["name"].startswith("$")]
    return answers["flag_exposures"], events, earnings_text(await earnings(queries, request, reads))


def _result(page: FlagPageView, rows: list[Row], asked: FlagResultsRequest, zone: str) -> ExperimentResult:
    flag = page.flag
    notes = []
    if flag.updated_at > ranges.window(asked.days, ranges.zone(zone), None).start and flag.version > 1:
        notes.append(
            _(
                "The flag changed on {moment}. If its weights or rules changed, select a range that starts after that."
            ).format(moment=dates.moment(flag.updated_at, page.visit.person))
        )
    if any(one.key == flag.key and one.environment != flag.environment for one in page.scope.flags):
        notes.append(_("Flags of other environments have the same key, and events do not include the environment."))
    if flag.definition.type != "multivariant":
        notes.append(
            _(
                "The SDK also reports “false” if it received no answer, for example after an "
                "error. This looks the same as a flag that is off."
            )
        )
    notes.append(
        _("Without lasting visitor IDs, visitors are counted per day, so conversions on later days do not count.")
    )
    return result_of(rows, asked.event, notes)
