"""Several custom events side by side: a line of each in one drawing, and a table of their numbers."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.facts.event import EXPOSURE
from analytics_box.figures.asking import PageQuery
from analytics_box.figures.breakdowns import BreakdownChoice
from analytics_box.figures.view import View
from analytics_box.products.overview.one_chart import EVENT_NAME
from analytics_box.query.catalog.types import Record
from analytics_box.query.request import QueryFilterInput

# The parameter with the names of the other events, with commas between.
SERIES: Final = "series"
MOST_OTHERS: Final = 3
MOST_OFFERED: Final = 12
_HEIGHT, _WIDTH = 200, 1000


class SeriesLine(Struct, frozen=True):
    """An event of the drawing: the points of its line (SVG), and its numbers."""

    name: str
    times: str
    visitors: str
    points: str


class EventSeries(Struct, frozen=True):
    """The events of the drawing, the page's own first; `choices` are those that can be added or removed."""

    lines: tuple[SeriesLine, ...]
    most: str
    choices: tuple[BreakdownChoice, ...]


def chosen_events(view: View, name: str) -> list[str]:
    """The event of the page, then those that its address compares it with."""
    others = [part for part in view.own_value(SERIES).split(",") if part and part != name]
    return [name, *dict.fromkeys(others[:MOST_OTHERS])]


async def daily_rows(asking: PageQuery, names: Sequence[str]) -> list[Record]:
    """A row for each step of the range, with the times of each event. Raises UnansweredQuery."""
    only = replace(asking, filters=[QueryFilterInput(EVENT_NAME, "in", [*names])], plain={})
    steps, counted = await only.rows(("custom_events_trends", "custom_events_trends_by_event"))
    times = {(row["date"], row["event_name"]): row["total_events"] for row in counted}
    return [{"date": row["date"], **{name: times.get((row["date"], name), 0) for name in names}} for row in steps]


async def event_series(asking: PageQuery, view: View, name: str) -> EventSeries:
    """The events that the address compares. Raises UnansweredQuery."""
    (offered,) = await replace(asking, filters=asking.told.only, plain={}).rows(("custom_events",), limit=100)
    known = {row["name"]: row for row in offered if row["name"] != EXPOSURE}
    names = chosen_events(view, name)

    def toggle(other: str) -> str:
        kept = [one for one in names[1:] if one != other] + ([] if other in names else [other])
        return view.choose(series=",".join(kept))

    choices = tuple(
        BreakdownChoice(figures.visible(other), toggle(other), other in names)
        for other in [*known][:MOST_OFFERED]
        if other != name and "," not in other and (other in names or len(names) <= MOST_OTHERS)
    )
    if len(names) == 1:
        return EventSeries((), "", choices)
    rows = await daily_rows(asking, names)
    most = max((row[one] for row in rows for one in names), default=0)
    lines = tuple(
        SeriesLine(
            figures.visible(one),
            figures.count(known[one]["total_events"] if one in known else 0),
            figures.count(known[one]["unique_users"] if one in known else 0),
            _points([row[one] for row in rows], most),
        )
        for one in names
    )
    return EventSeries(lines, figures.count(most), choices)


def _points(values: Sequence[int], most: int) -> str:
    """The points of a line in the drawing, as SVG has them."""
    wide = _WIDTH / max(1, len(values) - 1)
    return " ".join(
        f"{at * wide:.1f},{_HEIGHT - value * _HEIGHT / max(1, most):.1f}" for at, value in enumerate(values)
    )
