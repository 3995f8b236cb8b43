"""What the pages of a website ask the query engine, and its answers as the values that the view is made of."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from analytics_box.errors import BoxError
from analytics_box.http.dates import USUAL, Formats
from analytics_box.query.access import Scope
from analytics_box.query.ranges import Days
from analytics_box.query.request import MAX_LIMIT, GivenParameter, GivenQuery, check
from analytics_box.query.run import Queries
from analytics_box.websites import panels, series
from analytics_box.websites.overview import Figures
from analytics_box.websites.panels import ListRow
from analytics_box.websites.periods import granularity
from analytics_box.websites.series import SeriesRow
from analytics_box.websites.tiles import Totals, tiles
from analytics_box.websites.view import View

T = TypeVar("T")
TYPES = {
    "pages": "top_pages",
    "sources": "traffic_sources",
    "browsers": "browser_name",
    "systems": "os_name",
    "events": "custom_events",
}


class Unanswered(Exception):
    """A query of a page failed or ran out of time; the page says so in that query's place."""


class Asking(Struct, frozen=True):
    """One website, its local days, the clock that tells what is over, and how dates are written. `now` is UTC ms."""

    queries: Queries
    site: int
    days: Days
    zone: ZoneInfo
    now: int
    formats: Formats = USUAL

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
        )
        request = check(given, zone_name=self.zone.key, now=self.now)
        try:
            entries = {entry.parameter: entry for entry in await self.queries.answer(request, Scope((self.site,)))}
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
    """The rows of one panel. Raises Unanswered."""
    wanted = GivenParameter(TYPES[panels.list_of(view, panel)])
    (rows,) = await asking.rows([wanted], limit=panels.rows_wanted(view, panel))
    return read(rows, ListRow)


async def ask_week(asking: Asking) -> tuple[Totals, list[SeriesRow]]:
    """A website's card: totals and days. Raises Unanswered."""
    totals, rows = await asking.rows([GivenParameter("summary_totals"), GivenParameter("summary_metrics")])
    return read(totals, Totals)[0], read(rows, SeriesRow)


def read(rows: list[dict[str, Any]], kind: type[T]) -> list[T]:
    """Rows of an answer as values; what the kind does not name is left out."""
    return msgspec.convert(rows, list[kind])  # type: ignore[valid-type]
