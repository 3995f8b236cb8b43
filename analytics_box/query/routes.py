"""POST /v1/query, GET /v1/query/types and GET /v1/query/websites (spec 4, wire 3)."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec import UNSET, Raw

from analytics_box.base import errors
from analytics_box.base.clock import iso
from analytics_box.base.errors import OverBudget
from analytics_box.base.translation import _
from analytics_box.query import access, ranges, sheets
from analytics_box.query.budget import AnswerBudget, NeedsMore
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.types import Record
from analytics_box.query.messages import (
    EncodedComparison,
    QueryAnswer,
    QueryBatchAnswer,
    QueryEntry,
    QueryMeta,
    QueryResult,
    TypeConfig,
    TypeMeta,
    TypesAnswer,
    WebsiteItem,
    WebsiteItems,
)
from analytics_box.query.request import DECODER, MAX_BATCH, GivenQuery, check, check_pattern_count
from analytics_box.query.request import QueryRequest as Asked
from analytics_box.query.results import ROWS
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.subjects import Subjects
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web import body
from analytics_box.web.answer import id_of, json_answer
from analytics_box.web.call import Call

_PIECE = 100  # rows that are encoded at once


_NOTHING = Raw(b"[]")


class Encoding:
    """Encodes the entries of one request, as many bytes as its budget has now."""

    def __init__(self, budget: AnswerBudget) -> None:
        self._budget = budget
        self._bytes = 0
        self._known: dict[int, tuple[list[Record], bytes]] = {}  # by the identity of the list, which stays

    def of_queries(self, answers: list[list[ParameterAnswer]]) -> list[list[QueryEntry]]:
        """The entries of each query, failed ones last. Rows are let go as soon as they are encoded.

        Raises NeedsMore; once the budget has grown, the same call goes on with what is encoded already.
        """
        self._bytes = 0
        return [sorted(map(self._entry, entries), key=lambda entry: not entry.success) for entries in answers]

    def _entry(self, entry: ParameterAnswer) -> QueryEntry:
        before = self._bytes
        try:
            data = self._rows(entry.data)
            compared = entry.comparison
            comparison = (
                UNSET
                if compared is UNSET
                else EncodedComparison(compared.startDate, compared.endDate, Raw(self._rows(compared.data)))
            )
        except NeedsMore:
            raise
        except OverBudget as much:
            self._bytes = before
            return QueryEntry(entry.parameter, success=False, data=_NOTHING, error=much.message, code=much.code)
        return QueryEntry(
            entry.parameter,
            entry.success,
            Raw(data),
            entry.error,
            entry.code,
            entry.ignoredFilters,
            comparison,
            entry.imported,
        )

    def _rows(self, rows: list[Record]) -> bytes:
        """Rows as JSON; the list is empty then. Raises OverBudget."""
        if id(rows) not in self._known:
            self._known[id(rows)] = rows, self._encoded(rows)
            rows.clear()
        _, found = self._known[id(rows)]
        self._bytes += len(found)
        self._budget.check(self._bytes)
        return found

    def _encoded(self, rows: list[Record]) -> bytes:
        pieces, size = [], self._bytes
        for first in range(0, len(rows), _PIECE):
            pieces.append(ROWS.encode(rows[first : first + _PIECE])[1:-1])
            size += len(pieces[-1])
            self._budget.check(size)
        return b"[%b]" % b",".join(pieces)


T = TypeVar("T")

_IN_A_THREAD = 100_000  # bytes, from which on others would notice


async def query(
    request: Request[Any, Any, Any],
    call: NamedDependency[Call],
) -> Response[bytes]:
    """Run one query or a batch of up to 20. Each parameter succeeds or fails independently."""
    identity, parts, settings = call.identity, call.parts, call.parts.settings
    queries = parts[QueryRunner]
    most = settings.limit_query_anonymous if identity.anonymous else settings.limit_query
    allowance = parts.limits.take("query", identity.limit_name, most)
    request.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
    sent = await body.of_request(
        request, wanted=(b"application/json",), limit=settings.max_query_bytes, seconds=settings.body_seconds
    )
    given = body.decode(DECODER.decode, sent)
    many = given if isinstance(given, list) else [given]
    types = tuple(name for asked in many for name in asked.names)
    reads = await call.parts[Subjects].of_request(call.identity, request.query_params, types)
    checked = _check(many, batch=isinstance(given, list), request=request, now=call.now)

    async with queries.budgets.of_request(public=reads.public) as budget:
        answers = await queries.answers(checked, reads, budget)
        if _wants_csv(request):
            return await _build_answer(budget, lambda: _sheet(answers, checked, budget))
        encoding = Encoding(budget)
        encoded = await _build_answer(budget, lambda: encoding.of_queries(answers))
        results = [_result(item, asked, of_query) for item, asked, of_query in zip(many, checked, encoded, strict=True)]
        if isinstance(given, list):
            return json_answer(QueryBatchAnswer(True, True, results, id_of(request)))
        one = results[0]
        return json_answer(QueryAnswer(True, one.queryId, one.data, one.meta, id_of(request)))


async def _build_answer(budget: AnswerBudget, work: Callable[[], T]) -> T:
    """Build an answer from its rows; build it again if it needs a larger budget."""
    try:
        return await asyncio.to_thread(work) if budget.taken > _IN_A_THREAD else work()
    except NeedsMore:
        await budget.grow()
        return await asyncio.to_thread(work)


def _wants_csv(request: Request[Any, Any, Any]) -> bool:
    """Whether the caller asks for CSV and not for JSON too."""
    accept = request.headers.get("accept", "")
    return "text/csv" in accept and "application/json" not in accept


def _sheet(answers: list[list[ParameterAnswer]], asked: list[Asked], budget: AnswerBudget) -> Response[bytes]:
    """All rows as CSV. A failed parameter fails the whole answer, because a sheet cannot say so."""
    entries = [entry for of_query in answers for entry in of_query]
    for entry in entries:
        if entry.code == errors.OverBudget.code:
            raise errors.OverBudget(f"{entry.parameter}: {entry.error}")
        if not entry.success:
            raise errors.InvalidQuery(f"{entry.parameter}: {entry.error}")
    types = [question.type for query_of in asked for question in query_of.questions]  # in the order of the entries
    tables = [
        (entry.parameter, [output.name for output in found.outputs], entry.data)
        for entry, found in zip(entries, types, strict=True)
        if found is not None
    ]
    return Response(
        sheets.tables(tables, check=budget.check).encode(),
        media_type="text/csv",
        headers={"cache-control": "no-store", "content-disposition": 'attachment; filename="analytics.csv"'},
    )


def _check(given: list[GivenQuery], *, batch: bool, request: Request[Any, Any, Any], now: int) -> list[Asked]:
    if not 1 <= len(given) <= MAX_BATCH:
        raise errors.InvalidQuery(_("A batch holds 1 to {most} queries").format(most=MAX_BATCH))
    check_pattern_count(item.filters or () for item in given)
    zone_name = request.query_params.get("timezone")
    return [
        check(item, zone_name=zone_name, now=now, where=f"batch[{number}]." if batch else "")
        for number, item in enumerate(given)
    ]


def _result(given: GivenQuery, asked: Asked, entries: list[QueryEntry]) -> QueryResult:
    labels = [item if isinstance(item, str) else (item.id or item.name) for item in given.parameters]
    meta = QueryMeta(labels, len(labels), asked.page, asked.limit, len(given.filters or ()))
    return QueryResult(asked.id, entries, meta)


async def types(request: Request[Any, Any, Any]) -> Response[bytes]:
    """All query types; with include_meta=true also what their rows hold. Needs no credential."""
    with_meta = request.query_params.get("include_meta") == "true"
    configs = {name: _config(query_type, with_meta) for name, query_type in registry.TYPES.items()}
    return json_answer(TypesAnswer(True, list(configs), configs, list(ranges.PRESETS), id_of(request)))


def _config(query_type: registry.QueryType, with_meta: bool) -> TypeConfig:
    meta = TypeMeta(
        title=query_type.title,
        description=query_type.description,
        category=query_type.family,
        tags=[query_type.family],
        outputFields=[output.name for output in query_type.outputs],
        output_fields=query_type.outputs,
        sortable=query_type.sortable,
        default_visualization=query_type.visualization,
        supports_granularity=query_type.granularities,
    )
    return TypeConfig(
        allowedFilters=query_type.filters,
        customizable=query_type.customizable,
        defaultLimit=query_type.default_limit,
        publicAccess=query_type.is_public(values=False),
        meta=meta if with_meta else UNSET,
    )


async def list_websites(request: Request[Any, Any, Any], call: NamedDependency[Call]) -> Response[bytes]:
    """The websites that the caller may read (spec 2.3)."""
    identity = call.identity
    owner = identity.key or identity.person
    if owner is None:
        raise errors.AuthRequired(_("Authentication required"))
    found = [
        WebsiteItem(website.id, website.name, website.domain, website.is_public, iso(website.created_at))
        for website in access.readable(identity, owner.organization_id, call.parts[Directory])
    ]
    return json_answer(WebsiteItems(True, found, len(found), id_of(request)))
