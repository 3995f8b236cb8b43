"""A limit on the bytes of answers in memory, for all requests together. Pure, but for the counts."""

from collections import Counter
from types import TracebackType
from typing import Final, Self

MOST: Final = 67_108_864  # bytes of all answers that are kept at once
PER_GROUP: Final = 16_777_216  # of one group, such as the checks of one organization


class BodyBudget:
    """A limit on bytes in total, and a share of them for one group."""

    def __init__(self, most: int = MOST, per_group: int = PER_GROUP) -> None:
        self._most, self._per_group = most, per_group
        self._groups: Counter[str] = Counter()
        self.taken = 0

    def take(self, group: str, size: int) -> bool:
        """Take so many bytes more; False, and none, where there are not so many."""
        if self.taken + size > self._most or self._groups[group] + size > self._per_group:
            return False
        self.taken += size
        self._groups[group] += size
        return True

    def give(self, group: str, size: int) -> None:
        """Return bytes to the budget."""
        self.taken -= size
        self._groups[group] -= size
        if not self._groups[group]:
            del self._groups[group]


class Share:
    """The bytes that one request takes of a budget, until the end of its block. `is_short` is whether it was refused
    some.
    """

    def __init__(self, budget: BodyBudget, group: str) -> None:
        self.is_short = False
        self._budget, self._group, self._size = budget, group, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._budget.give(self._group, self._size)
        self._size = 0

    def take(self, size: int) -> bool:
        """Take so many bytes more; False where there are not so many."""
        if not self._budget.take(self._group, size):
            self.is_short = True
            return False
        self._size += size
        return True
