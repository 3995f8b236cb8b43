"""The small panels of a dashboard, for what some websites measure: errors, web vitals, uptime. Pure."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.facts.event import VITAL_LIMITS
from analytics_box.base.translation import _
from analytics_box.figures import hours
from analytics_box.figures.board import Extra, PanelPlace, Rows
from analytics_box.figures.panels import UNKNOWN, BarRow
from analytics_box.figures.watched import WatchedUptime
from analytics_box.query.catalog.types import Record

VITAL_NAMES = {
    "LCP": _("Largest contentful paint"),
    "INP": _("Interaction to next paint"),
    "CLS": _("Cumulative layout shift"),
    "FCP": _("First contentful paint"),
    "TTFB": _("Time to first byte"),
}
RATINGS = {"good": _("Good"), "fair": _("Needs work"), "poor": _("Poor")}


class PanelFact(Struct, frozen=True):
    """A figure with its name."""

    label: str
    value: str


class Facts(Struct, frozen=True):
    """Figures above a short list, such as errors of the range and the commonest messages. Without facts there is
    nothing to show; `heading` names the list where that is not plain."""

    facts: tuple[PanelFact, ...]
    bars: tuple[BarRow, ...]
    heading: str = ""
    heads: tuple[str, ...] = ()


# The most pages that are listed as the next ones.
MOST: Final = 5
TYPES: Final = (
    "top_pages",
    "page_time_analysis",
    "page_scroll_performance",
    "entry_pages",
    "exit_pages",
    "session_flow",
)


def page_figures(answers: Sequence[Rows], place: PanelPlace) -> Facts:
    """The figures of the page that the filter names; empty if it was not viewed, or there is no such filter."""
    path = place.filters.get("path", "")
    path = path.rstrip("/") or path
    views, times, depths, entries, exits, flow = answers
    if not _field(views, path, "pageviews"):
        return Facts((), ())
    depth = _field(depths, path, "avg_scroll_depth")
    return Facts(
        facts=(
            PanelFact(_("time on page"), _seconds(_field(times, path, "median_time_on_page"))),
            PanelFact(_("scroll depth"), UNKNOWN if depth is None else figures.percent(depth)),
            PanelFact(_("sessions began here"), figures.count(_field(entries, path, "pageviews") or 0)),
            PanelFact(_("ended here"), figures.count(_field(exits, path, "pageviews") or 0)),
        ),
        bars=_following(place, [row for row in flow if row["from_path"] == path]),
        heading=_("Next pages"),
    )


def _field(rows: Rows, path: str, name: str) -> float | None:
    return next((row[name] for row in rows if row["name"] == path), None)


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else figures.duration(value)


def _following(place: PanelPlace, rows: Sequence[Record]) -> tuple[BarRow, ...]:
    """The pages that most often came next; shares are of all times that one did."""
    whole = sum(row["transitions"] for row in rows)
    largest = max((row["transitions"] for row in rows), default=0)
    return tuple(
        BarRow(
            label=figures.visible(row["to_path"]),
            detail="",
            value=figures.count(row["transitions"]),
            share=figures.percent(100 * row["transitions"] / whole),
            width=figures.bar_width(row["transitions"], largest),
            href=place.narrowed({"path": row["to_path"]}),
        )
        for row in rows[:MOST]
    )


ERRORS = 5
Rating = Literal["good", "fair", "poor"]

# The metrics in the order of the page.
LIMITS = VITAL_LIMITS


class ErrorSummary(Struct, frozen=True):
    """`error_summary`: counts, and the share of sessions in percent."""

    totalErrors: float = 0
    affectedUsers: float = 0
    errorRate: float = 0


class ErrorRow(Struct, frozen=True):
    """A row of `error_types`."""

    name: str = ""
    count: float = 0
    users: float = 0


class VitalRow(Struct, frozen=True):
    """A row of `vitals_overview`."""

    metric_name: str
    p75: float
    samples: float


class VitalFact(Struct, frozen=True):
    """A metric: its 75th percentile, how good that is, and how many values it comes from."""

    name: str
    title: str
    value: str
    rating: Rating
    words: str
    samples: str


def errors(summary: ErrorSummary, rows: Sequence[ErrorRow]) -> Facts:
    """The content of the panel of errors; empty if there are none."""
    facts = (
        PanelFact(_("errors"), figures.count(summary.totalErrors)),
        PanelFact(_("visitors affected"), figures.count(summary.affectedUsers)),
        PanelFact(_("of sessions"), figures.percent(summary.errorRate)),
    )
    largest = max((row.count for row in rows), default=0)
    return Facts(
        facts=facts if summary.totalErrors else (),
        bars=tuple(
            BarRow(
                label=figures.visible(row.name),
                detail="",
                value=figures.count(row.count),
                share=figures.count(row.users),
                width=figures.bar_width(row.count, largest),
            )
            for row in rows
        ),
        heads=(_("Message"), _("Errors"), _("Visitors")),
    )


def vitals(rows: Sequence[VitalRow]) -> tuple[VitalFact, ...]:
    """The metrics that were measured, in the order of the page."""
    found = {row.metric_name: row for row in rows if row.samples}
    return tuple(_vital(found[name]) for name in LIMITS if name in found)


def _vital(row: VitalRow) -> VitalFact:
    shown = round_percentile(row.metric_name, row.p75)
    rating = rate(row.metric_name, shown)
    return VitalFact(
        name=row.metric_name,
        title=VITAL_NAMES[row.metric_name],
        value=percentile_text(row.metric_name, shown),
        rating=rating,
        words=RATINGS[rating],
        samples=_("{count} measured").format(count=figures.count(row.samples)),
    )


def round_percentile(metric: str, value: float) -> float:
    """A 75th percentile as it is shown, so that its rating never contradicts what is read: CLS to two decimals, times
    to whole milliseconds, from a second on to tenths of a second."""
    if metric == "CLS":
        return float(figures.round_half_up(value, 2))
    whole = figures.whole(value)
    return whole if whole < 1_000 else figures.whole(value / 100) * 100


def rate(metric: str, value: float) -> Rating:
    """The rating of a 75th percentile."""
    good, fair = LIMITS[metric]
    return "good" if value <= good else "fair" if value <= fair else "poor"


def percentile_text(metric: str, shown: float) -> str:
    """A rounded percentile with its unit."""
    if metric == "CLS":
        return f"{shown:.2f}"
    return f"{shown:.0f}{figures.NBSP}ms" if shown < 1_000 else f"{shown / 1_000:.1f}{figures.NBSP}s"


def _errors(answers: Sequence[Rows], _: PanelPlace) -> Facts:
    summary, rows = answers
    return errors(msgspec.convert(summary[0], ErrorSummary), msgspec.convert(rows, list[ErrorRow]))


def uptime_rows(monitors: Sequence[WatchedUptime]) -> tuple[BarRow, ...]:
    """The monitors of a website, each with its uptime in the range and its state now."""
    return tuple(
        BarRow(
            label=figures.visible(one.name),
            detail="",
            value=UNKNOWN if one.uptime is None else figures.uptime(one.uptime),
            share=one.state,
            width=figures.bar_width(one.uptime or 0, 100),
            href=one.href,
        )
        for one in monitors
    )


EXTRAS: Final = {
    "page": Extra(
        TYPES,
        page_figures,
        "facts",
        _("Went on, share"),
        _("This page was not viewed in this range."),
        needs="path",
        before="sources",
    ),
    "goals": Extra((), None, "goals", "", _("No active goals."), before="countries"),
    "uptime": Extra((), None, "bars", _("In this range"), _("No checks in this range."), before="countries"),
    "week": Extra(
        ("hour_of_week",),
        hours.content,
        "week",
        _("Visitors"),
        _("No visits in this range."),
        limit=hours.ROWS,
        keyed={"hour_of_week": hours.key_of},
    ),
    "errors": Extra(
        ("error_summary", "error_types"),
        _errors,
        "facts",
        "",
        _("No errors in this range."),
        limit=ERRORS,
        more="errors",
        before="countries",
    ),
    "vitals": Extra(
        ("vitals_overview",),
        lambda answers, _: vitals(msgspec.convert(answers[0], list[VitalRow])),
        "vitals",
        _("75th percentile"),
        _("No web vitals in this range."),
        more="performance",
        before="countries",
    ),
}
