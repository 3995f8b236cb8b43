"""The performance page of a website: web vitals by percentile and threshold, their trend, and the worst pages."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.facts.event import TIMINGS, VITAL_LIMITS
from analytics_box.base.translation import _
from analytics_box.figures import export, page, suggesting
from analytics_box.figures.asking import PageQuery, SubjectFacts, UnansweredQuery
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.related import FlagHistories
from analytics_box.figures.view import View, read_view
from analytics_box.products.notes.on_charts import on_charts
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.overview.compact import (
    RATINGS,
    VITAL_NAMES,
    Rating,
    percentile_text,
    rate,
    round_percentile,
)
from analytics_box.query import ranges
from analytics_box.query.catalog.registry import TYPES, QueryType
from analytics_box.query.catalog.types import Record, ScanRequest, column
from analytics_box.query.catalog.values import field, text_or_unknown
from analytics_box.query.plan import PARTS_OF_ONE, PlanOrder
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page.visit import Answer, Next, Visitor

# The parameters of the page, and what it shows without them.
USUAL: Final = {"vital": "LCP", "rank": "p75", "split": "path"}
RANKS: Final = ("p50", "p75", "p90", "p99")
SPLITS: Final = {
    "path": _("Page"),
    "country": _("Country"),
    "device": _("Device"),
    "browser": _("Browser"),
    "connection": _("Connection"),
    "release": _("Release"),
}
MOST_ROWS: Final = 25
# Load phases by percentile.
_PHASE_TYPES: Final = {
    rank: replace(
        TYPES["vitals_overview"],
        columns=tuple(column(name, "number", name, field(name)) for name in ("metric", rank, "samples")),
        asks=(ScanRequest("vitals", (rank, "samples"), ("metric",), metrics=tuple(TIMINGS)),),
    )
    for rank in RANKS
}
_PHASES: Final = {
    "redirect_time": _("Redirects"),
    "domain_lookup_time": _("DNS lookup"),
    "connection_time": _("Connection"),
    "ttfb": _("Time to first byte"),
    "request_time": _("Request and response"),
    "dom_interactive": _("DOM interactive"),
    "dom_ready_time": _("DOM ready"),
    "render_time": _("Render"),
    "load_time": _("Page loaded"),
}
_WIDTH, _HEIGHT = 600, 120


class PerformanceChoice(Struct, frozen=True):
    """A link of a row of choices."""

    label: str
    href: str
    selected: bool


class MetricCard(Struct, frozen=True):
    """A metric: its percentile and rating, its percentile `before` in words or empty, and the shares of good, fair and
    poor measurements (widths and words)."""

    name: str
    title: str
    href: str
    selected: bool
    value: str
    rating: Rating
    words: str
    before: str
    samples: str
    widths: tuple[str, str, str]
    shares: str


class SplitRow(Struct, frozen=True):
    """A value of the breakdown."""

    name: str
    value: str
    rating: Rating
    words: str
    poor: str
    visitors: str
    samples: str
    width: str


class LoadPhase(Struct, frozen=True):
    """A phase of loading a page."""

    name: str
    value: str
    samples: str
    width: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/performance. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/performance", visit.request.query_params, WEBSITE, tuple(USUAL))
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, view = await page.asking_for(visit, website.site, view, SubjectFacts(notes=on_charts(visit, website)))
    _same, board = await page.empty(visit, website.site, view)
    metric, rank, split = _choices(view)
    failed, rows, window = "", None, asking.window
    notes, changes = await asyncio.gather(
        asking.notes_shown(), visit.parts[FlagHistories].find(visit, website, window.start, window.end)
    )
    compares = asking.compared is not None and not asking.compared.nothing
    try:
        rows = await asking.rows(
            ("vitals_overview", "vitals_time_series"),
            before=("vitals_overview",) if compares else (),
            derived=(_split_type(split, metric, rank), _PHASE_TYPES[rank]),
        )
    except UnansweredQuery as wrong:
        failed = _("These figures could not be loaded: {why}").format(why=wrong)
    overview, series, *before, parts, phases = rows or ([], [], [], [])
    trend, most = _trend(asking, [row for row in series if row["metric_name"] == metric], rank)
    return visit.pages.show(
        "performance.html",
        shell=site_shell(visit, "performance", website),
        site=website,
        board=board,
        failed=failed,
        cards=_cards(board.view, overview, before[0] if before else (), metric, rank),
        ranks=[PerformanceChoice(name, board.view.choose(USUAL, rank=name), name == rank) for name in RANKS],
        splits=[
            PerformanceChoice(label, board.view.choose(USUAL, split=name), name == split)
            for name, label in SPLITS.items()
        ],
        split=SPLITS[split],
        metric=metric,
        rank=rank,
        rows=_rows(parts, metric, rank),
        more=_("Showing the {count} with the most visitors affected.").format(count=MOST_ROWS)
        if len(parts) > MOST_ROWS
        else "",
        trend=trend,
        trend_most=percentile_text(metric, round_percentile(metric, most)),
        notes=sorted((*notes, *changes), key=lambda note: note.at),
        phases=_phases(phases, rank),
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/performance/export/{form}: the metrics, their trend, and the chosen breakdown. Raises NotFound,
    RateLimited or Unavailable."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/performance", visit.request.query_params, WEBSITE, tuple(USUAL))
    metric, rank, split = _choices(view)
    types = {
        "vitals_overview": TYPES["vitals_overview"],
        "vitals_time_series": TYPES["vitals_time_series"],
        split: _split_type(split, metric, rank),
    }

    async def sheet(name: str, asking: PageQuery) -> ExportSheet:
        (rows,) = await asking.rows((), derived=(types[name],), limit=export.MOST_ROWS)
        return ExportSheet(name, tuple(output.name for output in types[name].outputs), rows)

    return await export.file(
        visit, website.site, view, tuple(types), form, own={name: partial(sheet, name) for name in types}
    )


def _choices(view: View) -> tuple[str, str, str]:
    """The metric, the percentile and the breakdown that an address asks for."""
    metric = next((name for name in VITAL_LIMITS if name == view.own_value("vital")), USUAL["vital"])
    rank = next((name for name in RANKS if name == view.own_value("rank")), USUAL["rank"])
    return metric, rank, next((name for name in SPLITS if name == view.own_value("split")), USUAL["split"])


def _split_type(split: str, metric: str, rank: str) -> QueryType:
    measures = (rank, "samples", "poor", "poor_users", "users")
    return replace(
        TYPES["vitals_by_page"],
        columns=(
            column("name", "string", split, text_or_unknown(split)),
            *(column(name, "number", name, field(name)) for name in measures),
        ),
        asks=(
            ScanRequest(
                "vitals",
                measures,
                (split, "metric"),
                metrics=(metric,),
                order=(PlanOrder("poor_users"), PlanOrder("samples")),
            ),
        ),
    )


def _cards(
    view: View, overview: Sequence[Record], before: Sequence[Record], metric: str, rank: str
) -> list[MetricCard]:
    known, earlier = ({row["metric_name"]: row for row in rows if row["samples"]} for rows in (overview, before))
    cards = []
    for name in VITAL_LIMITS:
        if name not in known:
            continue
        row = known[name]
        shown = round_percentile(name, row[rank])
        fair = row["samples"] - row["good"] - row["poor"]
        shares = [100 * count / row["samples"] for count in (row["good"], fair, row["poor"])]
        cards.append(
            MetricCard(
                name=name,
                title=VITAL_NAMES[name],
                href=view.choose(USUAL, vital=name),
                selected=name == metric,
                value=percentile_text(name, shown),
                rating=rate(name, shown),
                words=RATINGS[rate(name, shown)],
                before=_("before: {value}").format(
                    value=percentile_text(name, round_percentile(name, earlier[name][rank]))
                )
                if name in earlier
                else "",
                samples=_("{count} measured").format(count=figures.count(row["samples"])),
                widths=(
                    figures.bar_width(shares[0], 100),
                    figures.bar_width(shares[1], 100),
                    figures.bar_width(shares[2], 100),
                ),
                shares=_("{good} good, {fair} need work, {poor} poor").format(
                    good=figures.percent(shares[0]), fair=figures.percent(shares[1]), poor=figures.percent(shares[2])
                ),
            )
        )
    return cards


def _rows(parts: Sequence[Record], metric: str, rank: str) -> list[SplitRow]:
    shown = parts[:MOST_ROWS]
    most = max((row["poor_users"] for row in shown), default=0)
    rows = []
    for row in shown:
        value = round_percentile(metric, row[rank] / PARTS_OF_ONE)
        rows.append(
            SplitRow(
                name=figures.visible(row["name"]),
                value=percentile_text(metric, value),
                rating=rate(metric, value),
                words=RATINGS[rate(metric, value)],
                poor=figures.percent(100 * row["poor"] / row["samples"]),
                visitors=figures.count(row["poor_users"]),
                samples=figures.count(row["samples"]),
                width=figures.bar_width(row["poor_users"], most),
            )
        )
    return rows


def _trend(asking: PageQuery, series: Sequence[Record], rank: str) -> tuple[str, float]:
    """The points of the percentile over time, as SVG has them, and the highest value."""
    window = ranges.window(asking.days, asking.zone, asking.steps, asking.formats.week[0])
    values = {row["date"]: row[rank] for row in series}
    most = max(values.values(), default=0)
    if len(values) < 2 or not most:
        return "", most
    wide = _WIDTH / (len(window.buckets) - 1)
    points = (
        f"{place * wide:.1f},{_HEIGHT - values[bucket.label] * _HEIGHT / most:.1f}"
        for place, bucket in enumerate(window.buckets)
        if bucket.label in values
    )
    return " ".join(points), most


def _phases(rows: Sequence[Record], rank: str) -> list[LoadPhase]:
    numbers = {number: name for name, number in TIMINGS.items()}
    known = {numbers[row["metric"]]: row for row in rows if row["samples"]}
    most = max((row[rank] for row in known.values()), default=0)
    return [
        LoadPhase(
            label,
            percentile_text(name, round_percentile(name, known[name][rank] / PARTS_OF_ONE)),
            figures.count(known[name]["samples"]),
            figures.bar_width(known[name][rank], most),
        )
        for name, label in _PHASES.items()
        if name in known
    ]
