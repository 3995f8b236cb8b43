"""The chart of an answer that has a row per day or hour. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Final

from msgspec import Struct

from analytics_box.figures.board import Metric, Unit
from analytics_box.figures.chart import Axis, SeriesChart, chart
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.query.catalog.types import Output, QueryType, Record
from analytics_box.web.page.dates import Formats

_UNITS: Final[dict[str, Unit]] = {"percent": "percent", "seconds": "seconds", "ms": "ms"}
_OF_SESSIONS: Final = frozenset(("bounce_rate", "median_session_duration", "pages_per_session"))


class DrawChoice(Struct, frozen=True):
    """A field that can be drawn; `href` is the page that draws it."""

    name: str
    href: str
    selected: bool


class DrawnSeries(Struct, frozen=True):
    """The chart of one field, and the others to choose from."""

    field: str
    chart: SeriesChart
    choices: tuple[DrawChoice, ...]


def draw_series(
    query_type: QueryType,
    rows: Sequence[Record],
    compared: Sequence[Record] | None,
    tried: TypedQuery,
    *,
    now: datetime,
    zone: tzinfo,
    formats: Formats,
) -> DrawnSeries | None:
    """The series as a chart, or None for what is none: other types, and those with several rows for one day.

    `now` is wall time in the query's `zone`. What is sorted otherwise is drawn in the order of time, and then without
    its comparison, because each of the two has its own order.
    """
    fields = [output for output in query_type.outputs if output.type == "number"]
    if not query_type.series or not fields or not _one_each(rows):
        return None
    field = next((output for output in fields if output.name == tried.draw), fields[0])
    in_time = not tried.sort
    made = chart(
        _metric(field, query_type),
        rows if in_time else sorted(rows, key=_in_time),
        compared if in_time and compared and _one_each(compared) else None,
        axis=Axis(now, "hour" if len(str(rows[0]["date"])) > len("YYYY-MM-DD") else "day", formats=formats, zone=zone),
    )
    page = tried.page
    choices = tuple(
        DrawChoice(
            output.name, tried.link(draw=output.name if output is not fields[0] else "", page=page), output is field
        )
        for output in fields
    )
    return DrawnSeries(field.name, made, choices)


def _in_time(row: Record) -> tuple[str, timedelta]:
    """The place of a row in time; of two hours of one name the one that is further ahead of UTC comes first."""
    named = str(row["date"])
    return named[:19], -(datetime.fromisoformat(named).utcoffset() or timedelta())


def _one_each(rows: Sequence[Record]) -> bool:
    """Whether each row has a day or hour of its own."""
    dates = [row.get("date") for row in rows]
    return bool(dates) and None not in dates and len(set(dates)) == len(dates)


def _metric(field: Output, query_type: QueryType) -> Metric:
    """Rates and durations of sessions are unknown where there were none."""
    counted = any(output.name == "sessions" for output in query_type.outputs)
    needs = "sessions" if counted and field.name in _OF_SESSIONS else ""
    return Metric(field.name, "", unit=_UNITS.get(field.unit, "count"), needs=needs)
