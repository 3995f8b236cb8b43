"""Room that is shared out by groups in turn, so that one group alone cannot take all of it. Pure."""

from collections import Counter, OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """At most `most` have room at once, and `per_group` of one group; others wait, and groups come in turn.

    While half of the room is free and nobody else waits, a group may have more than its share.
    """

    def __init__(self, most: int, per_group: int) -> None:
        self._most, self._per_group = most, per_group
        self._inside: Counter[str] = Counter()
        self._waiting: dict[str, deque[T]] = {}
        self._turns: OrderedDict[str, None] = OrderedDict()  # groups of which one waits that may come in
        self._beyond: OrderedDict[str, None] = OrderedDict()  # groups of which one waits, and that have their share
        self.inside = 0

    def __bool__(self) -> bool:
        """Whether anything is inside or waits."""
        return bool(self.inside or self._waiting)

    def add(self, group: str, one: T) -> None:
        """Let it wait from now on."""
        self._waiting.setdefault(group, deque()).append(one)
        self._stand_in_line(group)

    def next(self) -> tuple[str, T] | None:
        """The next to be admitted, with its group; None if none waits, or there is no room."""
        may_be_more = 2 * self.inside < self._most
        turns = self._turns or (self._beyond if may_be_more else None)
        if not turns or self.inside >= self._most:
            return None
        group, _ = turns.popitem(last=False)
        waiting = self._waiting[group]
        one = waiting.popleft()
        if not waiting:
            del self._waiting[group]
        self.inside += 1
        self._inside[group] += 1
        self._stand_in_line(group)
        return group, one

    def leave(self, group: str) -> None:
        """Free the place of an admitted member of this group."""
        self.inside -= 1
        self._inside[group] -= 1
        if not self._inside[group]:
            del self._inside[group]
        self._stand_in_line(group)

    def waits(self, group: str) -> bool:
        """Whether anything of this group waits."""
        return group in self._waiting

    @property
    def waiting(self) -> list[str]:
        """The groups of which something waits."""
        return list(self._waiting)

    def clear(self) -> None:
        """Discard all that wait."""
        self._waiting.clear()
        self._turns.clear()
        self._beyond.clear()

    def _stand_in_line(self, group: str) -> None:
        if group not in self._waiting:
            return
        if self._inside[group] < self._per_group:
            self._beyond.pop(group, None)
            self._turns.setdefault(group, None)
        else:
            self._beyond.setdefault(group, None)
