"""Goal figures: conversions, the conversion rate of all visitors, and revenue."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, InvalidQuery
from analytics_box.figures.earnings import Earnings, earnings, earnings_text
from analytics_box.products.goals.goal import GoalDefinition, amount
from analytics_box.products.goals.rules import filters_of
from analytics_box.query import ranges
from analytics_box.query.access import ReadScope
from analytics_box.query.catalog.types import Record
from analytics_box.query.catalog.values import quotient
from analytics_box.query.filters import OF_WEBSITES
from analytics_box.query.ranges import DayRange
from analytics_box.query.request import MAX_LIMIT, GivenQuery, QueryFilterInput, QueryRequest, check
from analytics_box.query.run import QueryRunner
from analytics_box.web.call import Call

_MOST_PAGES = 20  # of distinct amounts, MAX_LIMIT each
MOST_SECONDS = 30.0  # for all goals that are asked about together, each of which looks through the range
LATE = "The goals took too long. Choose a shorter range"


class GoalPeriod(Struct, frozen=True):
    """The local days that figures are about. `now` is UTC ms."""

    days: DayRange
    zone: ZoneInfo
    now: int

    def request(self, name: str, filters: Sequence[QueryFilterInput], page: int = 1) -> QueryRequest:
        """A question about these days."""
        given = GivenQuery(
            parameters=[name],
            startDate=self.days.first.isoformat(),
            endDate=self.days.last.isoformat(),
            filters=list(filters),
            limit=MAX_LIMIT,
            page=page,
        )
        return check(given, zone_name=self.zone.key, now=self.now)


class GoalFigures(Struct, frozen=True):
    """Of `visitors` in the range, `conversions` reached a goal. `revenue` is the sum of its amounts, None if a goal has
    none; `payments` are those of the sessions that reached it."""

    visitors: int
    conversions: int
    revenue: Decimal | None = None
    payments: tuple[Earnings, ...] = ()

    @property
    def rate(self) -> float:
        """Percent, rounded to hundredths."""
        return quotient(100 * self.conversions, self.visitors) if self.visitors else 0.0


def rate_text(reached: GoalFigures) -> str:
    """The rate in words."""
    return figures.percent(reached.rate) if reached.visitors else "–"


def revenue_text(reached: GoalFigures) -> str:
    """The sum of the goal's amounts, for a goal without them its payments; empty if there is neither."""
    return earnings_text(reached.payments) if reached.revenue is None else amount(reached.revenue)


def given_period(call: Call, start: str | None, end: str | None) -> GoalPeriod:
    """The local days that are asked about. Raises BadRequest."""
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    if start is None and end is None:
        return GoalPeriod(ranges.of_preset("last_30d", call.now, zone), zone, call.now)
    today = ranges.today(call.now, zone).isoformat()
    try:
        days = ranges.of_dates((start or "")[:10], (end or today)[:10])
    except InvalidQuery as wrong:
        raise BadRequest.about(wrong.details[0].field, wrong.message) from wrong
    return GoalPeriod(days, zone, call.now)


async def goal_figures(
    queries: QueryRunner,
    site: int,
    goals: Sequence[GoalDefinition],
    period: GoalPeriod,
    narrowed: Sequence[QueryFilterInput] = (),
    *,
    paid: bool = False,
) -> list[GoalFigures | str]:
    """The figures of each goal on a website, for the part that the filters select; a text if they are unknown. Revenue
    is only known if it is asked for."""
    if not goals:
        return []
    until = asyncio.get_running_loop().time() + MOST_SECONDS
    asked = [_by_all(period.request("summary_totals", (*narrowed, *filters_of(goal)))) for goal in goals]
    everything, reads = _by_all(period.request("summary_totals", narrowed)), ReadScope((site,))
    (whole,) = await queries.answer(everything, reads)
    if not whole.success:
        return [str(whole.error)] * len(goals)
    visitors = int(whole.data[0]["visitors"])
    # Most websites have no payments, and so no goal of theirs needs to be asked about them.
    has_payments = paid and bool(await earnings(queries, everything, reads))
    found: list[GoalFigures | str] = []
    for goal, request in zip(goals, asked, strict=True):
        if asyncio.get_running_loop().time() >= until:
            found.append(LATE)
            continue
        (entry,) = await queries.answer(request, reads)
        if not entry.success:
            found.append(str(entry.error))
            continue
        revenue = await _sum_of_amounts(queries, site, goal, period, until, narrowed) if paid and goal.amount else None
        payments = (await earnings(queries, request, reads) or ()) if has_payments else ()
        found.append(GoalFigures(visitors, int(entry.data[0]["visitors"]), revenue, payments))
    return found


async def _sum_of_amounts(
    queries: QueryRunner,
    site: int,
    goal: GoalDefinition,
    period: GoalPeriod,
    until: float,
    narrowed: Sequence[QueryFilterInput] = (),
) -> Decimal | None:
    """The sum of the goal's amounts in the sessions that reached it; None if it is not known until then, by the
    clock of the event loop."""
    own = [
        QueryFilterInput("event_name", "eq", goal.target),
        QueryFilterInput("property_key", "eq", goal.amount),
        *filters_of(goal),
    ]
    total = Decimal(0)
    for page in range(1, _MOST_PAGES + 1):
        request = _by_all(period.request("custom_event_properties", (*narrowed, *own), page))
        (entry,) = await queries.answer(request, ReadScope((site,)))
        if not entry.success:
            return None
        total += sum((_amount(row) for row in entry.data), start=Decimal(0))
        if len(entry.data) < MAX_LIMIT:
            return total
        if asyncio.get_running_loop().time() >= until:
            return None
    return None


def _by_all(request: QueryRequest) -> QueryRequest:
    """The request narrowed by whatever sessions have: all facts have it, whichever filters the API takes."""
    questions = tuple(
        one if one.type is None else replace(one, type=replace(one.type, filters=(*one.type.filters, *OF_WEBSITES)))
        for one in request.questions
    )
    return replace(request, questions=questions)


def _amount(row: Record) -> Decimal:
    """The sum of an amount; a value that is no number is zero."""
    try:
        value = Decimal(str(row["property_value"]))
    except InvalidOperation:
        return Decimal(0)
    return value * int(row["count"]) if value.is_finite() and abs(value) < Decimal("1e15") else Decimal(0)
