"""The statements of a query parameter as text, without running them: for POST /v1/query/compile and the page Queries.

Some statements use results of an earlier statement, or ids of people or links that are looked up first. The parameters
that depend on such results are found by writing every statement twice, for two different results.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from analytics_box.query import named, traits
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.catalog.values import instant_text
from analytics_box.query.compose import CannotAnswer, ComposedParameter, follow_plan
from analytics_box.query.engines import Engines
from analytics_box.query.plan import QueryPlan
from analytics_box.query.prepared import PreparedParameter, prepare
from analytics_box.query.request import QueryParameter, QueryRequest

_NAMES = re.compile(r"(?<![:$])([:$])([a-z][a-z0-9_]*)")
_FINDINGS: Final = (1, 2)  # two things to have found, of which only the difference counts
_FOUND = {"session": "the sessions", "visitor": "the people", "path": "the pages"}


class CompiledPart(Struct, frozen=True):
    """A part of a statement's range, and what it is read from."""

    from_: str = msgspec.field(name="from")
    until: str
    read: Literal["rollups", "rows"]


class CompiledStatement(Struct, frozen=True, omit_defaults=True):
    """A statement and its named parameters, the `engine` that would run it, and `why` that one. One that is not read
    from rows alone lists the `parts` of its range.

    Those in `open` depend on what is found first, and are null here. A statement that `follows` another one (counted
    from 1) runs after it, where that found rows.
    """

    sql: str
    params: dict[str, Any]
    engine: Annotated[str, Meta(description="sqlite, duckdb or clickhouse.")]
    why: Annotated[str, Meta(description="The reason for this engine.")]
    follows: Annotated[int, Meta(description="The number (from 1) of the statement that this one depends on.")] = 0
    open: Annotated[tuple[str, ...], Meta(description="Parameters that depend on that statement; null here.")] = ()
    note: Annotated[str, Meta(description="The purpose of the statement.")] = ""
    parts: Annotated[
        tuple[CompiledPart, ...], Meta(description="Parts of its range, if some are read from roll-ups.")
    ] = ()


class CompiledEntry(Struct, frozen=True):
    """The statements of one parameter. `sql` and `params` are all statements in one text, with parameters numbered
    apart.
    """

    parameter: str
    success: bool
    engine: str
    sql: str = ""
    params: dict[str, Any] = {}
    statements: tuple[CompiledStatement, ...] = ()
    error: str | msgspec.UnsetType = msgspec.UNSET
    ignoredFilters: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class PlanStep(Struct, frozen=True):
    """A scan; `follows` is the number of the one whose rows it looks up, `about` what is special about it."""

    plan: QueryPlan
    follows: int = 0
    about: str = ""


def of_request(request: QueryRequest, reads: ReadScope, now: int, engines: Engines) -> Iterator[CompiledEntry]:
    """The statements of each parameter of a query; one that cannot be answered says why."""
    for question in request.questions:
        yield _of_question(question, request, reads, now, engines)


def _of_question(
    question: QueryParameter, request: QueryRequest, reads: ReadScope, now: int, engines: Engines
) -> CompiledEntry:
    try:
        if question.type is None or question.error:
            raise CannotAnswer(question.error)
        prepared, others = prepared_twice(question, question.type, request, reads)
        steps = tuple(_steps(prepared, request, question, now, _FINDINGS[0]))
        again = tuple(_steps(others, request, question, now, _FINDINGS[1]))
    except CannotAnswer as why:
        return CompiledEntry(question.label, success=False, engine=engines.name, error=str(why))
    return write_statements(question.label, steps, again, engines, prepared.ignored)


def prepared_twice(
    question: QueryParameter, query_type: QueryType, request: QueryRequest, reads: ReadScope
) -> tuple[PreparedParameter, PreparedParameter]:
    """The question for two findings of the people and links that its filters name. Raises CannotAnswer."""
    wanted = traits.trait_filters(request.filters)
    if wanted:
        traits.check(query_type, reads)
    first, second = (prepare(question, query_type, _having_found(request, finding), reads) for finding in _FINDINGS)
    return first, second


