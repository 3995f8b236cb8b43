"""Queries of a page of figures, and their answers."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BoxError
from analytics_box.figures.board import Board, Rows
from analytics_box.figures.chart import Axis, ChartOutage
from analytics_box.figures.comparing import ComparedDays, alike, as_far
from analytics_box.figures.converting import GoalTarget, Key, counting_visitors, with_conversions
from analytics_box.figures.marks import ChartNote, Notes
from analytics_box.figures.periods import Step
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import QueryType
from analytics_box.query.filters import Filter, FilterGroup
from analytics_box.query.ranges import DayRange, TimeBucket, TimeWindow
from analytics_box.query.request import MAX_LIMIT, GivenParameter, GivenQuery, QueryFilterInput, QueryRequest, check
from analytics_box.query.run import QueryRunner
from analytics_box.web.page.dates import USUAL, Formats

# When what a page is about was down, within [start, end) in UTC ms.
Outages = Callable[[int, int], Awaitable[Sequence[ChartOutage]]]


class UnansweredQuery(Exception):
    """A query of a page failed or ran out of time; the page says so in that query's place."""


class NotePage(Struct, frozen=True):
    """The address of the notes of a subject, and whether the visitor can add notes, which may be `public`."""

    home: str
    may_add: bool
    public: bool


class SubjectFacts(Struct, frozen=True):
    """Facts from other rooms about the subject of a page: outages, notes on its charts, the instant before which
    nothing is known (UTC ms), and the content of extra panels of their `own`, by name, with the number of their
    `rows`. That content raises Unanswered.
    The page shows `only` what these filters let through and nothing from before the instant `earliest` (UTC ms),
    whatever its address says, and is in this `zone` unless its address or its user has another.
    """

    outages: Outages | None = None
    notes: Notes | None = None
    begun: int | None = None
    own: "Mapping[str, Callable[[PageQuery], Awaitable[Any]]]" = {}
    rows: Mapping[str, int] = {}
    noting: NotePage | None = None
    only: tuple[QueryFilterInput, ...] = ()
    earliest: int | None = None
    zone: str = ""

    def first_day(self, zone: ZoneInfo) -> date | None:
        """The first local day that can be shown, which is one after `earliest` as a whole; None for no limit."""
        if self.earliest is None:
            return None
        first = day_of(self.earliest, zone)
        return first if ranges.midnight(first, zone) >= self.earliest else first + timedelta(days=1)


NOTHING: Final = SubjectFacts()


