"""What the pages of a website ask the query engine, and its answers as the values that the view is made of."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.errors import BoxError
from analytics_box.http.dates import USUAL, Formats
from analytics_box.query.access import Scope
from analytics_box.query.catalog.links import of_kind
from analytics_box.query.catalog.types import SubjectName
from analytics_box.query.filters import UNKNOWN
from analytics_box.query.ranges import Days
from analytics_box.query.request import MAX_LIMIT, GivenFilter, GivenParameter, GivenQuery, Question, check
from analytics_box.query.run import Queries
from analytics_box.websites import compact, panels, series
from analytics_box.websites.compact import ERRORS, ErrorRow, Errors, ErrorSummary, Vital, VitalRow
from analytics_box.websites.lists import FIELDS, LISTS
from analytics_box.websites.overview import Figures
from analytics_box.websites.panels import ListRow
from analytics_box.websites.periods import granularity
from analytics_box.websites.series import SeriesRow
from analytics_box.websites.tiles import Totals, tiles
from analytics_box.websites.view import View

T = TypeVar("T")


class Unanswered(Exception):
    """A query of a page failed or ran out of time; the page says so in that query's place."""


class Asking(Struct, frozen=True):
    """One website, its local days, the clock that tells what is over, and how dates are written. `now` is UTC ms.

    With the subject "link" it is a short link, by its number among the clicks; `kind` asks about what is not counted as
    one (links/rules.py KINDS).
    """

    queries: Queries
    site: int
    days: Days
    zone: ZoneInfo
    now: int
    formats: Formats = USUAL
    filters: tuple[tuple[str, str], ...] = ()
    subject: SubjectName = "website"
    kind: int = 0

    @property
    def wall(self) -> datetime:
        """Now, as the wall clock of the zone shows it."""
        return datetime.fromtimestamp(self.now / 1000, self.zone).replace(tzinfo=None)

    async def rows(self, parameters: Sequence[GivenParameter], limit: int = MAX_LIMIT) -> list[list[dict[str, Any]]]:
        """The rows of each parameter, in the order asked. Raises Unanswered."""
        given = GivenQuery(
            parameters=[*parameters],
            startDate=self.days.first.isoformat(),
            endDate=self.days.last.isoformat(),
            granularity=granularity(self.days),
            limit=limit,
            filters=[_filter(field, value) for field, value in self.filters],
        )
        request = check(given, zone_name=self.zone.key, now=self.now)
        if self.subject == "website":
            request = replace(request, questions=tuple(_narrowable(question) for question in request.questions))
        elif self.kind:
            request = replace(request, questions=tuple(_of_kind(question, self.kind) for question in request.questions))
        scope = Scope((self.site,), subject=self.subject)
        try:
            entries = {entry.parameter: entry for entry in await self.queries.answer(request, scope)}
        except BoxError as refused:
            raise Unanswered(refused.message) from refused
        failed = [entry.error for entry in entries.values() if not entry.success]
        if failed:
            raise Unanswered(failed[0])
        return [entries[parameter.id or parameter.name].data for parameter in parameters]


async def ask_figures(asking: Asking, view: View) -> Figures:
    """Tiles and chart. Raises Unanswered."""
    wanted = [GivenParameter("summary_totals", id="totals"), GivenParameter("summary_metrics", id="rows")]
    if view.compare:
        earlier = asking.days.previous()
        first, last = earlier.first.isoformat(), earlier.last.isoformat()
        wanted += [
            GivenParameter("summary_totals", id="totals before", start_date=first, end_date=last),
            GivenParameter("summary_metrics", id="rows before", start_date=first, end_date=last),
        ]
    totals, rows, *before = await asking.rows(wanted)
    one_day = asking.days.length == 1 and asking.days.last == asking.wall.date()
    return Figures(
        tiles=tiles(view, read(totals, Totals)[0], read(before[0], Totals)[0] if before else None, unfinished=one_day),
        chart=series.chart(
            view.metric,
            read(rows, SeriesRow),
            read(before[1], SeriesRow) if before else None,
            now=asking.wall,
            formats=asking.formats,
        ),
    )


async def ask_list(asking: Asking, view: View, panel: str) -> list[ListRow]:
    """The rows of one panel. Raises Unanswered.

    A visitor may be in several rows, so that shares are of all visitors of the range instead of the rows' sum
    (semantics 22); the page asks for these anyway, and the engine is asked once.
    """
    listed = LISTS[view.list_of(panel)]
    wanted = [GivenParameter(listed.type)]
    if listed.counted == "visitors":
        wanted.append(GivenParameter("summary_totals", id="whole"))
    rows, *whole = await asking.rows(wanted, limit=panels.rows_wanted(view, panel))
    found = read(rows, ListRow)
    return panels.shares_of(found, read(whole[0], Totals)[0].visitors) if whole else found


async def ask_errors(asking: Asking) -> Errors:
    """The panel of errors. Raises Unanswered."""
    summary, rows = await asking.rows([GivenParameter("error_summary"), GivenParameter("error_types")], limit=ERRORS)
    return compact.errors(read(summary, ErrorSummary)[0], read(rows, ErrorRow))


async def ask_vitals(asking: Asking) -> tuple[Vital, ...]:
    """The panel of web vitals. Raises Unanswered."""
    (rows,) = await asking.rows([GivenParameter("vitals_overview")])
    return compact.vitals(read(rows, VitalRow))


async def ask_week(asking: Asking) -> tuple[Totals, list[SeriesRow]]:
    """A website's card: totals and days. Raises Unanswered."""
    totals, rows = await asking.rows([GivenParameter("summary_totals"), GivenParameter("summary_metrics")])
    return read(totals, Totals)[0], read(rows, SeriesRow)


def _filter(field: str, value: str) -> GivenFilter:
    """A value as lists show it; a channel that is not known is one that is not there."""
    if field == "channel" and value == UNKNOWN:
        return GivenFilter(field, "is_not_set")
    return GivenFilter(field, "eq", value)


def _narrowable(question: Question) -> Question:
    """The whole page is filtered alike: what sessions begin with is on every fact, whatever the API's types allow."""
    if question.type is None:
        return question
    return replace(question, type=replace(question.type, filters=FIELDS))


def _of_kind(question: Question, kind: int) -> Question:
    """A link's page about what is not counted."""
    return question if question.type is None else replace(question, type=of_kind(question.type, kind))


def read(rows: list[dict[str, Any]], kind: type[T]) -> list[T]:
    """Rows of an answer as values; what the kind does not name is left out."""
    return msgspec.convert(rows, list[kind])  # type: ignore[valid-type]  # kind is a type that a variable names
