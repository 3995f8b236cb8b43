"""Answers of the engine that are kept for as long as the facts stay the same, in bounded memory."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from analytics_box.base.cache import BoundedCache
from analytics_box.query.filters import FilterCondition, Where
from analytics_box.query.plan import QueryPlan

Rows = list[tuple[Any, ...]]
MOST_BYTES = 12 << 20  # in all that is kept; some 30 MB at most
MOST_OF_ONE = 1 << 20
_OF_A_PLAN = 2_000
_OF_A_CONDITION = 200  # or a group of them
_OF_A_VALUE = 60
_OF_A_LETTER = 4  # in a text that has any beyond ASCII


class CachedRows(NamedTuple):
    """Rows that were read when the facts had this version, or a later one, and their bytes."""

    version: int
    rows: Rows
    size: int


class ResultCache:
    """Rows by plan and version of the facts."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: BoundedCache[QueryPlan, CachedRows] = BoundedCache(
            most_weight=most_bytes, weigh=lambda plan, kept: _of_plan(plan) + kept.size, largest=MOST_OF_ONE
        )

    def find(self, plan: QueryPlan, version: int) -> CachedRows | None:
        """The rows of this plan in this version of the facts."""
        kept = self._kept.get(plan)
        if kept is None:
            return None
        if kept.version != version:
            self._kept.drop(plan)
            return None
        return kept

    def keep(self, plan: QueryPlan, kept: CachedRows) -> None:
        """Remember rows, unless they are many."""
        self._kept.put(plan, kept)

    def __len__(self) -> int:
        return len(self._kept)


def _of_plan(plan: QueryPlan) -> int:
    return _OF_A_PLAN + _of_conditions(plan.where)


def _of_conditions(items: Iterable[Where]) -> int:
    return sum(
        _OF_A_CONDITION
        + (
            sum(map(_of_value, item.values)) + _of_conditions(item.also)
            if isinstance(item, FilterCondition)
            else _of_conditions(item.items)
        )
        for item in items
    )


def _of_value(value: str) -> int:
    return _OF_A_VALUE + len(value) * (1 if value.isascii() else _OF_A_LETTER)
