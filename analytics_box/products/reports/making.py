"""The figures of a report on a period, by the queries of the dashboard."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import Unavailable
from analytics_box.base.translation import _
from analytics_box.figures import panels, tiles
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery, day_of
from analytics_box.figures.board import Metric, Rows
from analytics_box.figures.comparing import Comparison, compared_days
from analytics_box.figures.movers import can_be_explained, movers
from analytics_box.figures.page import MOST_ASKED, imported_note
from analytics_box.figures.view import View, read_view
from analytics_box.figures.watched import WatchedWebsites
from analytics_box.products.funnels.figures import TOTALS as FUNNEL_TOTALS
from analytics_box.products.funnels.figures import FunnelQuery, figures_of
from analytics_box.products.funnels.lookup import of_website as funnels_of
from analytics_box.products.funnels.rules import steps_of
from analytics_box.products.goals.figures import GoalFigures, GoalPeriod, goal_figures
from analytics_box.products.goals.lookup import of_website as goals_of
from analytics_box.products.notes import change as notes
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.reports import related
from analytics_box.products.reports.content import (
    ReportBar,
    ReportContent,
    ReportFigure,
    ReportRemark,
    ReportTable,
    change_text,
    count_row,
    period_words,
    rate_row,
)
from analytics_box.products.reports.report import MOST_WEBSITES, Report, Section
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.ranges import DayRange
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Parts
from analytics_box.web.page.dates import USUAL, WEEKDAYS

KINDS: Final = {
    "daily": _("Daily report"),
    "weekly": _("Weekly report"),
    "monthly": _("Monthly report"),
    "weekdays": _("Report"),
}
# Of a list.
ROWS: Final = 5
MOST_MOVERS: Final = 4
MOST_REMARKS: Final = 10
# Pixels of the highest bar.
_HIGHEST: Final = 90
_MOST_BARS: Final = 31
_LISTS: Final[tuple[Section, ...]] = ("sources", "pages", "countries", "devices", "events")
_RATE: Final = Metric("rate", "", unit="percent")


class ReportQuery(Struct, frozen=True):
    """The question of a report: the page of figures with its days, and the view that names its lists."""

    parts: Parts
    report: Report
    website: Website
    asking: PageQuery
    view: View

    @property
    def earlier(self) -> DayRange | None:
        """The days to compare with, if anything is known of all of them."""
        against = self.asking.compared
        return against.days if against is not None and against.begun is None else None


async def make(parts: Parts, report: Report, website: Website, days: DayRange) -> ReportContent:
    """The content of a report on these days. Raises Unavailable."""
    try:
        found = [
            await _content(await query_of(parts, report, one, days))
            for one in websites_of(parts[Directory], report, website)
        ]
    except UnansweredQuery as failed:
        raise Unavailable(str(failed)) from failed
    if len(found) > 1:
        found = [_without_empty_lists(one) for one in found]
    return replace(found[0], others=tuple(found[1:]))


def _without_empty_lists(content: ReportContent) -> ReportContent:
    """A section of a report about several websites, which would be long with them."""
    bars = content.bars if any(bar.visitors for bar in content.bars) else ()
    return replace(content, bars=bars, tables=tuple(one for one in content.tables if one.rows))


def websites_of(websites: Directory, report: Report, website: Website) -> list[Website]:
    """The websites that a report is about, its own first, of those that its organization has now."""
    further = websites.of(website.organization_id)
    return [
        website,
        *(one for one in further if one != website and (report.all_websites or one.id in report.websites)),
    ][:MOST_WEBSITES]


async def query_of(parts: Parts, report: Report, website: Website, days: DayRange) -> ReportQuery:
    """The question of a report on these days."""
    zone, now = ranges.zone(report.time_zone), parts.clock.now()
    begun = (await parts[Presence].beginnings((website.site,))).get(website.site)
    since = None if begun is None else day_of(begun, zone)
    queries = parts[QueryRunner]
    asking = PageQuery(
        queries,
        website.site,
        WEBSITE,
        days,
        zone,
        now,
        filters=report.filters,
        told=SubjectFacts(only=report.filters),
        step="day",
        compared=compared_days(Comparison(), days, since),
        begun=begun,
    )
    return ReportQuery(parts, report, website, asking, read_view(f"/sites/{website.id}", {}, WEBSITE))


async def _content(query: ReportQuery) -> ReportContent:
    """Raises UnansweredQuery."""
    parts, report, website, asking = query.parts, query.report, query.website, query.asking
    sections = report.sections
    days, earlier = asking.days, query.earlier
    types = tuple(dict.fromkeys(metric.total for metric in WEBSITE.metrics))
    answers = await asking.rows(types, so_far=types if earlier is not None else ())
    now = dict(zip(types, answers, strict=False))
    before = dict(zip(types, answers[len(types) :], strict=True)) if earlier is not None else None
    totals = _totals(query, now, before)
    difference, parts_moved = await _movers(query, now, before) if "changes" in sections else ("", ())
    outages = await _outages(query) if "uptime" in sections else ()
    noted = (*outages, *(await _notes(query) if "notes" in sections else ()))
    visitors, first, last = totals[0], days.first.isoformat(), days.last.isoformat()
    against = ("", "") if earlier is None else (earlier.first.isoformat(), earlier.last.isoformat())
    imported = await imported_note(asking.queries, WEBSITE.subject, website.site, days)
    range_address = urlencode({"range": "custom", "from": first, "to": last})
    return ReportContent(
        report=report.name,
        website=website.name,
        domain=website.domain,
        website_id=website.id,
        kind=KINDS[report.frequency],
        first_day=first,
        last_day=last,
        time_zone=report.time_zone,
        period=period_words(first, last, USUAL),
        compared="" if earlier is None else period_words(*against, USUAL, weekday=False),
        compared_first=against[0],
        compared_last=against[1],
        url=f"{parts.settings.public_url}/sites/{website.id}?{range_address}",
        filtered=bool(report.filters),
        visitors=visitors,
        imported_first="" if imported is None else imported.first,
        imported_last="" if imported is None else imported.last,
        figures=totals if "figures" in sections else (),
        bars=await _bars(query, outages) if "figures" in sections and 1 < days.length <= _MOST_BARS else (),
        difference=difference,
        movers=parts_moved,
        tables=(
            *[await _list(query, name) for name in _LISTS if name in sections],
            *(await _goals(query) if "goals" in sections else ()),
            *(await _funnels(query) if "funnels" in sections else ()),
            *([await related.revenue_table(asking, earlier is not None)] if "revenue" in sections else ()),
            *([await related.links_table(parts, website, asking, earlier, ROWS)] if "links" in sections else ()),
            *(await _uptimes(query) if "uptime" in sections else ()),
            *([await related.errors_table(parts, website, asking, ROWS)] if "errors" in sections else ()),
            *(await related.flag_tables(parts, website, asking) if "flags" in sections else ()),
        ),
        noted=noted,
    )


def _totals(query: ReportQuery, now: tiles.Totals, before: tiles.Totals | None) -> tuple[ReportFigure, ...]:
    """The tiles of the dashboard."""
    shown = tiles.tiles(query.view, now, before)
    found = []
    for metric, tile in zip(query.view.metrics, shown, strict=True):
        text, tone = change_text(tile.change)
        then = None if before is None else metric.total_of(before[metric.total], {})
        found.append(ReportFigure(tile.label, tile.value, metric.total_of(now[metric.total], {}), then, text, tone))
    return tuple(found)


async def _bars(query: ReportQuery, outages: Sequence[ReportRemark]) -> tuple[ReportBar, ...]:
    """The visitors of each day. Raises UnansweredQuery."""
    metric = query.view.charted["visitors"]
    (rows,) = await query.asking.rows((metric.series,))
    zone = query.asking.zone
    down = [(day_of(one.at, zone), day_of(max(one.at, (one.until or one.at) - 1), zone)) for one in outages]
    counts = [(date.fromisoformat(str(row["date"])[:10]), int(metric.of(row) or 0)) for row in rows]
    highest = max((visitors for _day, visitors in counts), default=0)
    return tuple(
        ReportBar(
            day.isoformat(),
            WEEKDAYS[day.weekday()] if len(counts) <= 7 else str(day.day) if day.day % 7 == 1 or number == 0 else "",
            visitors,
            max(1, round(_HIGHEST * visitors / highest)) if visitors else 0,
            any(first <= day <= last for first, last in down),
        )
        for number, (day, visitors) in enumerate(counts)
    )


async def _movers(
    query: ReportQuery, now: tiles.Totals, before: tiles.Totals | None
) -> tuple[str, tuple[ReportFigure, ...]]:
    """The difference in visitors and the sources that explain most of it. Raises UnansweredQuery."""
    explanation, asking = WEBSITE.explained_by[0], query.asking
    if before is None or not can_be_explained(query.view, asking.compared, explanation):
        return "", ()
    type_name, (total, field) = WEBSITE.lists[explanation.listed].type, explanation.total
    rows, earlier = await asking.rows((type_name,), so_far=(type_name,), limit=MOST_ASKED)
    totals = before[total][0][field], now[total][0][field]
    found = movers(query.view, explanation, (earlier, rows), totals, limit=MOST_ASKED, most=MOST_MOVERS)
    if found is None or totals[0] == totals[1]:
        return "", ()
    return found.amount, tuple(
        ReportFigure(part.label, part.amount, part.change, None, "", "good" if part.change > 0 else "bad")
        for part in found.parts
    )


async def _list(query: ReportQuery, name: Section) -> ReportTable:
    """The first rows of a list of the dashboard. Raises UnansweredQuery."""
    listed, words, asking = WEBSITE.lists[name], WEBSITE.words, query.asking
    compares = (listed.type,) if query.earlier is not None else ()
    rows, *then = await asking.rows((listed.type,), so_far=compares, limit=MOST_ASKED)
    shown = panels.without(listed, rows)[:ROWS]
    return ReportTable(
        name,
        words.tabs[name],
        WEBSITE.about({}).names[listed.counted],
        tuple(
            count_row(
                listed.label(row[listed.shown] or "") or _("Unknown"),
                row[listed.counted],
                _count_before(then[0], listed.shown, listed.counted, row) if then else None,
            )
            for row in shown
        ),
        _("No data in this period."),
    )


def _count_before(rows: Rows, shown: str, counted: str, row: dict[str, object]) -> float | None:
    """The number of the same row in the compared days; None if the list is cut before it."""
    found = next((one[counted] for one in rows if one[shown] == row[shown]), None)
    return found if found is not None else 0 if len(rows) < MOST_ASKED else None


async def _goals(query: ReportQuery) -> tuple[ReportTable, ...]:
    """The conversions of the active goals."""
    found = await query.parts.box_db.read(lambda db: goals_of(db, query.website.id))
    goals = [goal for goal in found if goal.is_active]
    if not goals:
        return ()
    period = GoalPeriod(query.asking.days, query.asking.zone, query.asking.now)
    ask = partial(
        goal_figures,
        query.parts[QueryRunner],
        query.website.site,
        [goal.definition for goal in goals],
        narrowed=query.report.filters,
    )
    reached = await ask(period)
    before: Sequence[GoalFigures | str] = [""] * len(goals)
    if query.earlier is not None:
        before = await ask(GoalPeriod(query.earlier, period.zone, period.now))
    rows = tuple(
        count_row(goal.name, now.conversions, None if isinstance(then, str) else then.conversions)
        if isinstance(now, GoalFigures)
        else ReportFigure(figures.visible(goal.name), "–")
        for goal, now, then in zip(goals, reached, before, strict=True)
    )
    return (ReportTable("goals", _("Goals"), _("Conversions"), rows),)


async def _funnels(query: ReportQuery) -> tuple[ReportTable, ...]:
    """The conversion rates of the active funnels."""
    rows = []
    found = await query.parts.box_db.read(lambda db: funnels_of(db, query.website.id))
    for funnel in (one for one in found if one.is_active):
        steps = steps_of(funnel.definition)
        asked = FunnelQuery(
            query.parts[QueryRunner],
            query.website.site,
            steps,
            query.asking.zone,
            query.asking.now,
            query.report.filters,
        )
        asked_rows = [await asked.rows(days, [FUNNEL_TOTALS]) for days in (query.asking.days, query.earlier) if days]
        rates = [None if isinstance(one, str) else figures_of(one[0][0], steps.names).rate for one in asked_rows]
        now, then = rates[0], rates[1] if len(rates) > 1 else None
        rows.append(rate_row(funnel.name, "–" if now is None else figures.percent(now), now, then, _RATE))
    return (ReportTable("funnels", _("Funnels"), _("Conversion rate"), tuple(rows)),) if rows else ()


async def _uptimes(query: ReportQuery) -> tuple[ReportTable, ...]:
    """The monitors of the website."""
    window = query.asking.window
    found = await query.parts[WatchedWebsites].uptimes(query.website, window, min(window.end, query.asking.now))
    rows = tuple(
        ReportFigure(figures.visible(one.name), "–" if one.uptime is None else figures.uptime(one.uptime), one.uptime)
        for one in found
    )
    return (ReportTable("uptime", _("Uptime"), _("Uptime"), rows),) if rows else ()


async def _outages(query: ReportQuery) -> tuple[ReportRemark, ...]:
    """The outages of the website, the longest first."""
    window = query.asking.window
    found = await query.parts[WatchedWebsites].outages(query.website.id, window.start, window.end)
    longest = sorted(found, key=lambda one: one.start - one.until)[:MOST_REMARKS]
    return tuple(ReportRemark(one.start, one.until) for one in longest)


async def _notes(query: ReportQuery) -> tuple[ReportRemark, ...]:
    """The notes in the period."""
    window = query.asking.window
    found = await query.parts.box_db.read(
        lambda db: notes.between(db, query.website.id, window.start, window.end - 1, MOST_REMARKS)
    )
    return tuple(ReportRemark(one.at, one.until, one.content.text, one.content.days) for one in found)
