"""The figures on top of an overview: one tile each, with what has changed against the period before. Pure."""

from typing import Literal

from msgspec import Struct

from analytics_box.texts import Metrics, figures
from analytics_box.websites.series import UNITS, UNKNOWN, WRITTEN
from analytics_box.websites.view import METRICS, View

FEWER_IS_BETTER = {"bounce_rate"}
TIMES = 10  # from ten times on, growth is said as a multiple


class Totals(Struct, frozen=True):
    """`summary_totals`: counts, bounce_rate in percent, median_session_duration in seconds."""

    visitors: float = 0
    pageviews: float = 0
    sessions: float = 0
    bounce_rate: float = 0
    median_session_duration: float = 0


class Change(Struct, frozen=True):
    """Against the period before. `amount` is empty when there was nothing to compare with; `whole_day` says that a
    day that is not over stands against a whole one."""

    direction: Literal["up", "down", "same"]
    tone: Literal["good", "bad", "neutral"]
    amount: str
    before: str
    whole_day: bool = False


class Tile(Struct, frozen=True):
    """One figure; its link draws the chart of it."""

    metric: str
    label: str
    value: str
    change: Change | None
    selected: bool
    href: str


def tiles(view: View, totals: Totals, previous: Totals | None, *, unfinished: bool) -> tuple[Tile, ...]:
    """One tile per figure. `unfinished`: the range is a single day that is not over, which no count of a whole
    day before can judge, so it is neither good nor bad."""
    return tuple(
        Tile(
            metric=metric,
            label=Metrics.names[metric],
            value=_value(metric, totals),
            change=_change(metric, totals, previous, judged=not unfinished) if previous else None,
            selected=view.metric == metric,
            href=view.link(metric=metric),
        )
        for metric in METRICS
    )


def _value(metric: str, totals: Totals) -> str:
    """A rate or a duration of no sessions at all is unknown, not zero."""
    if metric in UNITS and not totals.sessions:
        return UNKNOWN
    return WRITTEN[metric](getattr(totals, metric))


def _change(metric: str, totals: Totals, previous: Totals, *, judged: bool) -> Change | None:
    """Relative for counts, in points for the bounce rate, in seconds for the duration."""
    now, then = getattr(totals, metric), getattr(previous, metric)
    if metric in UNITS and not (totals.sessions and previous.sessions):
        return None
    if metric == "bounce_rate":
        difference = round(now - then, 1)
        amount = f"{abs(difference):.1f}{figures.NBSP}pt"
    elif metric == "median_session_duration":
        difference = round(now) - round(then)
        amount = figures.duration(abs(difference))
    else:
        difference = now - then
        amount = _relative(now, then) if then else ""
    if not difference:
        return Change("same", "neutral", "", WRITTEN[metric](then))
    better = (difference > 0) != (metric in FEWER_IS_BETTER)
    tone: Literal["good", "bad", "neutral"] = "neutral" if not judged else "good" if better else "bad"
    whole = not judged and metric not in UNITS
    return Change("up" if difference > 0 else "down", tone, amount, WRITTEN[metric](then), whole_day=whole)


def change_of_count(now: float, then: float, *, judged: bool) -> Change:
    """What has become of a number of which more is better. `judged` as for a tile that stands for whole days."""
    if now == then:
        return Change("same", "neutral", "", figures.count(then))
    tone: Literal["good", "bad", "neutral"] = "neutral" if not judged else "good" if now > then else "bad"
    amount = _relative(now, then) if then else ""
    return Change("up" if now > then else "down", tone, amount, figures.count(then), whole_day=not judged)


def _relative(now: float, then: float) -> str:
    """In percent, or as how many times where that says more."""
    return f"×{figures.count(now / then)}" if now >= TIMES * then else figures.percent(abs(now - then) / then * 100)
