"""A query that somebody tries: asked as the API would ask it for them, and its answer as the page shows it."""

import asyncio
import json
from datetime import datetime

import msgspec
from msgspec import UNSET, Struct

from analytics_box.base.texts import QueryTexts as Words
from analytics_box.figures.explorer import view
from analytics_box.figures.explorer.drawn import DrawnSeries, draw_series
from analytics_box.figures.explorer.table import AnswerTable, table
from analytics_box.figures.explorer.view import TypedQuery
from analytics_box.query import statements
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import Record
from analytics_box.query.request import GivenQuery, QueryRequest, check
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.statements import Statements
from analytics_box.query.subjects import Subjects
from analytics_box.tenants.websites.rules import Website
from analytics_box.web import body
from analytics_box.web.page.dates import formats_of
from analytics_box.web.page.visit import PageRequest

_BODY = msgspec.json.Decoder(GivenQuery)


class ExplorerAnswer(Struct, frozen=True):
    """The answer to a query and how it came about. `took` is in ms."""

    entry: ParameterAnswer
    statements: Statements
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
        compared_dates=Words.dates.format(first=compared.startDate, last=compared.endDate, zone=zone.key)
        if compared
        else "",
        dates=""
        if at_now or days is None
        else Words.dates.format(first=days.first.isoformat(), last=days.last.isoformat(), zone=zone.key),
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
