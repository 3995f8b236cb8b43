"""POST /v1/query/compile (spec 4, wire 3.7): what a query would run, without running it."""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.di import NamedDependency
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.errors import ErrorDetail
from analytics_box.base.translation import _
from analytics_box.query import compiled, statements
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog import registry
from analytics_box.query.compiled import GivenCompile
from analytics_box.query.messages import CompileAnswer
from analytics_box.query.request import GivenQuery, check
from analytics_box.query.run import QueryRunner
from analytics_box.query.statements import CompiledEntry
from analytics_box.query.subjects import Subjects
from analytics_box.web import body
from analytics_box.web.answer import id_of, json_answer
from analytics_box.web.call import Call

_MOST_BYTES = 1 << 20  # of an answer with more than one entry
_QUERY = msgspec.json.Decoder(GivenQuery)
_COMPILE = msgspec.json.Decoder(GivenCompile)
_HEAD = msgspec.json.Decoder(dict[str, msgspec.Raw])


async def compile_query(
    request: Request[Any, Any, Any],
    call: NamedDependency[Call],
) -> Response[bytes]:
    """Compile a query: its SQL with named parameters, and the engine that would run it. Nothing is executed."""
    identity, parts, settings = call.identity, call.parts, call.parts.settings
    most = settings.limit_query_anonymous if identity.anonymous else settings.limit_compile
    allowance = parts.limits.take("compile", identity.limit_name, most)
    request.scope["allowance"] = allowance  # type: ignore[typeddict-unknown-key]  # for the front's headers
    sent = await body.of_request(
        request, wanted=(b"application/json",), limit=settings.max_query_bytes, seconds=settings.body_seconds
    )
    is_query = "parameters" in body.decode(_HEAD.decode, sent)
    zone_name = request.query_params.get("timezone")
    if is_query:
        whole = body.decode(_QUERY.decode, sent)
        reads = await parts[Subjects].of_request(identity, request.query_params, whole.names)
        entries = await _query(whole, reads, zone_name, call.now, parts[QueryRunner])
        answer = CompileAnswer(True, entries[0].engine, id_of(request), data=entries)
        if len(entries) == 1:
            answer = replace(answer, sql=entries[0].sql, params=entries[0].params)
        return json_answer(answer)
    given = body.decode(_COMPILE.decode, sent)
    _check_type(given.type)
    if request.query_params.get("website_id", given.projectId) != given.projectId:
        raise errors.CompilationFailed(_("projectId and website_id name different websites"))
    subject = registry.TYPES[given.type].subject
    reads = await parts[Subjects].one(identity, subject, given.projectId, (given.type,))
    statement = await compiled.of_compile(given, reads, zone_name=zone_name, now=call.now, queries=parts[QueryRunner])
    return json_answer(
        CompileAnswer(True, statement.engine, id_of(request), statement.sql, statement.params, statement.statements)
    )


async def _query(
    given: GivenQuery, reads: ReadScope, zone_name: str | None, now: int, queries: QueryRunner
) -> list[CompiledEntry]:
    """Compile a whole query: one entry per parameter."""
    asked = await queries.with_goals(check(given, zone_name=zone_name, now=now), reads)
    return await asyncio.to_thread(lambda: _limit_size(statements.of_request(asked, reads, now, queries.engines)))


def _limit_size(found: Iterable[CompiledEntry]) -> list[CompiledEntry]:
    """The entries that fit into an answer: each one repeats the values of its filters."""
    entries: list[CompiledEntry] = []
    size = 0
    for entry in found:
        size += len(msgspec.json.encode(entry))
        if size > _MOST_BYTES and entries:
            raise errors.OverBudget(_("These statements exceed 1 MB. Send fewer parameters"))
        entries.append(entry)
    return entries


def _check_type(name: str) -> None:
    """Raises WrongTypes for a type outside the catalogue (wire 3.7)."""
    if name not in registry.TYPES:
        near = registry.nearest(name)
        raise errors.WrongTypes(
            _("Unknown query type: {name}").format(name=name[:100]),
            details=(
                ErrorDetail(
                    "body.type",
                    _("Invalid value"),
                    _("Did you mean '{near}'?").format(near=near) if near else msgspec.UNSET,
                ),
            ),
        )
