"""Answers of the engine that are kept for as long as the facts stay the same, in bounded memory."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

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
        self._kept: OrderedDict[QueryPlan, CachedRows] = OrderedDict()
        self._bytes = 0
        self._most_bytes = most_bytes

    def find(self, plan: QueryPlan, version: int) -> CachedRows | None:
        """The rows of this plan in this version of the facts."""
        kept = self._kept.get(plan)
        if kept is None:
            return None
        if kept.version != version:
            self._drop(plan)
            return None
        self._kept.move_to_end(plan)
        return kept

    def keep(self, plan: QueryPlan, kept: CachedRows) -> None:
        """Remember rows, unless they are many."""
        size = _of_plan(plan) + kept.size
        if size > MOST_OF_ONE:
            return
        if plan in self._kept:
            self._drop(plan)
        self._kept[plan] = kept
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, plan: QueryPlan) -> None:
        self._bytes -= _of_plan(plan) + self._kept.pop(plan).size

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
