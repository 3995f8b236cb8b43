"""The figures on top of the page: one tile each, with what has changed against the period before. Pure."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.figures.board import Filters, Metric, Rows
from analytics_box.figures.chart import number_text
from analytics_box.figures.view import View

Tone = Literal["good", "bad", "neutral"]
TIMES = 10  # from ten times on, growth is said as a multiple


class TileChange(Struct, frozen=True):
    """Against what the range is compared with. `amount` is empty when there is nothing to set it against; `so_far` says
    that only as much of that counts as of the range is over."""

    direction: Literal["up", "down", "same"]
    tone: Tone
    amount: str
    before: str
    so_far: bool = False


class Tile(Struct, frozen=True):
    """A figure; with an address it draws the chart of it. `help` is the line below one that is not compared."""

    metric: str
    label: str
    value: str
    anchor: str
    change: TileChange | None = None
    selected: bool = False
    href: str = ""
    help: str = ""


Totals = Mapping[str, Rows]  # by query type


def tiles(
    view: View, totals: Totals, previous: Totals | None, *, so_far: bool = False, fair: bool = True
) -> tuple[Tile, ...]:
    """A tile for each metric. `so_far`: the range is not over, and `previous` is the same part of its comparison. Not
    `fair` is a comparison of different numbers of days: then counts are not compared.
    """
    filters = view.plain
    about = view.of.about(filters)
    return tuple(
        Tile(
            metric=metric.name,
            label=about.names[metric.name],
            value=number_text(metric, metric.total_of(totals[metric.total], filters)),
            anchor=view.of.words.anchors[metric.name],
            change=_change(metric, totals, previous, filters, so_far=so_far, fair=fair, judged=about.judged)
            if previous and metric.series
            else None,
            selected=view.metric == metric.name,
            href=view.link(metric=metric.name, beside=view.beside if view.beside != metric.name else "")
            if metric.series
            else "",
            help=metric.help,
        )
        for metric in view.metrics
    )


def _change(
    metric: Metric, totals: Totals, previous: Totals, filters: Filters, *, so_far: bool, fair: bool, judged: bool
) -> TileChange | None:
    """Relative for counts, in points for rates, in seconds for durations."""
    now = metric.total_of(totals[metric.total], filters)
    then = metric.total_of(previous[metric.total], filters)
    return change_of(metric, now, then, so_far=so_far, fair=fair, judged=judged)


def change_of(
    metric: Metric,
    now: float | None,
    then: float | None,
    *,
    so_far: bool = False,
    fair: bool = True,
    judged: bool = True,
) -> TileChange | None:
    """The change between two numbers of a metric; None if one of them is unknown."""
    if now is None or then is None:
        return None
    before, adds_up = number_text(metric, then), metric.unit == "count" or metric.value is not None
    if not fair and adds_up:
        return TileChange("up" if now > then else "down", "neutral", "", before, so_far)
    difference, amount = _difference(metric, now, then)
    if not difference:
        return TileChange("same", "neutral", "", before, so_far)
    better = (difference > 0) != metric.fewer_is_better
    tone: Tone = "neutral" if not judged else "good" if better else "bad"
    return TileChange("up" if difference > 0 else "down", tone, amount, before, so_far)


def _difference(metric: Metric, now: float, then: float) -> tuple[float, str]:
    """The change between the numbers as shown, and its text."""
    match metric.unit:
        case "percent":
            points = round(figures.tenths(now) - figures.tenths(then), 1)
            return points, f"{abs(points):.1f}{figures.NBSP}pt"
        case "seconds":
            seconds = figures.whole(now) - figures.whole(then)
            return seconds, figures.duration(abs(seconds))
        case "ms":
            difference = figures.whole(now) - figures.whole(then)
            return difference, figures.milliseconds(abs(difference))
        case "uptime":
            hundredths = int(now * 100 + 1e-9) - int(then * 100 + 1e-9)
            return hundredths, f"{abs(hundredths) / 100:.2f}{figures.NBSP}pt"
        case "count":
            return now - then, _relative(now, then) if then else ""


def _relative(now: float, then: float) -> str:
    """In percent, or as how many times where that says more."""
    return f"×{figures.count(now / then)}" if now >= TIMES * then else figures.percent(abs(now - then) / then * 100)
