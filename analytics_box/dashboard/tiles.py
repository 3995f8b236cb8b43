"""The figures on top of the page: one tile each, with what has changed against the period before. Pure."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from analytics_box.dashboard.board import Filters, Metric, Rows
from analytics_box.dashboard.chart import written
from analytics_box.dashboard.view import View
from analytics_box.texts import figures

Tone = Literal["good", "bad", "neutral"]
TIMES = 10  # from ten times on, growth is said as a multiple


class Change(Struct, frozen=True):
    """Against the period before. `amount` is empty when there was nothing to compare with; `whole_day` says that a
    day that is not over stands against a whole one."""

    direction: Literal["up", "down", "same"]
    tone: Tone
    amount: str
    before: str
    whole_day: bool = False


class Tile(Struct, frozen=True):
    """One figure; with an address it draws the chart of it. `help` is what stands below one that is not compared."""

    metric: str
    label: str
    value: str
    anchor: str
    change: Change | None = None
    selected: bool = False
    href: str = ""
    help: str = ""


Totals = Mapping[str, Rows]  # by query type


def tiles(view: View, totals: Totals, previous: Totals | None, *, unfinished: bool) -> tuple[Tile, ...]:
    """One tile per metric. `unfinished`: the range is a single day that is not over, which no count of a whole
    day before can judge, so it is neither good nor bad."""
    filters = dict(view.filters)
    about = view.of.about(filters)
    return tuple(
        Tile(
            metric=metric.name,
            label=about.names[metric.name],
            value=written(metric, metric.total_of(totals[metric.total], filters)),
            anchor=view.of.words.anchors[metric.name],
            change=_change(metric, totals, previous, filters, unfinished=unfinished, judged=about.judged)
            if previous and metric.series
            else None,
            selected=view.metric == metric.name,
            href=view.link(metric=metric.name) if metric.series else "",
            help=metric.help,
        )
        for metric in view.of.metrics
    )


def _change(
    metric: Metric, totals: Totals, previous: Totals, filters: Filters, *, unfinished: bool, judged: bool
) -> Change | None:
    """Relative for counts, in points for rates, in seconds for durations. Nothing where one of them is unknown."""
    now = metric.total_of(totals[metric.total], filters)
    then = metric.total_of(previous[metric.total], filters)
    if now is None or then is None:
        return None
    difference, amount = _difference(metric, now, then)
    if not difference:
        return Change("same", "neutral", "", written(metric, then))
    better = (difference > 0) != metric.fewer_is_better
    tone: Tone = "neutral" if unfinished or not judged else "good" if better else "bad"
    whole = unfinished and metric.unit == "count"
    return Change("up" if difference > 0 else "down", tone, amount, written(metric, then), whole_day=whole)


def _difference(metric: Metric, now: float, then: float) -> tuple[float, str]:
    """What has changed, and how that is written."""
    match metric.unit:
        case "percent":
            points = round(now - then, 1)
            return points, f"{abs(points):.1f}{figures.NBSP}pt"
        case "seconds":
            seconds = round(now) - round(then)
            return seconds, figures.duration(abs(seconds))
        case "ms":
            return round(now) - round(then), figures.milliseconds(abs(now - then))
        case "uptime":
            return round(now - then, 2), f"{abs(now - then):.2f}{figures.NBSP}pt"
        case "count":
            return now - then, _relative(now, then) if then else ""


def _relative(now: float, then: float) -> str:
    """In percent, or as how many times where that says more."""
    return f"×{figures.count(now / then)}" if now >= TIMES * then else figures.percent(abs(now - then) / then * 100)
