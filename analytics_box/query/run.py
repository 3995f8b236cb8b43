"""From a checked request to its answer: each parameter is composed, read by the engine, and made into rows."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, TypeVar

from msgspec import UNSET, Struct, UnsetType, structs
from msgspec.structs import replace

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError, DeadlineExceeded, InClickHouse, OverBudget, Unavailable
from analytics_box.base.translation import _
from analytics_box.query import imported, results
from analytics_box.query.access import ReadScope
from analytics_box.query.budget import AnswerBudget, AnswerBudgets, NeedsMore, ParameterBytes
from analytics_box.query.catalog.types import Record
from analytics_box.query.compose import CannotAnswer, ComposedParameter, follow_plan
from analytics_box.query.engines import Engines
from analytics_box.query.filters import FunnelSteps
from analytics_box.query.imported import ImportedDays, ImportedNote
from analytics_box.query.named import (
    UNKNOWN_SPLIT,
    LinkNumbers,
    NoFunnels,
    NoGoals,
    NoLinks,
    NoSplits,
    Splits,
    WebsiteFunnels,
    WebsiteGoals,
    resolve_names,
    with_goals,
)
from analytics_box.query.plan import QueryPlan
from analytics_box.query.prepared import PreparedParameter, prepare
from analytics_box.query.ranges import DayRange, TimeWindow
from analytics_box.query.request import QueryParameter, QueryRequest, most_rows
from analytics_box.query.results import CachedRows, ResultCache, Rows
from analytics_box.query.traits import Finding, TraitLookup

log = logging.getLogger(__name__)

T = TypeVar("T")

_AT_ONCE = 8  # parameters of one request that run at the same time (wire 3.3)
_WAITING = 64  # parameters of public requests that may wait
_IN_A_THREAD = 500  # rows, from which on others would notice


class ComparisonAnswer(Struct, frozen=True):
    """A question asked again about an earlier range."""

    startDate: str
    endDate: str
    data: list[Record]


class ParameterAnswer(Struct, frozen=True):
    """The answer to one parameter (spec 2.9)."""

    parameter: str
    success: bool
    data: list[Record]
    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    ignoredFilters: tuple[str, ...] | UnsetType = UNSET
    comparison: ComparisonAnswer | UnsetType = UNSET
    imported: ImportedNote | UnsetType = UNSET


class Sitting(Struct, frozen=True):
    """The state that the parameters of one HTTP request share: scope, budget, lookups, and answers so far."""

    reads: ReadScope
    budget: AnswerBudget
    finding: Finding
    known: dict[Any, ParameterAnswer]


class QueryRunner:
    """Answers requests, each parameter under its own deadline and all of them within the request's budget.

    At most `public` parameters of public requests run at once, so that these never have all readers.
    """

    def __init__(
        self,
        engines: Engines,
        clock: Clock,
        *,
        seconds: float,
        traits: TraitLookup | None = None,
        links: LinkNumbers | None = None,
        goals: WebsiteGoals | None = None,
        funnels: WebsiteFunnels | None = None,
        splits: Splits | None = None,
        imported: ImportedDays | None = None,
        public: int = 2,
        budgets: AnswerBudgets | None = None,
    ) -> None:
        self._public = asyncio.Semaphore(public)
        self._waiting = 0
        self._traits = traits
        self._links = links or NoLinks()
        self._goals = goals or NoGoals()
        self._funnels = funnels or NoFunnels()
        self._splits = splits or NoSplits()
        self.imported = imported
        self.engines = engines
        self.events = engines.events
        self.budgets = budgets or AnswerBudgets()
        self._clock = clock
        self._seconds = seconds
        self._results = ResultCache()
        self._asking: dict[QueryPlan, asyncio.Event] = {}  # what the engine looks for now

    async def answer(self, request: QueryRequest, reads: ReadScope) -> list[ParameterAnswer]:
        """Return one entry per parameter, failed ones last (wire 3.5). Raises Unavailable."""
        async with self.budgets.of_page(public=reads.public) as budget:
            (entries,) = await self.answers([request], reads, budget)
            return entries

    async def answers(
        self, requests: Sequence[QueryRequest], reads: ReadScope, budget: AnswerBudget
    ) -> list[list[ParameterAnswer]]:
        """Answer all queries of an HTTP request, one after the other. Raises Unavailable."""
        sitting = Sitting(reads, budget, Finding(self._traits, self._links, self._goals, self._funnels), {})
        try:
            return [await self._answer(request, sitting) for request in requests]
        finally:
            sitting.finding.stop()

    async def links_called(self, sites: tuple[int, ...], called: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of the short links with these ids or slugs that the websites with these numbers may know of."""
        return await self._links.numbers(sites, called)

    async def with_goals(self, request: QueryRequest, reads: ReadScope) -> QueryRequest:
        """The request with what the goals and the funnels mean that its filters name. Raises InvalidQuery."""
        return await resolve_names(self._funnels, self._goals, request, reads)

    async def funnel_with_goals(self, site: int, funnel: FunnelSteps) -> FunnelSteps:
        """The steps of a funnel with the conditions of the goals that they name."""
        return await with_goals(self._goals, funnel, site)

    async def rows(self, plan: QueryPlan) -> list[Record]:
        """The rows of a plan that a page of the box makes itself, kept and shared as those of questions are.

        Raises BoxError.
        """
        async with self.budgets.of_page() as budget:
            try:
                return await self._read(plan, ParameterBytes(budget), keep=True)
            except NeedsMore:
                await budget.grow()
                return await self._read(plan, ParameterBytes(budget), keep=True)

    async def _answer(self, request: QueryRequest, sitting: Sitting) -> list[ParameterAnswer]:
        """Each question is asked once. Those whose answers are large come one by one, so that a request within its
        budget is never refused for what another parameter had for a moment."""
        keys = [_key(question, request) for question in request.questions]
        new, refused = _to_ask(keys, request, sitting)
        large = list(new)
        if not sitting.budget.has_grown:
            found = await self._at_once(list(new.values()), request, sitting)
            sitting.known.update((key, entry) for key, entry in zip(new, found, strict=True) if entry is not None)
            large = [key for key, entry in zip(new, found, strict=True) if entry is None]
        for key in large:
            await sitting.budget.grow()
            sitting.known[key] = await self._one(new[key], request, sitting)
        entries = [
            refused.get(at) or replace(sitting.known[key], parameter=question.label)
            for at, (key, question) in enumerate(zip(keys, request.questions, strict=True))
        ]
        return sorted(entries, key=lambda entry: not entry.success)

    async def _at_once(
        self, questions: list[QueryParameter], request: QueryRequest, sitting: Sitting
    ) -> list[ParameterAnswer | None]:
        """Their answers, None for those that need more than there is for small ones. When one parameter cannot be asked
        at all, none of the others runs on."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(question: QueryParameter) -> ParameterAnswer | None:
            async with slots:
                if sitting.budget.is_short:
                    return None
                try:
                    return await self._one(question, request, sitting)
                except NeedsMore:
                    return None

        return await _all([partial(one, question) for question in questions], at_once=True)

    async def _one(self, question: QueryParameter, request: QueryRequest, sitting: Sitting) -> ParameterAnswer:
        """The answer to a question. Raises NeedsMore, and Unavailable."""
        if not sitting.reads.public:
            return await self._entry(question, request, sitting)
        if self._waiting >= _WAITING:
            raise Unavailable(_("Too many queries are running. Try again in a moment."), retry_after=1)
        self._waiting += 1
        try:
            await self._public.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._entry(question, request, sitting)
        finally:
            self._public.release()

    async def _entry(self, question: QueryParameter, request: QueryRequest, sitting: Sitting) -> ParameterAnswer:
        taken = ParameterBytes(sitting.budget)
        try:
            if question.type is None or question.error:
                raise CannotAnswer(question.error)
            by_people = await sitting.finding.resolved(question.type, request, sitting.reads)
            prepared = prepare(question, question.type, by_people, sitting.reads)
            at_once = not sitting.reads.public
            data = await self._rows(prepared, request, question.days, question, taken, at_once=at_once)
            compared = await self._compared(prepared, request, question, taken, at_once=at_once)
            note = await self._imported_note(prepared, request, question)
        except BaseException as failed:
            taken.give_back()
            return _failed_answer(question, failed)
        return ParameterAnswer(
            question.label,
            success=True,
            data=data,
            ignoredFilters=prepared.ignored or UNSET,
            comparison=compared,
            imported=note,
        )

    async def _compared(
        self,
        prepared: PreparedParameter,
        request: QueryRequest,
        question: QueryParameter,
        taken: ParameterBytes,
        *,
        at_once: bool,
    ) -> ComparisonAnswer | UnsetType:
        earlier = prepared.compared(request, question.days)
        if earlier is None:
            return UNSET
        data = await self._rows(prepared, request, earlier, question, taken, at_once=at_once)
        return ComparisonAnswer(earlier.first.isoformat(), earlier.last.isoformat(), data)

    async def _rows(
        self,
        prepared: PreparedParameter,
        request: QueryRequest,
        days: DayRange | None,
        question: QueryParameter,
        taken: ParameterBytes,
        *,
        at_once: bool,
    ) -> list[Record]:
        composed = prepared.composed(request, days, question, self._clock.now())
        query_type = prepared.type
        if days is not None and self._adds_imported(prepared, days, composed.plans, question):
            return await self._rows_with_imported(prepared, request, days, composed, taken, at_once=at_once)
        keep = not (query_type.recent or query_type.today)
        rows = await _all([partial(self._read, plan, taken, keep=keep) for plan in composed.plans], at_once=at_once)
        for row in (row for found in rows if prepared.websites for row in found if "site" in row):
            row["site"] = prepared.websites.get(row["site"], "")
        for follow in query_type.follows:
            plan = follow_plan(follow, rows[0], prepared.sites, prepared.where, composed.window, request)
            rows.append([] if plan is None else await self._read(plan, taken, keep=keep))
        if prepared.funnel is not None and query_type.needs:
            rows.append([{"name": name} for name in prepared.funnel.names])
        if composed.notes is not None:
            rows.append([composed.notes])
        if query_type.weighed:
            rows.append([await self._split(prepared, composed.window)])
        many = sum(map(len, rows))
        return await _build_rows(many, lambda: results.records(query_type, request, composed.window, rows))

    def _adds_imported(
        self, prepared: PreparedParameter, days: DayRange, plans: Sequence[QueryPlan], question: QueryParameter
    ) -> bool:
        """Whether imported totals of these days are part of the answer."""
        # Imported totals are of whole days.
        if self.imported is None or question.since or not self.imported.overlap(prepared.sites, days):
            return False
        hourly = question.granularity in {"hour", "minute"}
        has_filters = prepared.where or prepared.having
        return (
            not has_filters
            and not prepared.type.follows
            and all(imported.can_add(plan, hourly=hourly) for plan in plans)
        )

    async def _rows_with_imported(
        self,
        prepared: PreparedParameter,
        request: QueryRequest,
        days: DayRange,
        composed: ComposedParameter,
        taken: ParameterBytes,
        *,
        at_once: bool,
    ) -> list[Record]:
        """The rows of an answer with imported totals. They are merged here, so they are sorted and paged here too."""
        query_type, window, known = prepared.type, composed.window, self.imported
        assert known is not None  # noqa: S101  _adds_imported asked

        async def read(plan: QueryPlan) -> list[Record]:
            found = await self._read(imported.without_limit(plan), taken, keep=not query_type.today)
            return await known.add(plan, found, days, window, request.zone)

        rows = await _all([partial(read, plan) for plan in composed.plans], at_once=at_once)
        if query_type.paged_by_engine:
            return results.merged_page(query_type, request, window, rows[0])
        return results.records(query_type, request, window, rows)

    async def _imported_note(
        self, prepared: PreparedParameter, request: QueryRequest, question: QueryParameter
    ) -> ImportedNote | UnsetType:
        """The imported days of a question's range, if there are any."""
        days = question.days
        if days is None or self.imported is None or not self.imported.overlap(prepared.sites, days):
            return UNSET
        plans = prepared.composed(request, days, question, self._clock.now()).plans
        included = self._adds_imported(prepared, days, plans, question)
        return await self.imported.note(prepared.sites, days, included=included) or UNSET

    async def _split(self, prepared: PreparedParameter, window: TimeWindow) -> Record:
        """In which shares the flag that is asked about gives its variants, of the first website that has it."""
        for site in prepared.sites:
            found = await self._splits.of(site, prepared.flag, window.start, window.end)
            if found is not None:
                return structs.asdict(found)
        return structs.asdict(UNKNOWN_SPLIT)

    async def _read(self, plan: QueryPlan, taken: ParameterBytes, *, keep: bool) -> list[Record]:
        """The engine's rows of a plan, as records."""
        if plan.finds_nothing:
            return []
        rows = await (self._shared(plan, taken) if keep else self.engines.rows(plan, seconds=self._seconds, take=taken))
        names = plan.names
        return await _build_rows(len(rows), lambda: [dict(zip(names, row, strict=True)) for row in rows])

    async def _shared(self, plan: QueryPlan, taken: ParameterBytes) -> Rows:
        """The cached rows of a plan, else the engine's. Concurrent calls for the same plan wait for the first."""
        version = self.engines.version
        while (kept := self._results.find(plan, version)) is None and plan in self._asking:
            await self._asking[plan].wait()
        if kept is not None:
            taken(kept.size)
            return kept.rows
        found = self._asking[plan] = asyncio.Event()
        before = taken.bytes
        try:
            rows: Rows = await self.engines.rows(plan, seconds=self._seconds, take=taken)
            self._results.keep(plan, CachedRows(version, rows, taken.bytes - before))
        finally:
            del self._asking[plan]
            found.set()
        return rows


