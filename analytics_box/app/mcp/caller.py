"""The caller of a tool: an API key, which acts through procedures and queries as over HTTP."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from analytics_box.app.procedures import PROCEDURES
from analytics_box.base import errors
from analytics_box.base.errors import BoxError
from analytics_box.base.identity import ApiKey, Identity
from analytics_box.base.translation import _
from analytics_box.query.catalog.types import Record
from analytics_box.query.filters import Op
from analytics_box.query.ranges import Preset
from analytics_box.query.request import Comparison, GivenQuery, QueryFilterInput, check, check_pattern_count
from analytics_box.query.request import QueryRequest as CheckedQuery
from analytics_box.query.run import ParameterAnswer, QueryRunner
from analytics_box.query.subjects import Subjects
from analytics_box.web.call import Parts
from analytics_box.web.guard import ResourceOwners
from analytics_box.web.route import Procedure
from analytics_box.web.rpc import call_procedure, count_call, decode_input, plain_output, refusal_of

USUAL: Final[Preset] = "last_30d"


_LINES: Final[Mapping[str, Procedure]] = {line.name: line for line in PROCEDURES}


class Caller(Struct, frozen=True):
    """The calling key, the parts of the box, and the current `tool`. `now` is UTC ms."""

    identity: Identity
    parts: Parts
    owners: ResourceOwners
    now: int
    tool: str = ""

    @property
    def key(self) -> ApiKey:
        """The caller's API key; the route refuses others."""
        if self.identity.key is None:
            raise errors.AuthRequired(_("Authentication required: send an API key"))
        return self.identity.key

    def refusal(self, *procedures: str) -> BoxError | None:
        """The reason why the key can call none of these procedures, by its scopes and reach."""
        lines = [_LINES[name] for name in procedures]
        refused = [refusal_of(self.identity.within(line.access), line) for line in lines]
        return None if None in refused else refused[0]

    async def call(self, procedure: str, *, checks_only: bool = False, **given: object) -> Any:
        """The output of a procedure as plain values. Arguments that are UNSET are left out. Raises BoxError, with
        `checks_only` for wrong input without calling it."""
        line = _LINES[procedure]
        identity = self.identity.within(line.access)
        refused = refusal_of(identity, line)
        if refused is not None:
            raise refused
        sent = msgspec.json.encode({name: value for name, value in given.items() if value is not UNSET})
        if checks_only:
            return decode_input(line.handler, sent)
        count_call(line, identity, self.parts)
        return plain_output(await call_procedure(line, identity, sent, self.parts, self.owners, tool=self.tool))

    async def ask(self, queries: list[GivenQuery], target: Mapping[str, str]) -> list[list[ParameterAnswer]]:
        """The answers to queries about what `target` names, as POST /v1/query gives them. Raises BoxError."""
        parts = self.parts
        parts.limits.take("query", self.identity.limit_name, parts.settings.limit_query)
        types = tuple(name for query in queries for name in query.names)
        reads = await parts[Subjects].of_request(self.identity, target, types)
        check_pattern_count(query.filters or () for query in queries)
        many = len(queries) > 1
        checked: list[CheckedQuery] = [
            check(query, zone_name=None, now=self.now, where=f"queries[{at}]." if many else "")
            for at, query in enumerate(queries)
        ]
        runner = parts[QueryRunner]
        async with runner.budgets.of_request(public=False) as budget:
            return await runner.answers(checked, reads, budget)

    async def rows(self, query: GivenQuery, target: Mapping[str, str]) -> list[list[Record]]:
        """The rows of each parameter of a query, in their order. Raises BoxError, also if one of them fails."""
        (entries,) = await self.ask([query], target)
        for entry in entries:
            if not entry.success:
                raise errors.InvalidQuery(f"{entry.parameter}: {entry.error}")
        by_name = {entry.parameter: entry.data for entry in entries}
        return [by_name[name] for name in query.names]


class ToolFilter(Struct, frozen=True):
    """A condition: field, operator and value, as in the query API."""

    field: str
    op: Op
    value: str | int | float | list[str | int | float] | None = None


class RangeInput(Struct, frozen=True, kw_only=True):
    """Days: a preset, or both dates; the last 30 days without either."""

    preset: Preset | None = None
    startDate: str | None = None
    endDate: str | None = None
    timeZone: str | None = None

    def query(
        self,
        *parameters: str,
        limit: int | None = None,
        filters: Iterable[ToolFilter] = (),
        comparison: Comparison | None = None,
    ) -> GivenQuery:
        """A query over these days."""
        dated = self.startDate is not None and self.endDate is not None
        return GivenQuery(
            parameters=[*parameters],
            preset=self.preset or (None if dated else USUAL),
            startDate=self.startDate,
            endDate=self.endDate,
            timeZone=self.timeZone,
            limit=limit,
            filters=[QueryFilterInput(one.field, one.op, one.value) for one in filters] or None,
            comparison=comparison,
        )

    def days(self, now: int) -> "QueriedRange":
        """The days that are meant. Raises InvalidQuery."""
        checked = check(self.query("summary_totals"), zone_name=None, now=now)
        days = checked.questions[0].days
        if days is None:
            raise errors.InvalidQuery(_("Enter a valid range"))
        return QueriedRange(days.first.isoformat(), days.last.isoformat(), str(checked.zone))


class QueriedRange(Struct, frozen=True):
    """The days of an answer, both included, and their time zone."""

    startDate: str
    endDate: str
    timeZone: str


Notes = list[str]
