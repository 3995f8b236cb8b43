"""Answers of the engine that are kept for as long as the facts stay the same, in bounded memory."""

from collections import OrderedDict
from typing import Any

from analytics_box.query.plan import Plan

Rows = list[tuple[Any, ...]]
MOST_VALUES = 400_000  # in all that is kept; some 30 MB at most
MOST_OF_ONE = 40_000


class Results:
    """Rows by plan and version of the facts."""

    def __init__(self, most_values: int = MOST_VALUES) -> None:
        self._kept: OrderedDict[Plan, tuple[int, Rows]] = OrderedDict()
        self._values = 0
        self._most_values = most_values

    def find(self, plan: Plan, version: int) -> Rows | None:
        """The rows of this plan in this version of the facts."""
        kept = self._kept.get(plan)
        if kept is None:
            return None
        if kept[0] != version:
            self._drop(plan)
            return None
        self._kept.move_to_end(plan)
        return kept[1]

    def keep(self, plan: Plan, version: int, rows: Rows) -> None:
        """Remember rows that were read when the facts had this version, or a later one."""
        size = _size(plan, rows)
        if size > MOST_OF_ONE:
            return
        if plan in self._kept:
            self._drop(plan)
        self._kept[plan] = version, rows
        self._values += size
        while self._values > self._most_values:
            self._drop(next(iter(self._kept)))

    def _drop(self, plan: Plan) -> None:
        _, rows = self._kept.pop(plan)
        self._values -= _size(plan, rows)

    def __len__(self) -> int:
        return len(self._kept)


def _size(plan: Plan, rows: Rows) -> int:
    return 10 + len(rows) * len(plan.names)
