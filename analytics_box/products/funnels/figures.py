"""Funnel figures: the steps, sources and times of a range, asked for as other queries are."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BoxError
from analytics_box.figures.breakdowns import BREAKDOWNS
from analytics_box.figures.earnings import Earnings, earnings
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.funnels import MEASURES, REACHED, step_rows
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.catalog.values import quotient
from analytics_box.query.filters import OF_WEBSITES, Dropoff, Filter, FunnelSteps
from analytics_box.query.named import DROPOFF
from analytics_box.query.plan import TIME_EDGES, PlanOrder
from analytics_box.query.ranges import DayRange, Granularity
from analytics_box.query.request import MAX_LIMIT, GivenQuery, QueryFilterInput, QueryParameter, check
from analytics_box.query.run import QueryRunner


def _type(name: str, ask: ScanRequest, columns: Sequence[str], *, series: bool = False) -> QueryType:
    """A query type that only pages and procedures of funnels ask."""
    texts = (*ask.group, *(("date",) if series else ()))
    return QueryType(
        name=name,
        family="Funnels",
        title=name,
        description="",
        columns=tuple(column(one, "string" if one in texts else "number", "") for one in columns),
        asks=(ask,),
        series=series,
        filters=OF_WEBSITES,
    )


TOTALS: Final = _type("funnel_totals", ScanRequest("funnels", MEASURES), MEASURES)
TREND: Final = _type("funnel_trend", ScanRequest("funnels", REACHED), ("date", *REACHED), series=True)
BY: Final = {
    name: _type(
        f"funnel_by_{name}",
        ScanRequest("funnels", REACHED, (name,), order=(PlanOrder(REACHED[0]),)),
        (name, *REACHED),
    )
    for name in BREAKDOWNS
}


class FunnelQuery(Struct, frozen=True):
    """A question about a funnel of a website. `now` is UTC ms."""

    queries: QueryRunner
    site: int
    steps: FunnelSteps
    zone: ZoneInfo
    now: int
    filters: Sequence[QueryFilterInput] = ()

    async def payments(self, days: DayRange) -> tuple[Earnings, ...] | None:
        """The revenue of the sessions (or of all sessions of the visitors) that completed the funnel, by currency; None
        if it is unknown."""
        try:
            request = check(self._question(days), zone_name=self.zone.key, now=self.now)
        except BoxError:
            return None
        reads = ReadScope((self.site,))
        funnel = await self.queries.funnel_with_goals(self.site, self.steps)
        if not await earnings(self.queries, request, reads):
            return ()
        others = request.filters if funnel.people else ()
        completed = Filter(
            DROPOFF, "eq", ("",), Dropoff(replace(funnel, filters=(*funnel.filters, *others)), len(funnel.steps) + 1)
        )
        request = replace(request, filters=(*request.filters, *self.steps.filters, completed))
        return await earnings(self.queries, request, reads)

    def _question(self, days: DayRange) -> GivenQuery:
        return GivenQuery(
            parameters=["funnel"],
            startDate=days.first.isoformat(),
            endDate=days.last.isoformat(),
            filters=list(self.filters),
            limit=MAX_LIMIT,
        )

    async def rows(
        self, days: DayRange, types: Sequence[QueryType], granularity: Granularity = "day"
    ) -> list[list[Record]] | str:
        """The rows of each type; a text if they are unknown."""
        try:
            request = check(self._question(days), zone_name=self.zone.key, now=self.now)
        except BoxError as refused:
            return refused.message
        (asked,) = request.questions
        request = replace(
            request,
            questions=tuple(QueryParameter(one.name, one, asked.days, granularity) for one in types),
            filters=(*request.filters, *self.steps.filters),
            funnel=await self.queries.funnel_with_goals(self.site, self.steps),
        )
        entries = {entry.parameter: entry for entry in await self.queries.answer(request, ReadScope((self.site,)))}
        failed = next((entry for entry in entries.values() if not entry.success), None)
        return str(failed.error) if failed is not None else [entries[one.name].data for one in types]


class FunnelFigures(Struct, frozen=True):
    """The figures of a funnel: a row per step (catalog.funnels); of those who completed it the mean, median and 90th
    percentile of the time in ms, None without a conversion, and the number in each range of times. `biggest_drop` is
    the step before which the largest share was lost, the first one if none were."""

    steps: tuple[Record, ...]
    mean: float | None
    median: int | None
    p90: int | None
    times: tuple[int, ...]
    starts: int
    conversions: int
    rate: float
    biggest_drop: Record


def figures_of(measured: Record, names: Sequence[str]) -> FunnelFigures:
    """The figures, from the row of TOTALS."""
    steps = tuple(step_rows(measured, names))
    completed = steps[-1]["users"]
    mean = quotient(measured["took_total"], completed) if completed else None
    return FunnelFigures(
        steps,
        mean,
        measured["median_took"],
        measured["took_p90"],
        tuple(measured[f"took_{number}"] for number in range(len(TIME_EDGES) + 1)),
        steps[0]["users"],
        completed,
        steps[-1]["conversion_rate"],
        max(steps, key=lambda step: (step["dropoff_rate"], -step["step_number"])),
    )


def rate_of(row: Record, steps: int) -> float:
    """The conversion rate of a row with the numbers of each step, in percent."""
    return quotient(100 * row[f"step_{steps}"], row[REACHED[0]]) if row[REACHED[0]] else 0.0


def duration_text(ms: float | None) -> str:
    """A time to convert in words."""
    return "–" if ms is None else figures.duration(ms / 1000)
