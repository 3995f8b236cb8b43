"""Answers that are kept take a bounded amount of memory, whatever was asked for them."""

import pytest

from analytics_box.query.filters import Condition, Group, Where
from analytics_box.query.plan import Plan
from analytics_box.query.results import Kept, Results

LONG = ("x" * 1_000,) * 200
WITHOUT_VALUES = Condition("path", "set", (), negated=False)


def a_plan(number: int, where: Where) -> Plan:
    return Plan("events", (1,), number, number + 1, where=(where,))


@pytest.mark.parametrize(
    "where",
    [
        Condition("path", "is", LONG, negated=False),
        Condition("session_event", "set", (), negated=False, also=(Condition("key", "is", LONG, negated=False),)),
        Group(any=True, items=(WITHOUT_VALUES,) * 1_000),
        Condition("path", "is", ("\N{GRINNING FACE}" + "x" * 50_000,), negated=False),
    ],
    ids=["values", "properties", "many", "wide"],
)
def test_what_a_question_takes_itself_counts(where: Where) -> None:
    kept = Results(most_bytes=1_000_000)
    for number in range(20):
        kept.keep(a_plan(number, where), Kept(1, [], 0))
    assert 1 <= len(kept) <= 5
