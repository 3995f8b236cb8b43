"""The figures of error groups: what is asked, and which groups are new, open or back."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.figures.asking import PageQuery
from analytics_box.products.errors.group import ErrorGroup, Occurrences, State, state_of
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.summary import DATE
from analytics_box.query.catalog.types import Record, ScanRequest, column
from analytics_box.query.catalog.values import field, text_or_unknown
from analytics_box.query.named import GOAL
from analytics_box.query.plan import PlanOrder
from analytics_box.query.ranges import MAX_DAYS, DayRange
from analytics_box.query.request import MAX_LIMIT, QueryFilterInput

MOST_GROUPS: Final = 500
# An error that did not happen in this many days before the range is new.
LOOK_BACK: Final = 90
_LISTED = TYPES["error_fingerprints"]
GROUPS: Final = replace(
    _LISTED, asks=tuple(replace(ask, order=(PlanOrder("users"), PlanOrder("count"))) for ask in _LISTED.asks)
)
RELEASES: Final = replace(
    _LISTED,
    columns=tuple(column(name, "string", name, field(name)) for name in ("fingerprint", "release", "first", "last")),
    asks=(ScanRequest("errors", ("first", "last"), ("fingerprint", "release"), order=(PlanOrder("last"),)),),
)
_RECENT: Final = TYPES["recent_errors"]
# The latest error with its whole stack and its release.
LATEST: Final = replace(
    _RECENT,
    columns=(
        *(one for one in _RECENT.columns if one.output.name != "stack"),
        column("stack", "string", "stack", field("stack")),
        column("release", "string", "release", field("release")),
    ),
    asks=(replace(_RECENT.asks[0], columns=(*_RECENT.asks[0].columns, "release")),),
)
TREND: Final = replace(
    TYPES["error_trends"],
    columns=(DATE, *(column(name, "string", name, field(name)) for name in ("fingerprint", "count"))),
    asks=(ScanRequest("errors", ("count",), ("fingerprint",)),),
)


BY: Final = {
    dimension: replace(
        TYPES["errors_by_page"],
        columns=(
            column("name", "string", dimension, text_or_unknown(dimension)),
            *(column(name, "number", name, field(name)) for name in ("count", "users")),
        ),
        asks=(ScanRequest("errors", ("count", "users"), (dimension,), order=(PlanOrder("count"),)),),
    )
    for dimension in ("path", "browser", "system", "device", "country", "release")
}


class KnownGroup(Struct, frozen=True):
    """A group of the range: its row of `error_fingerprints`, its state, whether it is back or new, and when it was seen
    first (UTC ms)."""

    row: Record
    state: State
    is_back: bool
    is_new: bool
    first: int


async def known_groups(
    asking: PageQuery, rows: Sequence[Record], states: Mapping[str, ErrorGroup], only: str = ""
) -> tuple[KnownGroup, ...]:
    """Groups with their states, in the order of their rows; of `only` one, less is asked. Raises UnansweredQuery."""
    begin = max(asking.days.first - timedelta(days=LOOK_BACK), asking.days.last - timedelta(days=MAX_DAYS - 1))
    alone = (QueryFilterInput("fingerprint", "eq", only),) if only else ()
    longer = replace(asking, days=DayRange(begin, asking.days.last), compared=None, filters=alone)
    (found,) = await longer.rows((), derived=(RELEASES,), limit=MAX_LIMIT)
    happened: dict[str, list[Occurrences]] = defaultdict(list)
    for row in found:
        happened[row["fingerprint"]].append(Occurrences(row["release"], row["first"], row["last"]))
    start = asking.window.start
    groups = []
    for row in rows:
        occurrences = happened[row["fingerprint"]]
        state, is_back = state_of(states.get(row["fingerprint"]), occurrences)
        first = min((one.first for one in occurrences), default=start)
        is_new = state == "open" and not is_back and first >= start and begin < asking.days.first
        groups.append(KnownGroup(row, state, is_back, is_new, first))
    return tuple(groups)


class GoalEffect(Struct, frozen=True):
    """Sessions with an error and those without it that viewed the same pages, and how many of each reached a goal."""

    exposed: int
    exposed_reached: int
    others: int
    others_reached: int

    @property
    def missing_sessions(self) -> int:
        """The sessions that would also have reached the goal at the rate of the others."""
        if not self.others:
            return 0
        return max(0, round(self.exposed * self.others_reached / self.others) - self.exposed_reached)


async def goal_effect(asking: PageQuery, fingerprint: str, pages: Sequence[str], goal_id: str) -> GoalEffect:
    """The effect of an error on a goal, in sessions that viewed these pages. Raises UnansweredQuery."""
    reached = (QueryFilterInput(field=GOAL, op="eq", value=goal_id),)
    exposed = (QueryFilterInput(field="error", op="eq", value=fingerprint),)
    others = (
        QueryFilterInput(field="error", op="ne", value=fingerprint),
        QueryFilterInput(field="viewed_page", op="in", value=[*pages]),
    )
    alone = replace(asking, compared=None)
    found = await asyncio.gather(
        *(
            replace(alone, filters=(*asking.filters, *more)).rows(("session_metrics",))
            for more in (exposed, (*exposed, *reached), others, (*others, *reached))
        )
    )
    return GoalEffect(*(int(rows[0]["total_sessions"]) if rows else 0 for (rows,) in found))


async def trends(asking: PageQuery, fingerprints: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
    """The errors of each group by the label of the bucket. Raises UnansweredQuery."""
    if not fingerprints:
        return {}
    only = QueryFilterInput(field="fingerprint", op="in", value=list(fingerprints))
    (found,) = await replace(asking, filters=(*asking.filters, only)).rows((), derived=(TREND,), limit=MAX_LIMIT)
    series: dict[str, dict[str, int]] = defaultdict(dict)
    for row in found:
        series[row["fingerprint"]][row["date"]] = row["count"]
    return series
