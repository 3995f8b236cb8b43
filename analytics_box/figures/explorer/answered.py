"""A tried query: answered as the API answers this user, and shown as the page shows it."""

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from analytics_box.base.translation import _
from analytics_box.figures.board import Metric, Unit
from analytics_box.figures.chart import Axis, SeriesChart, chart
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.query import statements
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import FieldType, Output, QueryType, Record
from analytics_box.query.request import GivenQuery, QueryRequest, check
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.statements import CompiledEntry
from analytics_box.query.subjects import Subjects
from analytics_box.tenants.websites.rules import Website
from analytics_box.web import body
from analytics_box.web.page.dates import Formats, formats_of
from analytics_box.web.page.visit import PageRequest

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


Kind = Literal["text", "number", "json", "nothing"]
_MOST = 2_000  # characters of a cell
_AT_A_GLANCE = 60  # characters of JSON that stand there before the cell is opened


class AnswerHeading(Struct, frozen=True):
    """A column. `href` sorts by it, or is empty if that cannot be; `sorted` is how it is sorted now."""

    name: str
    unit: str
    text: str
    number: bool
    href: str
    sorted: Literal["", "ascending", "descending"]


class Cell(Struct, frozen=True):
    """A value. `nothing` is null or an empty text; `short` is how a long one begins, which is shown whole on demand."""

    text: str
    kind: Kind
    short: str = ""


class AnswerTable(Struct, frozen=True):
    """Columns and rows."""

    headings: tuple[AnswerHeading, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table(query_type: QueryType, rows: Sequence[Record], tried: TypedQuery | None = None) -> AnswerTable:
    """The rows with the fields in the type's order; with a query its headings sort it."""
    can = query_type.sortable if tried is not None else ()
    headings = []
    for output in query_type.outputs:
        href, way = "", ""
        if tried is not None and output.name in can:
            href = tried.sorted_by(output.name)
            way = {"asc": "ascending"}.get(tried.order, "descending") if tried.sort == output.name else ""
        number = output.type == "number"
        headings.append(AnswerHeading(output.name, output.unit, output.description, number, href, way))  # type: ignore[arg-type]  # the two ways are the words of aria-sort
    lines = [tuple(cell(row[output.name], output.type) for output in query_type.outputs) for row in rows]
    return AnswerTable(tuple(headings), tuple(lines))


def cell(value: Any, kind: FieldType) -> Cell:
    """A value as it is in JSON, but for text without its quotes."""
    if value is None or value == "":
        return Cell("", "nothing")
    if isinstance(value, str):
        return Cell(_cut(value, _MOST), "text")
    if kind == "number":
        return Cell(json.dumps(value), "number")
    whole = json.dumps(value, ensure_ascii=False)
    return Cell(_cut(whole, _MOST), "json", _cut(whole, _AT_A_GLANCE) if len(whole) > _AT_A_GLANCE else "")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


_BODY = msgspec.json.Decoder(GivenQuery)


class ExplorerAnswer(Struct, frozen=True):
    """The answer to a query and how it came about. `took` is in ms."""

    entry: ParameterAnswer
    statements: CompiledEntry
    asked: QueryRequest
    took: float


class AnswerView(Struct, frozen=True):
    """An answer on the page. `dates` are empty for types that look at now; `took` is in ms; `drawn` is none for what
    is no series."""

    table: AnswerTable
    drawn: DrawnSeries | None
    compared: AnswerTable | None
    compared_dates: str
    dates: str
    took: str
    ignored: str
    statements: tuple[tuple[str, str, str, str], ...]  # SQL, parameters as JSON, a note, and the reason for the engine
    engine: str
    earlier: str
    later: str
    sheet: str


def content(visit: PageRequest, tried: TypedQuery) -> Record:
    """The body of POST /v1/query that asks the same."""
    return view.body(tried, visit.person.time_zone)


async def prepare_query(visit: PageRequest, website: Website, tried: TypedQuery) -> tuple[QueryRequest, ReadScope]:
    """The query as the API would take it from this person, and what it reads. Raises what the API raises."""
    parts, identity = visit.parts, visit.call.identity
    parts.limits.take("query", identity.limit_name, parts.settings.limit_query)
    reads = await parts[Subjects].one(identity, "website", website.id, (tried.type,))
    given = body.decode(_BODY.decode, msgspec.json.encode(content(visit, tried)))
    return check(given, zone_name=None, now=visit.call.now), reads


async def answer(visit: PageRequest, request: QueryRequest, reads: ReadScope) -> ExplorerAnswer:
    """The answer, how long it took, and what ran for it."""
    clock = visit.parts.clock
    started = clock.monotonic()
    (entry,) = await visit.parts[QueryRunner].answer(request, reads)
    took = (clock.monotonic() - started) * 1_000
    (ran,) = await asyncio.to_thread(
        lambda: [*statements.of_request(request, reads, visit.call.now, visit.parts[QueryRunner].engines)]
    )
    return ExplorerAnswer(entry, ran, request, took)


def answer_view(visit: PageRequest, answered: ExplorerAnswer, tried: TypedQuery) -> AnswerView:
    """A successful answer for the page."""
    entry, query_type, request = answered.entry, TYPES[tried.type], answered.asked
    days, zone = request.questions[0].days, request.zone
    at_now = bool(query_type.recent or query_type.today)
    compared = entry.comparison if entry.comparison is not UNSET else None
    page = request.page
    return AnswerView(
        table=table(query_type, entry.data, tried),
        drawn=draw_series(
            query_type,
            entry.data,
            compared.data if compared else None,
            tried,
            now=datetime.fromtimestamp(visit.call.now / 1000, zone).replace(tzinfo=None),
            zone=zone,
            formats=formats_of(visit.person),
        ),
        compared=table(query_type, compared.data) if compared else None,
        compared_dates=_("{first} to {last}, {zone}").format(
            first=compared.startDate, last=compared.endDate, zone=zone.key
        )
        if compared
        else "",
        dates=""
        if at_now or days is None
        else _("{first} to {last}, {zone}").format(
            first=days.first.isoformat(), last=days.last.isoformat(), zone=zone.key
        ),
        took=f"{answered.took:.1f}",
        ignored=", ".join(entry.ignoredFilters) if entry.ignoredFilters is not UNSET else "",
        statements=tuple(
            (one.sql.strip(), json.dumps(one.params, indent=2, ensure_ascii=False), one.note, one.why)
            for one in answered.statements.statements
        ),
        engine=answered.statements.engine,
        earlier=tried.link(page=str(page - 1) if page > 2 else "") if page > 1 else "",
        later=tried.link(page=str(page + 1)) if len(entry.data) == request.limit else "",
        sheet=tried.sheet,
    )
