"""From a checked request to its answer: each parameter is composed, read by the engine, and made into rows."""

import asyncio
import logging
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from analytics_box.clock import Clock
from analytics_box.errors import BoxError, DeadlineExceeded, OverBudget, Unavailable
from analytics_box.query import answer
from analytics_box.query.access import Scope
from analytics_box.query.catalog import QueryType
from analytics_box.query.catalog.types import Record
from analytics_box.query.compose import follow_plan
from analytics_box.query.engines import Engines
from analytics_box.query.plan import Plan
from analytics_box.query.prepared import CannotAnswer, Prepared, prepare
from analytics_box.query.ranges import Days
from analytics_box.query.request import Question, Request
from analytics_box.query.results import Results, Rows
from analytics_box.query.traits import Finding, Traits

log = logging.getLogger(__name__)

_AT_ONCE = 8  # parameters of one request that run at the same time (wire 3.3)
_WAITING = 64  # parameters of strangers that wait for others of them


class Compared(Struct, frozen=True):
    """The same question about an earlier range."""

    startDate: str
    endDate: str
    data: list[Record]


class Entry(Struct, frozen=True):
    """The answer to one parameter (spec 2.9)."""

    parameter: str
    success: bool
    data: list[Record]
    error: str | UnsetType = UNSET
    ignoredFilters: tuple[str, ...] | UnsetType = UNSET
    comparison: Compared | UnsetType = UNSET


class Queries:
    """Answers requests, each parameter under its own deadline.

    Only so many parameters of `strangers` run at the same time, so that they never have all readers.
    """

    def __init__(
        self, engines: Engines, clock: Clock, *, seconds: float, traits: Traits | None = None, strangers: int = 2
    ) -> None:
        self._strangers = asyncio.Semaphore(strangers)
        self._waiting = 0
        self._traits = traits
        self.engines = engines
        self.events = engines.events
        self._clock = clock
        self._seconds = seconds
        self._results = Results()
        self._asking: dict[Plan, asyncio.Event] = {}  # what the engine looks for now

    async def answer(self, request: Request, reads: Scope) -> list[Entry]:
        """One entry per parameter, failed ones last (wire 3.5). Raises Unavailable."""
        (entries,) = await self.answers([request], reads)
        return entries

    async def answers(self, requests: Sequence[Request], reads: Scope) -> list[list[Entry]]:
        """The same for all queries of an HTTP request, one after the other. Raises Unavailable."""
        finding = Finding(self._traits)
        try:
            return [await self._answer(request, reads, finding) for request in requests]
        finally:
            finding.stop()

    async def _answer(self, request: Request, reads: Scope, finding: Finding) -> list[Entry]:
        """When one parameter cannot be asked at all, none of the others runs on."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(question: Question) -> Entry:
            async with slots:
                if reads.stranger:
                    return await self._of_stranger(question, request, reads, finding)
                return await self._entry(question, request, reads, finding)

        try:
            async with asyncio.TaskGroup() as asking:
                tasks = [asking.create_task(one(question)) for question in request.questions]
        except BaseExceptionGroup as several:
            raise several.exceptions[0] from None
        return sorted((task.result() for task in tasks), key=lambda entry: not entry.success)

    async def _of_stranger(self, question: Question, request: Request, reads: Scope, finding: Finding) -> Entry:
        if self._waiting >= _WAITING:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._waiting += 1
        try:
            await self._strangers.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._entry(question, request, reads, finding)
        finally:
            self._strangers.release()

    async def _entry(self, question: Question, request: Request, reads: Scope, finding: Finding) -> Entry:
        try:
            if question.type is None or question.error:
                raise CannotAnswer(question.error)
            by_people = await finding.resolved(question.type, request, reads)
            prepared = prepare(question, question.type, by_people, reads)
            data = await self._rows(prepared, request, question.days, question)
            compared = await self._compared(prepared, request, question)
        except CannotAnswer as why:
            return Entry(question.label, success=False, data=[], error=str(why))
        except (DeadlineExceeded, OverBudget) as much:
            return Entry(question.label, success=False, data=[], error=much.message)
        except BoxError:
            raise
        except Exception:
            log.exception("The query type %s failed", question.type.name if question.type else "")
            return Entry(question.label, success=False, data=[], error="Query execution failed")
        return Entry(
            question.label, success=True, data=data, ignoredFilters=prepared.ignored or UNSET, comparison=compared
        )

    async def _compared(self, prepared: Prepared, request: Request, question: Question) -> Compared | UnsetType:
        earlier = prepared.compared(request, question.days)
        if earlier is None:
            return UNSET
        data = await self._rows(prepared, request, earlier, question)
        return Compared(earlier.first.isoformat(), earlier.last.isoformat(), data)

    async def _rows(self, prepared: Prepared, request: Request, days: Days | None, question: Question) -> list[Record]:
        composed = prepared.composed(request, days, question, self._clock.now())
        query_type = prepared.type
        keep = not (query_type.recent or query_type.today)
        rows = [await self._read(query_type, plan, keep=keep) for plan in composed.plans]
        for follow in query_type.follows:
            plan = follow_plan(follow, rows[0], prepared.sites, prepared.where, composed.window, request)
            rows.append([] if plan is None else await self._read(query_type, plan, keep=keep))
        return answer.records(query_type, request, composed.window, rows)

    async def _read(self, query_type: QueryType, plan: Plan, *, keep: bool) -> list[Record]:
        """What the engine finds. A series over a day that its zone has left out has no bucket to look into."""
        if query_type.series and not plan.runs:
            return []
        rows = await (self._shared(plan) if keep else self.engines.rows(plan, seconds=self._seconds))
        names = plan.names
        return [dict(zip(names, row, strict=True)) for row in rows]

    async def _shared(self, plan: Plan) -> Rows:
        """What is kept, else what the engine finds; whoever asks the same meanwhile waits for that."""
        version = self.engines.version
        while (kept := self._results.find(plan, version)) is None and plan in self._asking:
            await self._asking[plan].wait()
        if kept is not None:
            return kept
        found = self._asking[plan] = asyncio.Event()
        try:
            rows: Rows = await self.engines.rows(plan, seconds=self._seconds)
            self._results.keep(plan, version, rows)
        finally:
            del self._asking[plan]
            found.set()
        return rows
