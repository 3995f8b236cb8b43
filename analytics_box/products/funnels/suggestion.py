"""A funnel that a goal suggests: the pages that most of the sessions with the goal saw on the way to it."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from analytics_box.figures.asking import PageQuery
from analytics_box.products.goals.goal import Goal
from analytics_box.products.goals.rules import is_event
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import Record
from analytics_box.query.named import GOAL
from analytics_box.query.request import QueryFilterInput

# Pages before the goal.
MOST_PAGES: Final = 3


async def suggest_pages(asking: PageQuery, goal: Goal) -> list[str]:
    """The pages on the commonest way to a goal, the first one first. Raises UnansweredQuery.

    A page or an event is looked back from; the way to other goals begins with the session.
    """
    kind, target = goal.definition.type, goal.definition.target
    settings = {"steps": str(MOST_PAGES + 1)}
    if is_event(kind, target):
        settings["to_event"] = target
    elif kind == "PAGE_VIEW":
        settings["to_page"] = target
    own = [QueryFilterInput(name, "eq", value) for name, value in ({GOAL: goal.id} | settings).items()]
    narrowed = replace(asking, filters=(*asking.filters, *own), step="day")
    (rows,) = await narrowed.rows((), derived=(TYPES["journeys"],))
    if len(settings) == 1:
        entries = [row for row in rows if row["step"] == 1 and row["node_type"] == "page"]
        return _way(rows, _commonest((row["node"], row["sessions"]) for row in entries))
    # Rows of a step begin with its commonest node.
    return _way(rows, next((row["node"] for row in rows), ""))[:0:-1]


def _way(rows: Iterable[Record], first: str) -> list[str]:
    """The commonest way from a node of the first step on, until as many sessions end as go on."""
    rows, way = list(rows), [first] if first else []
    for step in range(1, MOST_PAGES + 1 if way else 1):
        out = [row for row in rows if row["step"] == step and row["node"] == way[-1]]
        following = _commonest((row["next"], row["sessions"]) for row in out if row["next_type"] == "page")
        ended = sum(row["sessions"] for row in out if row["next_type"] == "end")
        taken = sum(row["sessions"] for row in out if row["next"] == following and row["next_type"] == "page")
        if not following or following in way or (len(way) > 1 and ended >= taken):
            break
        way.append(following)
    return way


def _commonest(counted: Iterable[tuple[str, int]]) -> str:
    """The name with the largest sum; empty if there is none."""
    sums: Counter[str] = Counter()
    for name, number in counted:
        sums[name] += number
    return max(sums, key=lambda name: (sums[name], name), default="")
