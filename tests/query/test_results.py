"""Answers that are kept take a bounded amount of memory, whatever was asked for them."""

import pytest

from analytics_box.query.filters import ConditionGroup, FilterCondition, Where
from analytics_box.query.plan import QueryPlan
from analytics_box.query.results import CachedRows, ResultCache

LONG = ("x" * 1_000,) * 200
WITHOUT_VALUES = FilterCondition("path", "set", (), negated=False)


def a_plan(number: int, where: Where) -> QueryPlan:
    return QueryPlan("events", (1,), number, number + 1, where=(where,))


@pytest.mark.parametrize(
    "where",
    [
        FilterCondition("path", "is", LONG, negated=False),
        FilterCondition(
            "session_event", "set", (), negated=False, also=(FilterCondition("key", "is", LONG, negated=False),)
        ),
        ConditionGroup(any=True, items=(WITHOUT_VALUES,) * 1_000),
        FilterCondition("path", "is", ("\N{GRINNING FACE}" + "x" * 50_000,), negated=False),
    ],
    ids=["values", "properties", "many", "wide"],
)
def test_waiting_time_of_a_query_counts_toward_its_limit(where: Where) -> None:
    kept = ResultCache(most_bytes=1_000_000)
    for number in range(20):
        kept.keep(a_plan(number, where), CachedRows(1, [], 0))
    assert 1 <= len(kept) <= 5
