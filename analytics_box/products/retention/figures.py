"""Retention figures: what the page and its export ask, and what of it is averaged."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.breakdowns import BREAKDOWNS
from analytics_box.figures.view import View
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import QueryType, Record, ScanRequest, column
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import Granularity
from analytics_box.query.request import QueryFilterInput

# The parameters of the page: what begins a cohort and what counts as coming back (names of custom events), the
# periods, and the breakdown.
PARAMETERS: Final = ("activation", "return", "period", "split")
# Pages ask types by the names of those in the catalogue.
_LASTING: Final = QueryType(
    name="new_vs_returning",
    family="Retention",
    title="Lasting visitors",
    description="",
    columns=(column("visitors", "number", ""), column("lasting_visitors", "number", "")),
    asks=(ScanRequest("events", ("visitors", "lasting_visitors")),),
)
_BY: Final = {
    name: QueryType(
        name="retention",
        family="Retention",
        title=name,
        description="",
        columns=(column(name, "string", ""), column("started", "number", ""), column("returned", "number", "")),
        asks=(ScanRequest("retention", ("started", "returned"), (name,), order=(PlanOrder("started"),)),),
        study="retention",
        alone=TYPES["retention"].alone,
    )
    for name in BREAKDOWNS
}


class RetentionRows(Struct, frozen=True):
    """The rows of a page. `visitors` are all of the range, `lasting` those with lasting ids."""

    cohorts: Sequence[Record]
    lifecycle: Sequence[Record]
    activity: Sequence[Record]
    parts: Sequence[Record]
    visitors: int
    lasting: int


class Average(Struct, frozen=True):
    """Visitors of all cohorts for which this period is over, and the number that came back in it."""

    returned: int
    started: int


def period_of(asking: PageQuery, view: View) -> Granularity:
    """The width of the periods: the chosen one if the range has not too many of them."""
    length = asking.days.length
    usual: Granularity = "day" if length <= 14 else "week" if length <= 182 else "month"
    allowed: dict[str, Granularity] = {"week": "week", "month": "month"}
    if length <= 90:
        allowed["day"] = "day"
    if length > 640:
        del allowed["week"]
    return allowed.get(view.own_value("period"), usual)


def _settings(asking: PageQuery, view: View) -> list[QueryFilterInput]:
    """The filters that make the question of the address."""
    settings = {
        "activation_event": view.own_value("activation"),
        "return_event": view.own_value("return"),
        "period": period_of(asking, view),
        "week_start": str(asking.formats.week[0]),
    }
    return [QueryFilterInput(field=name, op="eq", value=value) for name, value in settings.items() if value]


async def ask(asking: PageQuery, view: View, split: str) -> RetentionRows:
    """The rows of the page. Raises UnansweredQuery."""
    asking = replace(asking, filters=(*asking.filters, *_settings(asking, view)), step="day")
    types = [TYPES[name] for name in ("retention", "lifecycle", "stickiness")]
    cohorts, lifecycle, activity, parts, (whole,) = await asking.rows((), derived=(*types, _BY[split], _LASTING))
    return RetentionRows(cohorts, lifecycle, activity, parts, whole["visitors"], whole["lasting_visitors"])


async def averages_before(asking: PageQuery, view: View) -> list[Average]:
    """The averages of the range that this one is compared with; none without a comparison, or if they are unknown."""
    if asking.compared is None or asking.compared.nothing:
        return []
    earlier = replace(
        asking, days=asking.compared.days, filters=(*asking.filters, *_settings(asking, view)), step="day"
    )
    try:
        (cohorts,) = await earlier.rows((), derived=(TYPES["retention"],))
    except UnansweredQuery:
        return []
    return averages(cohorts)


def averages(cohorts: Sequence[Record]) -> list[Average]:
    """The average of each period over the cohorts for which it is over, from period 0 on."""
    found: list[Average] = []
    for row in sorted(cohorts, key=lambda row: row["period"]):
        if row["period"] == len(found):
            found.append(Average(0, 0))
        if row["is_complete"] or not row["period"]:
            one = found[row["period"]]
            found[row["period"]] = Average(one.returned + row["visitors"], one.started + row["cohort_size"])
    return [one for one in found if one.started]
