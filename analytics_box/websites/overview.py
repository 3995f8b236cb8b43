"""What the overview of one website shows, as plain values. Pure: rows of the query's answer in, words out.

The template `overview.html` takes one `Overview`. Its parts may be missing (None) while their queries still run; the
template then keeps their place and loads them from `view.part(name)`.
"""

from collections.abc import Sequence
from datetime import date
from typing import Literal

from msgspec import Struct

from analytics_box import texts
from analytics_box.query.ranges import PRESETS, Days
from analytics_box.texts import Metrics, Panels, Ranges
from analytics_box.websites import figures
from analytics_box.websites.periods import period_text
from analytics_box.websites.series import UNITS, UNKNOWN, WRITTEN, Chart
from analytics_box.websites.view import METRICS, View

ROWS, MORE_ROWS = 8, 100
PANELS = ("pages", "sources", "browsers", "events")
FEWER_IS_BETTER = {"bounce_rate"}
TIMES = 10  # from ten times on, growth is said as a multiple
KEYS = {"today": "d", "last_7d": "w", "last_30d": "m", "this_year": "y"}


class Totals(Struct, frozen=True):
    """`summary_totals`: counts, bounce_rate in percent, median_session_duration in seconds."""

    visitors: float = 0
    pageviews: float = 0
    sessions: float = 0
    bounce_rate: float = 0
    median_session_duration: float = 0


class ListRow(Struct, frozen=True):
    """One row of a list, whatever its type: path or name, what is counted, and its share in percent."""

    name: str | None = None
    path: str | None = None
    domain: str | None = None
    visitors: float = 0
    total_events: float = 0
    percentage: float = 0


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


class Bar(Struct, frozen=True):
    """One row of a bar list; `width` is a class w0 … w100."""

    label: str
    detail: str
    value: str
    share: str
    width: str


class Tab(Struct, frozen=True):
    """One of the lists that share a panel."""

    label: str
    href: str
    selected: bool


class Panel(Struct, frozen=True):
    """A list below the chart. `bars` is None while its query still runs; `source` gives it as a fragment."""

    name: str
    shown: str
    tabs: tuple[Tab, ...]
    counted: str
    bars: tuple[Bar, ...] | None
    source: str
    more: str = ""
    fewer: str = ""
    failed: bool = False


class Choice(Struct, frozen=True):
    """A preset in the range picker, with the key that chooses it, if any."""

    name: str
    label: str
    href: str
    key: str
    selected: bool


class RangeShown(Struct, frozen=True):
    """The chosen range in words: its name, its dates, the dates it is compared with, and what in it is not over."""

    label: str
    dates: str
    before: str
    unfinished: str
    first: str
    last: str
    choices: tuple[Choice, ...]


class Figures(Struct, frozen=True):
    """Tiles and chart."""

    tiles: tuple[Tile, ...]
    chart: Chart


class Overview(Struct, frozen=True):
    """Everything below the header of a website that has had events."""

    view: View
    zone: str
    range: RangeShown
    figures: Figures | None
    panels: tuple[Panel, ...]
    figures_failed: bool = False


def range_shown(view: View, days: Days, today: date) -> RangeShown:
    """The range picker's words. `today` is the local day of the page's zone."""
    return RangeShown(
        label=Ranges.names.get(view.range) or period_text(days),
        dates=period_text(days),
        before=period_text(days.previous()),
        unfinished=_unfinished(days, today),
        first=days.first.isoformat(),
        last=days.last.isoformat(),
        choices=tuple(
            Choice(
                name=preset,
                label=Ranges.names[preset],
                href=view.link(range=preset, first=None, last=None),
                key=KEYS.get(preset, ""),
                selected=view.range == preset,
            )
            for preset in PRESETS
        ),
    )


def _relative(now: float, then: float) -> str:
    """In percent, or as how many times where that says more."""
    return f"×{figures.count(now / then)}" if now >= TIMES * then else figures.percent(abs(now - then) / then * 100)


def _unfinished(days: Days, today: date) -> str:
    if not days.first <= today <= days.last:
        return ""
    return texts.Overview.unfinished_hour if days.length == 1 else texts.Overview.unfinished_day


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


def list_of(view: View, panel: str) -> str:
    """Which list a panel shows: its own, or the one of its tabs that the address chose."""
    return view.tab if panel == "browsers" else panel


def rows_wanted(view: View, panel: str) -> int:
    """The limit to query with: one more than is shown, to know whether there is more."""
    return MORE_ROWS if view.more == list_of(view, panel) else ROWS + 1


def panel(view: View, name: str, rows: Sequence[ListRow] | None, *, failed: bool = False) -> Panel:
    """One panel; `rows` is None while its query still runs."""
    shown = list_of(view, name)
    extended = view.more == shown
    return Panel(
        name=name,
        shown=shown,
        tabs=_tabs(view, name),
        counted=Panels.counted[shown],
        bars=None if rows is None else _bars(shown, rows if extended else rows[:ROWS]),
        source=view.part(name),
        more=view.link(more=shown) if not extended and rows is not None and len(rows) > ROWS else "",
        fewer=view.link(more="") if extended else "",
        failed=failed,
    )


def _tabs(view: View, name: str) -> tuple[Tab, ...]:
    if name != "browsers":
        return (Tab(Panels.tabs[name], "", selected=True),)
    return tuple(
        Tab(Panels.tabs[tab], view.link(tab=tab, more=""), selected=view.tab == tab) for tab in ("browsers", "systems")
    )


def _bars(shown: str, rows: Sequence[ListRow]) -> tuple[Bar, ...]:
    def counted(row: ListRow) -> float:
        return row.total_events if shown == "events" else row.visitors

    largest = max((counted(row) for row in rows), default=0)
    return tuple(
        Bar(
            label=figures.visible((row.path if shown == "pages" else row.name) or "") or Panels.unknown,
            detail=figures.visible(row.domain or "") if shown == "sources" and row.domain != row.name else "",
            value=figures.count(counted(row)),
            share=figures.percent(row.percentage),
            width=figures.bar_width(counted(row), largest),
        )
        for row in rows
    )