def _key(question: QueryParameter, request: QueryRequest) -> Any:
    """Questions with the same key have the same answer. Those that fail at once stand for themselves."""
    if question.type is None or question.error:
        return question
    return replace(question, label=""), replace(request, id="", questions=())


def _to_ask(
    keys: list[Any], request: QueryRequest, sitting: Sitting
) -> tuple[dict[Any, QueryParameter], dict[int, ParameterAnswer]]:
    """The questions that have no answer yet, and the entries of parameters with which the request asks for too much."""
    new: dict[Any, QueryParameter] = {}
    refused: dict[int, ParameterAnswer] = {}
    for at, (key, question) in enumerate(zip(keys, request.questions, strict=True)):
        again = key in sitting.known or key in new
        try:
            sitting.budget.ask(0 if again else most_rows(question, request))
        except OverBudget as much:
            refused[at] = _failed_answer(question, much)
        else:
            if not again:
                new[key] = question
    return new, refused


def _failed_answer(question: QueryParameter, why: BaseException) -> ParameterAnswer:
    """The entry of a parameter that fails alone. Raises what is none of its own."""
    match why:
        case NeedsMore():
            raise why
        case CannotAnswer():
            return ParameterAnswer(question.label, success=False, data=[], error=str(why))
        case OverBudget() | InClickHouse():
            return ParameterAnswer(question.label, success=False, data=[], error=why.message, code=why.code)
        case DeadlineExceeded():
            return ParameterAnswer(question.label, success=False, data=[], error=why.message)
        case BoxError():
            raise why
        case Exception():
            log.error("The query type %s failed", question.type.name if question.type else "", exc_info=why)
            return ParameterAnswer(question.label, success=False, data=[], error="Query execution failed")
    raise why


async def _all(works: Sequence[Callable[[], Coroutine[Any, Any, T]]], *, at_once: bool) -> list[T]:
    """Return the results of these works, in order. Raises the first failure, and cancels the others."""
    if not at_once:
        return [await work() for work in works]
    try:
        async with asyncio.TaskGroup() as asking:
            tasks = [asking.create_task(work()) for work in works]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


async def _build_rows(rows: int, work: Callable[[], T]) -> T:
    """Run this work on `rows` rows; in a thread if they are many, so that other requests are not delayed."""
    return await asyncio.to_thread(work) if rows > _IN_A_THREAD else work()
