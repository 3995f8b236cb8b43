"""From a checked request to its answer: each parameter is composed, read by the engine, and made into rows."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from analytics_box.clock import Clock
from analytics_box.errors import BoxError, DeadlineExceeded, Unavailable
from analytics_box.query import answer, filters
from analytics_box.query.access import Scope
from analytics_box.query.catalog import QueryType
from analytics_box.query.catalog.types import Record
from analytics_box.query.compose import Composed, compose, follow_plan, sortable, window_of
from analytics_box.query.engines import sql, sqlite
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.plan import Having, Plan, Source
from analytics_box.query.ranges import Days, Window
from analytics_box.query.request import Question, Request
from analytics_box.query.results import Results, Rows
from analytics_box.store.db import Db

log = logging.getLogger(__name__)

ENGINE = sqlite.NAME
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


class CannotAnswer(Exception):
    """Why a parameter fails alone."""


TRAIT = "trait:"  # how filters name what is known of people


class Traits(Protocol):
    """Who has what among the people of a website."""

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
        """The profile ids of those whose trait, as text, matches."""


class Queries:
    """Answers requests from events.db, each parameter under its own deadline.

    Only so many parameters of `strangers` run at the same time, so that they never have all readers.
    """

    def __init__(
        self, events: Db, clock: Clock, *, seconds: float, traits: Traits | None = None, strangers: int = 2
    ) -> None:
        self._strangers = asyncio.Semaphore(strangers)
        self._waiting = 0
        self._traits = traits
        self.events = events
        self._clock = clock
        self._seconds = seconds
        self._results = Results()

    async def answer(self, request: Request, reads: Scope) -> list[Entry]:
        """One entry per parameter, failed ones last (wire 3.5). Raises Unavailable."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(question: Question) -> Entry:
            async with slots:
                if reads.stranger:
                    return await self._of_stranger(question, request, reads)
                return await self._entry(question, request, reads)

        entries = await asyncio.gather(*(one(question) for question in request.questions))
        return sorted(entries, key=lambda entry: not entry.success)

    async def _of_stranger(self, question: Question, request: Request, reads: Scope) -> Entry:
        if self._waiting >= _WAITING:
            raise Unavailable("Too many questions at once; ask again in a moment", retry_after=1)
        self._waiting += 1
        try:
            await self._strangers.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._entry(question, request, reads)
        finally:
            self._strangers.release()

    async def _entry(self, question: Question, request: Request, reads: Scope) -> Entry:
        try:
            if question.type is None or question.error:
                raise CannotAnswer(question.error)
            by_people = await self._by_people(question.type, request, reads)
            prepared = prepare(question, question.type, by_people, reads)
            data = await self._rows(prepared, request, question.days, question)
            compared = await self._compared(prepared, request, question)
        except CannotAnswer as why:
            return Entry(question.label, success=False, data=[], error=str(why))
        except DeadlineExceeded as late:
            return Entry(question.label, success=False, data=[], error=late.message)
        except BoxError:
            raise
        except Exception:
            log.exception("The query type %s failed", question.type.name if question.type else "")
            return Entry(question.label, success=False, data=[], error="Query execution failed")
        return Entry(
            question.label, success=True, data=data, ignoredFilters=prepared.ignored or UNSET, comparison=compared
        )

    async def _by_people(self, query_type: QueryType, request: Request, reads: Scope) -> Request:
        """Filters on traits as filters on the people who have them (wire 2.2). Raises CannotAnswer."""
        traits = tuple(item for item in request.filters if isinstance(item, Filter) and item.field.startswith(TRAIT))
        if not traits:
            return request
        if len(reads.sites) != 1 or self._traits is None:
            raise CannotAnswer("Trait filters are only supported for website queries")
        if "profile_id" not in query_type.filters or not reads.people:
            raise CannotAnswer(f"Trait filters are not supported for {query_type.name}")
        found = []
        for item in traits:
            try:
                people = await self._traits.having(
                    reads.sites[0], item.field.removeprefix(TRAIT), filters.matcher(item)
                )
            except Exception as broken:
                log.warning("People could not be looked through for a trait: %s", broken)
                raise CannotAnswer("Trait filter failed") from broken
            found.append(Filter("profile_id", "not_in" if filters.is_negated(item.op) else "in", people))
        others = tuple(item for item in request.filters if item not in traits)
        return replace(request, filters=(*others, *found))

    async def _compared(self, prepared: "Prepared", request: Request, question: Question) -> Compared | UnsetType:
        days = question.days
        if request.comparison is None or days is None or prepared.type.recent or prepared.type.today:
            return UNSET
        earlier = days.previous() if request.comparison == "previous_period" else days.year_before()
        data = await self._rows(prepared, request, earlier, question)
        return Compared(earlier.first.isoformat(), earlier.last.isoformat(), data)

    async def _rows(
        self, prepared: "Prepared", request: Request, days: Days | None, question: Question
    ) -> list[Record]:
        composed = prepared.composed(request, days, question, self._clock.now())
        query_type = prepared.type
        keep = not (query_type.recent or query_type.today)
        rows = [await self._read(query_type, plan, keep=keep) for plan in composed.plans]
        for follow in query_type.follows:
            plan = follow_plan(follow.ask, follow.key, rows[0], prepared.sites, composed.window, request)
            rows.append([] if plan is None else await self._read(query_type, plan, keep=keep))
        return answer.records(query_type, request, composed.window, rows)

    async def _read(self, query_type: QueryType, plan: Plan, *, keep: bool) -> list[Record]:
        """What the engine finds. A series over a day that its zone has left out has no bucket to look into."""
        if query_type.series and not plan.runs:
            return []
        version = self.events.version
        kept = self._results.find(plan, version) if keep else None
        rows: Rows = kept if kept is not None else await self.events.read(_reader(plan), seconds=self._seconds)
        if keep and kept is None:
            self._results.keep(plan, version, rows)
        names = plan.names
        return [dict(zip(names, row, strict=True)) for row in rows]


