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
from analytics_box.query import answer, named_goals
from analytics_box.query.access import Scope
from analytics_box.query.budget import AnswerBudgets, Budget, NeedsMore, Taken
from analytics_box.query.catalog.types import Record
from analytics_box.query.compose import follow_plan
from analytics_box.query.engines import Engines
from analytics_box.query.named_goals import Goals, NoGoals
from analytics_box.query.named_links import Links, NoLinks
from analytics_box.query.plan import Plan
from analytics_box.query.prepared import CannotAnswer, Prepared, prepare
from analytics_box.query.ranges import Days, Window
from analytics_box.query.request import Question, Request, most_rows
from analytics_box.query.results import Kept, Results, Rows
from analytics_box.query.splits import UNKNOWN, NoSplits, Splits
from analytics_box.query.traits import Finding, Traits

log = logging.getLogger(__name__)

T = TypeVar("T")

_AT_ONCE = 8  # parameters of one request that run at the same time (wire 3.3)
_WAITING = 64  # parameters of public requests that may wait
_IN_A_THREAD = 500  # rows, from which on others would notice


class Compared(Struct, frozen=True):
    """A question asked again about an earlier range."""

    startDate: str
    endDate: str
    data: list[Record]


class Entry(Struct, frozen=True):
    """The answer to one parameter (spec 2.9)."""

    parameter: str
    success: bool
    data: list[Record]
    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    ignoredFilters: tuple[str, ...] | UnsetType = UNSET
    comparison: Compared | UnsetType = UNSET


class Sitting(Struct, frozen=True):
    """What the parameters of one HTTP request share: what may be read, and which answers are there already."""

    reads: Scope
    budget: Budget
    finding: Finding
    known: dict[Any, Entry]


