"""The small panels at the end of an overview, for what some websites measure: errors and web vitals. Pure."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from analytics_box.base.texts import Compact, SinglePageTexts, Vitals, figures
from analytics_box.figures import hours
from analytics_box.figures.board import Extra, PanelPlace, Rows
from analytics_box.figures.panels import BarRow
from analytics_box.products.overview import one_page
from analytics_box.products.overview.facts import Facts, PanelFact

ERRORS = 5  # messages
Rating = Literal["good", "fair", "poor"]

# The metrics in the order of the page, with the values up to which the 75th percentile is good, and not yet poor:
# https://web.dev/articles/vitals. Milliseconds; CLS has no unit.
LIMITS = {"LCP": (2_500, 4_000), "INP": (200, 500), "CLS": (0.1, 0.25), "FCP": (1_800, 3_000), "TTFB": (800, 1_800)}


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
        PanelFact(Compact.errors, figures.count(summary.totalErrors)),
        PanelFact(Compact.visitors, figures.count(summary.affectedUsers)),
        PanelFact(Compact.sessions, figures.percent(summary.errorRate)),
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
        title=Vitals.names[row.metric_name],
        value=_percentile_text(row.metric_name, shown),
        rating=rating,
        words=Vitals.ratings[rating],
        samples=Vitals.samples.format(count=figures.count(row.samples)),
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


def _percentile_text(metric: str, shown: float) -> str:
    if metric == "CLS":
        return f"{shown:.2f}"
    return f"{shown:.0f}{figures.NBSP}ms" if shown < 1_000 else f"{shown / 1_000:.1f}{figures.NBSP}s"


def _errors(answers: Sequence[Rows], _: PanelPlace) -> Facts:
    summary, rows = answers
    return errors(msgspec.convert(summary[0], ErrorSummary), msgspec.convert(rows, list[ErrorRow]))


def _vitals(answers: Sequence[Rows], _: PanelPlace) -> tuple[VitalFact, ...]:
    return vitals(msgspec.convert(answers[0], list[VitalRow]))


EXTRAS: Final = {
    "page": Extra(
        one_page.TYPES,
        one_page.page_figures,
        "facts",
        SinglePageTexts.counted,
        SinglePageTexts.empty,
        needs="path",
        before="sources",
    ),
    "goals": Extra((), None, "goals", Compact.counted["goals"], Compact.empty["goals"], before="events"),
    "week": Extra(
        ("hour_of_week",),
        hours.content,
        "week",
        Compact.counted["week"],
        Compact.empty["week"],
        limit=hours.ROWS,
        keyed={"hour_of_week": hours.key_of},
    ),
    "errors": Extra(
        ("error_summary", "error_types"),
        _errors,
        "facts",
        Compact.counted["errors"],
        Compact.empty["errors"],
        limit=ERRORS,
    ),
    "vitals": Extra(("vitals_overview",), _vitals, "vitals", Compact.counted["vitals"], Compact.empty["vitals"]),
}