class Prepared(Struct, frozen=True):
    """A question with its filters resolved."""

    type: QueryType
    sites: tuple[int, ...]
    where: tuple[filters.Where, ...]
    having: tuple[Having, ...]
    ignored: tuple[str, ...]

    def composed(self, request: Request, days: Days | None, question: Question, now: int) -> Composed:
        """The plans for these days. Raises CannotAnswer."""
        window = self._window(request, days, question, now)
        return compose(self.type, request, window, self.sites, self.where, self.having)

    def _window(self, request: Request, days: Days | None, question: Question, now: int) -> Window:
        try:
            return window_of(self.type, days, request, question.granularity, now)
        except ValueError as missing:
            raise CannotAnswer("Invalid parameter date range") from missing


def prepare(question: Question, query_type: QueryType, request: Request, reads: Scope) -> Prepared:
    """The question with its filters resolved. Raises CannotAnswer."""
    if request.sort_by is not None and request.sort_by not in sortable(query_type):
        raise CannotAnswer(f"Cannot sort by {request.sort_by}")
    if not reads.people and (query_type.personal or _names_people(request.filters)):
        raise CannotAnswer("Only members may see people")
    missing = not any(
        isinstance(item, Filter) and item.field in query_type.needs and item.op in {"eq", "in"}
        for item in request.filters
    )
    if query_type.needs and missing:
        raise CannotAnswer(f"{query_type.name} needs a filter eq on {' or '.join(query_type.needs)}")
    counted = tuple(item for item in request.filters if isinstance(item, Filter) and item.field in query_type.having)
    others = tuple(_by_number(item, reads) for item in request.filters if item not in counted)
    where, ignored = filters.conditions(others, query_type.filters)
    own = (reads.owner,) if reads.owner and query_type.organization else ()
    return Prepared(query_type, (*reads.sites, *own), where, _having(counted, query_type), ignored)


def _names_people(items: Iterable[Filter | FilterGroup]) -> bool:
    """Whether filters ask for somebody by name; anonymous_id finds people by theirs, too (wire 1.11)."""
    return any(
        item.field in {"profile_id", "anonymous_id"} if isinstance(item, Filter) else _names_people(item.items)
        for item in items
    )


def _by_number(item: Filter | FilterGroup, reads: Scope) -> Filter | FilterGroup:
    """Filters on websites by the numbers that the facts know them by; the empty id is the organization itself."""
    if isinstance(item, FilterGroup):
        return FilterGroup(item.any, tuple(_by_number(part, reads) for part in item.items))
    if item.field not in {"website_id", "client_id"}:
        return item
    if item.op not in {"eq", "ne", "in", "not_in"}:
        raise CannotAnswer(f"{item.field} can only be compared with eq, ne, in and not_in")
    numbers = tuple(str(reads.ids.get(value, -1) if value else reads.owner or -1) for value in item.values)
    return Filter(item.field, item.op, numbers)


def _having(counted: tuple[Filter, ...], query_type: QueryType) -> tuple[Having, ...]:
    """Filters on counters (wire 1.11)."""
    found = []
    for item in counted:
        if item.op not in {"eq", "ne", "in", "not_in"}:
            raise CannotAnswer(f"{item.field} can only be compared with eq, ne, in and not_in")
        try:
            numbers = tuple(float(value) for value in item.values)
        except ValueError as wrong:
            raise CannotAnswer(f"{item.field} is a number") from wrong
        measure = next(column.sort for column in query_type.columns if column.output.name == item.field)
        found.append(Having(measure, numbers, item.op in {"ne", "not_in"}))
    return tuple(found)


def statement(plan: Plan) -> tuple[str, dict[str, Any]]:
    """What the engine would run for this plan: SQL, and its named parameters."""
    rendered = sqlite.render(plan)
    return rendered.sql, dict(rendered.values)


def can_group(source: Source, names: tuple[str, ...]) -> bool:
    """Whether the engine knows all of these as dimensions of this source that people may choose."""
    return sql.groups(source, names)


def _reader(plan: Plan) -> Any:
    return lambda db: sqlite.run(db, plan)
