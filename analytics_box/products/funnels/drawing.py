"""A funnel as it is drawn: its tiles, its steps, its parts, its times and its trend."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _, ngettext
from analytics_box.figures.breakdowns import BreakdownChoice, value_text
from analytics_box.figures.view import View, address
from analytics_box.products.funnels.figures import FunnelFigures, duration_text, rate_of
from analytics_box.products.funnels.funnel import Funnel
from analytics_box.products.funnels.rules import step_text
from analytics_box.query.catalog.funnels import REACHED
from analytics_box.query.catalog.types import Record
from analytics_box.query.named import DROPOFF

_TIMES: Final = ("<10 s", "10–30 s", "30–60 s", "1–2 m", "2–5 m", "5–10 m", "10–30 m", "30–60 m", "1–24 h", ">1 d")
MOST_ROWS: Final = 10
_HEIGHT, _WIDTH = 120, 600


class StepShown(Struct, frozen=True):
    """A step as a bar: what visitors do, the share of the first step, and how many were lost before it. `without` is
    the address of the sessions that were lost, `instead` that of their journeys from the step before; both are empty if
    none were. `before` is the share in the range that this one is compared with."""

    number: int
    name: str
    text: str
    share: str
    size: str
    count: str
    lost: str
    time: str
    before: str
    is_worst: bool
    without: str = ""
    instead: str = ""


class FigureTile(Struct, frozen=True):
    """A figure of a funnel, and below it what it is of or what it was before."""

    label: str
    value: str
    note: str


class PartShown(Struct, frozen=True):
    """The part of a funnel with one value."""

    name: str
    entered: str
    completed: str
    rate: str
    width: str


class TimeShown(Struct, frozen=True):
    """A range of times to convert, with how many converted in it."""

    label: str
    count: str
    size: str


class ShownSegment(Struct, frozen=True):
    """The funnel of one segment: the number and the share at each step."""

    name: str
    steps: tuple[tuple[str, str], ...]
    failed: str = ""


class SegmentTable(Struct, frozen=True):
    """Segments side by side, after all sessions; `choices` are those that can be added or removed."""

    names: tuple[str, ...]
    lines: tuple[ShownSegment, ...]
    choices: tuple[BreakdownChoice, ...]


class FunnelBoard(Struct, frozen=True):
    """All that is drawn of a funnel. `trend` are the points of a line (SVG), with the range of rates."""

    tiles: tuple[FigureTile, ...]
    steps: tuple[StepShown, ...]
    finding: str
    parts: tuple[PartShown, ...]
    more_parts: str
    times: tuple[TimeShown, ...]
    trend: str
    trend_most: str
    is_empty: bool
    segments: SegmentTable | None = None


def draw(
    view: View,
    funnel: Funnel,
    known: FunnelFigures,
    before: FunnelFigures | None,
    parts: Sequence[Record],
    trend: Sequence[Record],
) -> FunnelBoard:
    """The drawing of a funnel; `before` are its figures in the range that this one is compared with."""
    number = len(known.steps)
    rates = [rate_of(row, number) for row in trend]
    most = max(rates, default=0.0)
    return FunnelBoard(
        tiles=_tiles(funnel, known, before),
        steps=tuple(_step(view, funnel, known, before, place) for place in range(number)),
        finding=_finding(known),
        parts=_parts(parts[:MOST_ROWS], number),
        more_parts=_("Showing the {count} largest.").format(count=MOST_ROWS) if len(parts) > MOST_ROWS else "",
        times=_times(known),
        trend=_points(rates, most),
        trend_most=figures.percent(most),
        is_empty=not known.starts,
    )


def rate_text(known: FunnelFigures | None) -> str:
    """The conversion rate in words."""
    return figures.percent(known.rate) if known is not None and known.starts else "–"


def shown_segment(name: str, known: FunnelFigures | str) -> ShownSegment:
    """The line of a segment; its figures can be the reason why there are none."""
    if isinstance(known, str):
        return ShownSegment(name, (), failed=known)
    steps = tuple((figures.count(step["users"]), figures.percent(step["conversion_rate"])) for step in known.steps)
    return ShownSegment(name, steps)


def who_count(funnel: Funnel, count: int) -> str:
    """The number of those who are counted, with its unit."""
    shown = figures.count(count)
    if funnel.definition.window_unit == "days":
        return ngettext("1 visitor", "{count} visitors", count).format(count=shown)
    return ngettext("1 session", "{count} sessions", count).format(count=shown)


def _tiles(funnel: Funnel, known: FunnelFigures, before: FunnelFigures | None) -> tuple[FigureTile, ...]:
    worst = known.biggest_drop
    lost = known.starts and worst["dropoffs"]
    earlier = _("before: {value}")
    return (
        FigureTile(_("Conversion rate"), rate_text(known), earlier.format(value=rate_text(before)) if before else ""),
        FigureTile(
            _("Converted"),
            figures.count(known.conversions),
            _("of {count}").format(count=who_count(funnel, known.starts)),
        ),
        FigureTile(
            _("Median time"),
            duration_text(known.median),
            earlier.format(value=duration_text(before.median))
            if before
            else _("90% within {time}").format(time=duration_text(known.p90))
            if known.p90 is not None
            else "",
        ),
        FigureTile(
            _("Biggest drop"),
            figures.percent(worst["dropoff_rate"]) if lost else "–",
            _("before step {number}").format(number=worst["step_number"]) if lost else "",
        ),
    )


def _step(view: View, funnel: Funnel, known: FunnelFigures, before: FunnelFigures | None, place: int) -> StepShown:
    step = known.steps[place]
    lost = _("{count} dropped, {rate}").format(
        count=figures.count(step["dropoffs"]), rate=figures.percent(step["dropoff_rate"])
    )
    text = step_text(funnel.definition.steps[place])
    return StepShown(
        number=place + 1,
        name=figures.visible(step["step_name"]),
        text="" if text == step["step_name"] else figures.visible(text),
        share=figures.percent(step["conversion_rate"]),
        size=figures.bar_width(step["conversion_rate"], 100),
        count=who_count(funnel, step["users"]),
        lost=lost if place else _("Start of the funnel"),
        time=_("{time} after the previous step").format(time=duration_text(1000 * step["avg_time_to_complete"]))
        if place and step["users"]
        else "",
        before=_("before: {value}").format(value=figures.percent(before.steps[place]["conversion_rate"]))
        if before is not None and before.starts and place
        else "",
        is_worst=place > 0 and step is known.biggest_drop and step["dropoffs"] > 0,
        **(_drop_links(view, funnel, place) if step["dropoffs"] else {}),
    )


def _drop_links(view: View, funnel: Funnel, place: int) -> dict[str, str]:
    """The addresses of the sessions that dropped out before a step, and of their journeys from the step before."""
    dropped = view.narrowed({DROPOFF: f"{funnel.id}:{place + 1}"})
    before = funnel.definition.steps[place - 1]
    anchors = {"PAGE_VIEW": "page", "EVENT": "event"}
    known = before.type in anchors
    own = (("anchor", anchors[before.type]), ("name", before.target)) if known else ()
    website = view.path.rsplit("/", 2)[0]
    return {
        "without": dropped.page_link("sessions"),
        "instead": address(replace(dropped, path=f"{website}/journeys", own=own)),
    }


def _finding(known: FunnelFigures) -> str:
    """The finding in one sentence; empty without drop-offs."""
    worst = known.biggest_drop
    if not worst["dropoffs"]:
        return ""
    before = known.steps[worst["step_number"] - 2]
    return _("{rate} dropped out between “{before}” and “{after}”.").format(
        rate=figures.percent(worst["dropoff_rate"]),
        before=figures.visible(before["step_name"]),
        after=figures.visible(worst["step_name"]),
    )


def _parts(found: Sequence[Record], steps: int) -> tuple[PartShown, ...]:
    best = max((rate_of(row, steps) for row in found), default=0.0)
    return tuple(_part(row, steps, best) for row in found)


def _part(row: Record, steps: int, best: float) -> PartShown:
    dimension = next(name for name in row if name not in REACHED)
    rate = rate_of(row, steps)
    return PartShown(
        value_text(dimension, row[dimension]),
        figures.count(row[REACHED[0]]),
        figures.count(row[f"step_{steps}"]),
        figures.percent(rate),
        figures.bar_width(rate, best),
    )


def _times(known: FunnelFigures) -> tuple[TimeShown, ...]:
    """The ranges of times, from the first to the last with a conversion."""
    there = [place for place, count in enumerate(known.times) if count]
    if not there:
        return ()
    most = max(known.times)
    return tuple(
        TimeShown(_TIMES[place], figures.count(known.times[place]), figures.bar_width(known.times[place], most))
        for place in range(there[0], there[-1] + 1)
    )


def _points(rates: Sequence[float], most: float) -> str:
    """The points of the line of rates in a drawing, as SVG has them."""
    if len(rates) < 2 or not most:
        return ""
    wide, high = _WIDTH / (len(rates) - 1), _HEIGHT / most
    return " ".join(f"{number * wide:.1f},{_HEIGHT - rate * high:.1f}" for number, rate in enumerate(rates))
