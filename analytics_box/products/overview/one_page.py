"""The own figures of one page, while the overview is filtered by it: how it is read, and where people go next. Pure."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base.texts import SinglePageTexts, figures
from analytics_box.figures.board import PanelPlace, Rows
from analytics_box.figures.panels import UNKNOWN, BarRow
from analytics_box.products.overview.facts import Facts, PanelFact
from analytics_box.query.catalog.types import Record

MOST: Final = 5  # pages that follow
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
    return Facts(
        facts=(
            PanelFact(SinglePageTexts.time, _seconds(_field(times, path, "median_time_on_page"))),
            PanelFact(SinglePageTexts.depth, _percent(_field(depths, path, "avg_scroll_depth"))),
            PanelFact(SinglePageTexts.entries, figures.count(_field(entries, path, "pageviews") or 0)),
            PanelFact(SinglePageTexts.exits, figures.count(_field(exits, path, "pageviews") or 0)),
        ),
        bars=_following(place, [row for row in flow if row["from_path"] == path]),
        heading=SinglePageTexts.following,
    )


def _field(rows: Rows, path: str, name: str) -> float | None:
    return next((row[name] for row in rows if row["name"] == path), None)


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else figures.duration(value)


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else figures.percent(value)


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
