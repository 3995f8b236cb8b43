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
from analytics_box.figures.marks import ChartNote, NoteFlag, flags, marks
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
# Rows of the compared range in which those of the breakdown are looked for.
_MOST_BEFORE: Final = 1_000
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
EARLIER: Final = _("before: {value}")
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
    """A value of the breakdown; `before` is its percentile in the compared range in words, or empty."""

    name: str
    value: str
    rating: Rating
    words: str
    poor: str
    visitors: str
    samples: str
    width: str
    before: str


class LoadPhase(Struct, frozen=True):
    """A phase of loading a page; `before` is its time in the compared range in words, or empty."""

    name: str
    value: str
    samples: str
    width: str
    before: str


class TrendFlag(Struct, frozen=True):
    """A flag on the trend at a `place` (class w0 … w100), and the number of its `first` note in the list of notes. What
    one that `is_late` says is shown to its left."""

    place: str
    first: int
    is_late: bool
    flag: NoteFlag


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
    failed, rows, earlier, window = "", None, None, asking.window
    notes, changes = await asyncio.gather(
        asking.notes_shown(), visit.parts[FlagHistories].find(visit, website, window.start, window.end)
    )
    derived = (_split_type(split, metric, rank), _PHASE_TYPES[rank])
    compares = asking.compared is not None and not asking.compared.nothing
    try:
        rows = await asking.rows(
            ("vitals_overview", "vitals_time_series"),
            before=("vitals_overview",) if compares else (),
            derived=derived,
        )
        if asking.compared is not None and compares:
            before_it = replace(asking, days=asking.compared.days, compared=None)
            earlier = await before_it.rows((), derived=derived, limit=_MOST_BEFORE)
    except UnansweredQuery as wrong:
        failed = _("These figures could not be loaded: {why}").format(why=wrong)
    overview, series, *before, parts, phases = rows or ([], [], [], [])
    parts_before, phases_before = earlier or ([], [])
    shown = sorted((*notes, *changes), key=lambda note: note.at)
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
        rows=_rows(parts, parts_before, metric, rank),
        more=_("Showing the {count} with the most visitors affected.").format(count=MOST_ROWS)
        if len(parts) > MOST_ROWS
        else "",
        trend=trend,
        trend_most=percentile_text(metric, round_percentile(metric, most)),
        notes=shown,
        flags=_flags(asking, series, shown) if trend else (),
        phases=_phases(phases, phases_before, rank),
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
                before=EARLIER.format(value=percentile_text(name, round_percentile(name, earlier[name][rank])))
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


def _before(name: str, row: Record | None, rank: str) -> str:
    """The percentile of a metric in a row of the compared range, in words; empty if it was not measured."""
    if row is None or not row["samples"]:
        return ""
    return EARLIER.format(value=percentile_text(name, round_percentile(name, row[rank] / PARTS_OF_ONE)))


def _rows(parts: Sequence[Record], before: Sequence[Record], metric: str, rank: str) -> list[SplitRow]:
    shown, earlier = parts[:MOST_ROWS], {row["name"]: row for row in before}
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
                before=_before(metric, earlier.get(row["name"]), rank),
            )
        )
    return rows


def _trend(asking: PageQuery, series: Sequence[Record], rank: str) -> tuple[str, float]:
    """The points of the percentile over time, as SVG has them, and the highest value."""
    buckets = asking.buckets
    values = {row["date"]: row[rank] for row in series}
    most = max(values.values(), default=0)
    if len(values) < 2 or not most:
        return "", most
    wide = _WIDTH / (len(buckets) - 1)
    points = (
        f"{place * wide:.1f},{_HEIGHT - values[bucket.label] * _HEIGHT / most:.1f}"
        for place, bucket in enumerate(buckets)
        if bucket.label in values
    )
    return " ".join(points), most


def _flags(asking: PageQuery, series: Sequence[Record], notes: Sequence[ChartNote]) -> list[TrendFlag]:
    """The flags of notes above the trend, whose points reach from its left end to its right."""
    axis, dates = asking.axis, [{"date": bucket.label} for bucket in asking.buckets]
    named = axis.places(dates, axis.last)
    numbers = {note: number for number, note in enumerate(notes)}
    last = len(named) - 1
    return [
        TrendFlag(
            figures.bar_width(min(max(flag.place, 0), last), last),
            min(numbers[note] for note in flag.notes),
            flag.place > last / 2,
            flag,
        )
        for flag in flags(marks(notes, named, axis.zone), len(named))
    ]


def _phases(rows: Sequence[Record], before: Sequence[Record], rank: str) -> list[LoadPhase]:
    numbers = {number: name for name, number in TIMINGS.items()}
    known, earlier = ({numbers[row["metric"]]: row for row in of if row["samples"]} for of in (rows, before))
    most = max((row[rank] for row in known.values()), default=0)
    return [
        LoadPhase(
            label,
            percentile_text(name, round_percentile(name, known[name][rank] / PARTS_OF_ONE)),
            figures.count(known[name]["samples"]),
            figures.bar_width(known[name][rank], most),
            _before(name, earlier.get(name), rank),
        )
        for name, label in _PHASES.items()
        if name in known
    ]