class Queries:
    """Answers requests, each parameter under its own deadline and all of them within the request's budget.

    At most `public` parameters of public requests run at once, so that these never have all readers.
    """

    def __init__(
        self,
        engines: Engines,
        clock: Clock,
        *,
        seconds: float,
        traits: Traits | None = None,
        links: Links | None = None,
        goals: Goals | None = None,
        splits: Splits | None = None,
        public: int = 2,
        budgets: AnswerBudgets | None = None,
    ) -> None:
        self._public = asyncio.Semaphore(public)
        self._waiting = 0
        self._traits = traits
        self._links = links or NoLinks()
        self._goals = goals or NoGoals()
        self._splits = splits or NoSplits()
        self.engines = engines
        self.events = engines.events
        self.budgets = budgets or AnswerBudgets()
        self._clock = clock
        self._seconds = seconds
        self._results = Results()
        self._asking: dict[Plan, asyncio.Event] = {}  # what the engine looks for now

    async def answer(self, request: Request, reads: Scope) -> list[Entry]:
        """One entry per parameter, failed ones last (wire 3.5). Raises Unavailable."""
        async with self.budgets.of_page(public=reads.public) as budget:
            (entries,) = await self.answers([request], reads, budget)
            return entries

    async def answers(self, requests: Sequence[Request], reads: Scope, budget: Budget) -> list[list[Entry]]:
        """Answer all queries of an HTTP request, one after the other. Raises Unavailable."""
        sitting = Sitting(reads, budget, Finding(self._traits, self._links, self._goals), {})
        try:
            return [await self._answer(request, sitting) for request in requests]
        finally:
            sitting.finding.stop()

    async def links_called(self, sites: tuple[int, ...], called: tuple[str, ...]) -> tuple[int, ...]:
        """The numbers of the short links with these ids or slugs that the websites with these numbers may know of."""
        return await self._links.numbers(sites, called)

    async def with_goals(self, request: Request, reads: Scope) -> Request:
        """The request with what the goals mean that its filters name. Raises InvalidQuery."""
        return await named_goals.resolved(self._goals, request, reads)

    async def rows(self, plan: Plan) -> list[Record]:
        """The rows of a plan that a page of the box makes itself, kept and shared as those of questions are.

        Raises BoxError.
        """
        async with self.budgets.of_page() as budget:
            try:
                return await self._read(plan, Taken(budget), keep=True)
            except NeedsMore:
                await budget.grow()
                return await self._read(plan, Taken(budget), keep=True)

    async def _answer(self, request: Request, sitting: Sitting) -> list[Entry]:
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

    async def _at_once(self, questions: list[Question], request: Request, sitting: Sitting) -> list[Entry | None]:
        """Their answers, None for those that need more than there is for small ones. When one parameter cannot be asked
        at all, none of the others runs on."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(question: Question) -> Entry | None:
            async with slots:
                if sitting.budget.is_short:
                    return None
                try:
                    return await self._one(question, request, sitting)
                except NeedsMore:
                    return None

        return await _all([partial(one, question) for question in questions], at_once=True)

    async def _one(self, question: Question, request: Request, sitting: Sitting) -> Entry:
        """The answer to a question. Raises NeedsMore, and Unavailable."""
        if not sitting.reads.public:
            return await self._entry(question, request, sitting)
        if self._waiting >= _WAITING:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._waiting += 1
        try:
            await self._public.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._entry(question, request, sitting)
        finally:
            self._public.release()

    async def _entry(self, question: Question, request: Request, sitting: Sitting) -> Entry:
        taken = Taken(sitting.budget)
        try:
            if question.type is None or question.error:
                raise CannotAnswer(question.error)
            by_people = await sitting.finding.resolved(question.type, request, sitting.reads)
            prepared = prepare(question, question.type, by_people, sitting.reads)
            at_once = not sitting.reads.public
            data = await self._rows(prepared, request, question.days, question, taken, at_once=at_once)
            compared = await self._compared(prepared, request, question, taken, at_once=at_once)
        except BaseException as failed:
            taken.give_back()
            return _failed(question, failed)
        return Entry(
            question.label, success=True, data=data, ignoredFilters=prepared.ignored or UNSET, comparison=compared
        )

    async def _compared(
        self, prepared: Prepared, request: Request, question: Question, taken: Taken, *, at_once: bool
    ) -> Compared | UnsetType:
        earlier = prepared.compared(request, question.days)
        if earlier is None:
            return UNSET
        data = await self._rows(prepared, request, earlier, question, taken, at_once=at_once)
        return Compared(earlier.first.isoformat(), earlier.last.isoformat(), data)

    async def _rows(
        self,
        prepared: Prepared,
        request: Request,
        days: Days | None,
        question: Question,
        taken: Taken,
        *,
        at_once: bool,
    ) -> list[Record]:
        composed = prepared.composed(request, days, question, self._clock.now())
        query_type = prepared.type
        keep = not (query_type.recent or query_type.today)
        rows = await _all([partial(self._read, plan, taken, keep=keep) for plan in composed.plans], at_once=at_once)
        for follow in query_type.follows:
            plan = follow_plan(follow, rows[0], prepared.sites, prepared.where, composed.window, request)
            rows.append([] if plan is None else await self._read(plan, taken, keep=keep))
        if query_type.weighed:
            rows.append([await self._split(prepared, composed.window)])
        many = sum(map(len, rows))
        return await _done(many, lambda: answer.records(query_type, request, composed.window, rows))

    async def _split(self, prepared: Prepared, window: Window) -> Record:
        """In which shares the flag that is asked about gives its variants, of the first website that has it."""
        for site in prepared.sites:
            found = await self._splits.of(site, prepared.flag, window.start, window.end)
            if found is not None:
                return structs.asdict(found)
        return structs.asdict(UNKNOWN)

    async def _read(self, plan: Plan, taken: Taken, *, keep: bool) -> list[Record]:
        """What the engine finds."""
        if plan.finds_nothing:
            return []
        rows = await (self._shared(plan, taken) if keep else self.engines.rows(plan, seconds=self._seconds, take=taken))
        names = plan.names
        return await _done(len(rows), lambda: [dict(zip(names, row, strict=True)) for row in rows])

    async def _shared(self, plan: Plan, taken: Taken) -> Rows:
        """What is kept, else what the engine finds; whoever asks the same meanwhile waits for that."""
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
            self._results.keep(plan, Kept(version, rows, taken.bytes - before))
        finally:
            del self._asking[plan]
            found.set()
        return rows


def _key(question: Question, request: Request) -> Any:
    """Questions with the same key have the same answer. Those that fail at once stand for themselves."""
    if question.type is None or question.error:
        return question
    return replace(question, label=""), replace(request, id="", questions=())


def _to_ask(keys: list[Any], request: Request, sitting: Sitting) -> tuple[dict[Any, Question], dict[int, Entry]]:
    """The questions that have no answer yet, and the entries of parameters with which the request asks for too much."""
    new: dict[Any, Question] = {}
    refused: dict[int, Entry] = {}
    for at, (key, question) in enumerate(zip(keys, request.questions, strict=True)):
        again = key in sitting.known or key in new
        try:
            sitting.budget.ask(0 if again else most_rows(question, request))
        except OverBudget as much:
            refused[at] = _failed(question, much)
        else:
            if not again:
                new[key] = question
    return new, refused


def _failed(question: Question, why: BaseException) -> Entry:
    """The entry of a parameter that fails alone. Raises what is none of its own."""
    match why:
        case NeedsMore():
            raise why
        case CannotAnswer():
            return Entry(question.label, success=False, data=[], error=str(why))
        case OverBudget() | InClickHouse():
            return Entry(question.label, success=False, data=[], error=why.message, code=why.code)
        case DeadlineExceeded():
            return Entry(question.label, success=False, data=[], error=why.message)
        case BoxError():
            raise why
        case Exception():
            log.error("The query type %s failed", question.type.name if question.type else "", exc_info=why)
            return Entry(question.label, success=False, data=[], error="Query execution failed")
    raise why


async def _all(works: Sequence[Callable[[], Coroutine[Any, Any, T]]], *, at_once: bool) -> list[T]:
    """What they find, in their order. Raises what the first raises that fails, and none of the others runs on."""
    if not at_once:
        return [await work() for work in works]
    try:
        async with asyncio.TaskGroup() as asking:
            tasks = [asking.create_task(work()) for work in works]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


async def _done(rows: int, work: Callable[[], T]) -> T:
    """What this makes of so many rows; of many in a thread, so that others are answered meanwhile."""
    return await asyncio.to_thread(work) if rows > _IN_A_THREAD else work()