def _having_found(request: QueryRequest, finding: int) -> QueryRequest:
    """The request as if the people and the links that its filters name had been found."""
    links = named.link_filters(request.filters)
    request = named.with_numbers(request, dict.fromkeys(links, (finding,)))
    people = traits.trait_filters(request.filters)
    return traits.with_people(request, dict.fromkeys(people, (f"finding {finding}",)))


def _steps(
    prepared: PreparedParameter, request: QueryRequest, question: QueryParameter, now: int, finding: int
) -> Iterator[PlanStep]:
    """All scans of a question in their order: its own range, then the one that this is compared with."""
    composed = prepared.composed(request, question.days, question, now)
    own = tuple(of_range(composed, prepared, request, finding))
    yield from own
    earlier = prepared.compared(request, question.days)
    if earlier is not None:
        about = f"For the comparison, {earlier.first} to {earlier.last}. "
        composed = prepared.composed(request, earlier, question, now)
        yield from of_range(composed, prepared, request, finding, before=len(own), about=about)


def of_range(
    composed: ComposedParameter,
    prepared: PreparedParameter,
    request: QueryRequest,
    finding: int,
    *,
    before: int = 0,
    about: str = "",
) -> Iterator[PlanStep]:
    """The scans of one range: those of the type, and the second looks at what the first of them finds."""
    query_type = prepared.type
    for plan in composed.plans:
        if not plan.finds_nothing:
            yield PlanStep(plan, about=about)
    found: list[Record] = [{"session": finding, "visitor_of": finding, "profile_of": "", "path": f"/{finding}"}]
    for follow in query_type.follows:
        looked_up = follow_plan(follow, found, prepared.sites, prepared.where, composed.window, request)
        if looked_up is not None:
            text = f"{about}Looks up more about {_FOUND[follow.key]} that statement {before + 1} finds. "
            yield PlanStep(looked_up, before + 1, text)


def write_statements(
    label: str,
    steps: tuple[PlanStep, ...],
    again: tuple[PlanStep, ...],
    engines: Engines,
    ignored: tuple[str, ...] = (),
) -> CompiledEntry:
    """Convert these scans to text; `again` are the same scans for a different earlier result."""
    statements = tuple(_statement(step, other.plan, engines) for step, other in zip(steps, again, strict=True))
    if len(statements) == 1 and not statements[0].note:
        sql, params = statements[0].sql, statements[0].params
    else:
        sql = ";\n\n".join(
            _NAMES.sub(rf"\1q{number}_\2", _with_note(item)) for number, item in enumerate(statements, 1)
        )
        params = {
            f"q{number}_{name}": value
            for number, item in enumerate(statements, start=1)
            for name, value in item.params.items()
        }
    return CompiledEntry(
        label,
        success=True,
        engine=statements[0].engine if statements else engines.name,
        sql=sql,
        params=params,
        statements=statements,
        ignoredFilters=ignored or msgspec.UNSET,
    )


def _statement(step: PlanStep, other: QueryPlan, engines: Engines) -> CompiledStatement:
    choice = engines.choice(step.plan)
    rendered = choice.statement
    sql, params, others = rendered.sql, dict(rendered.values), engines.choice(other).statement.values
    unknown = tuple(name for name, value in params.items() if value != others[name])
    names = ", ".join(f"${name}" if f"${name}" in sql else f":{name}" for name in unknown)  # as its engine marks them
    if unknown and step.follows:
        note = f"{step.about}Known only then, and null here: {names}"
    elif unknown:
        note = f"{step.about}The people or links that filters name, looked for first, and null here: {names}"
    else:
        note = step.about.rstrip(". ")
    parts = tuple(
        CompiledPart(instant_text(one.start) or "", instant_text(one.end) or "", one.read) for one in rendered.parts
    )
    open_params = params | dict.fromkeys(unknown)
    return CompiledStatement(sql, open_params, choice.engine, choice.why, step.follows, unknown, note, parts)


def _with_note(item: CompiledStatement) -> str:
    return f"-- {item.note}\n{item.sql}" if item.note else item.sql