class PageQuery(Struct, frozen=True):
    """The subject of a page, by its number among the facts, its local days, the clock, and the date formats. `now` and
    `begun`,
    before which nothing is known, are UTC ms; `filters` are those of its address, `plain` those that allow a single
    value.
    Series have rows of this `step`; without one, hours for a day and days for more. `said` are remarks on the question.
    """

    queries: QueryRunner
    number: int
    of: Board
    days: DayRange
    zone: ZoneInfo
    now: int
    formats: Formats = USUAL
    filters: Sequence[QueryFilterInput] = ()
    plain: Mapping[str, str] = {}
    told: SubjectFacts = NOTHING
    step: Step | None = None
    compared: ComparedDays | None = None
    begun: int | None = None
    said: tuple[str, ...] = ()

    @property
    def everything(self) -> "PageQuery":
        """This question without the filters of its address."""
        return replace(self, filters=(), plain={})

    @property
    def window(self) -> TimeWindow:
        """The instants at which the days of the page begin and end."""
        return ranges.window(self.days, self.zone, None)

    @property
    def buckets(self) -> tuple[TimeBucket, ...]:
        """The buckets of a series on the page."""
        return ranges.window(self.days, self.zone, self.steps, self.formats.week[0]).buckets

    async def notes_shown(self) -> Sequence[ChartNote]:
        """The notes in the days of the page."""
        if self.told.notes is None:
            return ()
        return await self.told.notes(self.window.start, self.window.end)

    async def outages_shown(self) -> Sequence[ChartOutage]:
        """The outages in the days of the page."""
        if self.told.outages is None:
            return ()
        return await self.told.outages(self.window.start, min(self.window.end, self.now))

    @property
    def wall(self) -> datetime:
        """Now, as the wall clock of the zone shows it."""
        return _wall(self.now, self.zone)

    @property
    def axis(self) -> Axis:
        """The axis of its chart."""
        begun = _wall(self.begun, self.zone) if self.begun is not None else None
        return Axis(self.wall, self.steps, self.days.last, self.formats, begun, self.zone)

    @property
    def until(self) -> int:
        """Up to when the days that its own are compared with have gone as far as these, in UTC ms; 0 where these are
        over, or not as many."""
        there = None if self.compared is None else as_far(self.days, self.compared.days, self.wall)
        return 0 if there is None else round(there.replace(tzinfo=self.zone).timestamp() * 1000)

    @property
    def _starts(self) -> tuple[date, ...]:
        """The first days of the weeks or months of the range."""
        own = self.buckets
        return tuple(date.fromisoformat(bucket.label) for bucket in own)

    @property
    def _starts_before(self) -> tuple[date, ...]:
        """The first days of the weeks or months that the range is compared with."""
        if self.compared is None or self.steps not in {"week", "month"}:
            return ()
        return alike(self.days, self.compared.days, self._starts)

    @property
    def steps(self) -> Step:
        """The width of the rows of its series."""
        return self.step or ("hour" if self.days.length == 1 else "day")

    async def rows(
        self,
        types: Sequence[str],
        *,
        before: Sequence[str] = (),
        so_far: Sequence[str] = (),
        derived: Sequence[QueryType] = (),
        limit: int = 0,
        page: int = 1,
        aim: Sequence[Filter | FilterGroup] = (),
    ) -> list[Rows]:
        """The rows of each type, then those of the types that are also wanted `before`: of the days that these are
        compared with; then those that are wanted of these days as far as its own have gone by now; then those of
        `derived` types, which are made of others and have their names. `aim` narrows all of them to those who did
        something, of whom they say how many visitors there were. `page` counts from 1, of `limit` rows each.

        Raises UnansweredQuery.
        """
        made = {f"{one.name} derived {number}": one for number, one in enumerate(derived)}
        earlier = self.compared.days if self.compared is not None else self.days.previous()
        allowed = self.told.first_day(self.zone)
        if allowed is not None and min(self.days.first, earlier.first if before or so_far else allowed) < allowed:
            raise UnansweredQuery("These days must not be shown")
        first, last = earlier.first.isoformat(), earlier.last.isoformat()
        wanted = [
            *(GivenParameter(name) for name in types),
            *(GivenParameter(name, id=f"{name} before", start_date=first, end_date=last) for name in before),
            *(GivenParameter(name, id=f"{name} so far", start_date=first, end_date=last) for name in so_far),
            *(GivenParameter(one.name, id=label) for label, one in made.items()),
        ]
        request = self._checked(wanted, limit, page)
        asks = self.of.about(self.plain).asks
        more: dict[str, Any] = {name: {"starts": self._starts} for name in types if self.steps == "week"}
        more |= {f"{name} before": {"starts": self._starts_before} for name in before}
        more |= {f"{name} so far": {"until": self.until} for name in so_far}
        questions = tuple(
            question
            if given is None
            else replace(
                question,
                type=counting_visitors(asks(given)) if aim else asks(given),
                granularity=self.steps,
                **more.get(question.label, {}),
            )
            for question in request.questions
            for given in (made.get(question.label, question.type),)
        )
        request = replace(request, filters=(*request.filters, *aim), questions=questions)
        found = await self._answered(request)
        return [found[parameter.id or parameter.name] for parameter in wanted]

    def _checked(self, wanted: Sequence[GivenParameter], limit: int, page: int) -> QueryRequest:
        """The questions as the API would check them. Raises UnansweredQuery."""
        given = GivenQuery(
            parameters=[*wanted],
            startDate=self.days.first.isoformat(),
            endDate=self.days.last.isoformat(),
            granularity=_NARROWEST[self.steps],
            limit=limit or MAX_LIMIT,
            page=page,
            filters=[*self.filters, *self.told.only],
        )
        try:
            return check(given, zone_name=self.zone.key, now=self.now)
        except BoxError as refused:
            raise UnansweredQuery(refused.message) from refused

    async def _answered(self, request: QueryRequest) -> dict[str, Rows]:
        """The rows of each question by its label. Raises UnansweredQuery if there are none of one."""
        try:
            found = await self.queries.answer(request, ReadScope((self.number,), subject=self.of.subject))
        except BoxError as refused:
            raise UnansweredQuery(refused.message) from refused
        failed = [entry.error for entry in found if not entry.success]
        if failed:
            raise UnansweredQuery(failed[0])
        return {entry.parameter: entry.data for entry in found}

    async def converting(
        self,
        aim: GoalTarget | None,
        keyed: Mapping[str, Key],
        types: Sequence[str],
        *,
        before: Sequence[str] = (),
        so_far: Sequence[str] = (),
        limit: int = 0,
    ) -> list[Rows]:
        """Rows as `rows` returns them. With a goal, rows of the types in `keyed` also have its conversions, joined by
        their keys.
        Raises UnansweredQuery.
        """
        asked = self.rows(types, before=before, so_far=so_far, limit=limit)
        again, *others = ([name for name in names if name in keyed] for names in (types, before, so_far))
        if aim is None or not again:
            return await asked
        of_goal = self.rows(again, before=others[0], so_far=others[1], aim=aim.filters)
        found, reached = await asyncio.gather(asked, of_goal)
        places = [(at, keyed[name]) for at, name in enumerate((*types, *before, *so_far)) if name in keyed]
        for (at, key), rows in zip(places, reached, strict=True):
            found[at] = with_conversions(found[at], rows, key, complete=len(rows) < MAX_LIMIT)
        return found


# What a query is checked with; the API knows no weeks and months, the engine does.
_NARROWEST: dict[Step, Literal["hour", "day"]] = {"hour": "hour", "day": "day", "week": "day", "month": "day"}


def day_of(instant: int, zone: ZoneInfo) -> date:
    """The local day of an instant."""
    return _wall(instant, zone).date()


def _wall(instant: int, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(instant / 1000, zone).replace(tzinfo=None)
