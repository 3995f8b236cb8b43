"""Which days of the column replica are rolled up, as questions found it: kept until one of them is marked anew.

To look takes DuckDB a sixth of the time of a short question, and an overview asks a dozen of them about the same days.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

_MOST: Final = 1_000  # ranges and kinds of roll-ups that are kept


class Found(NamedTuple):
    """Of a range: UTC days without a roll-up of some kind, the keys of spans of days, and whether that kind has ids
    that last."""

    unrolled: frozenset[int]
    spans: frozenset[int]
    has_ids: bool


class RolledDays:
    """What was found, by what was asked. A question may use it if `moment` is the same before it takes what is kept
    and once its statement runs: no day was marked between, so both are of one state of the replica."""

    def __init__(self) -> None:
        self._moment = 0
        self._kept: dict[object, Found] = {}

    @property
    def moment(self) -> int:
        """Another one each time that days are marked; odd while they are."""
        return self._moment

    @contextmanager
    def marking(self) -> Iterator[None]:
        """While the transaction ends that marks days."""
        self._moment += 1
        self._kept = {}  # another one: who still keeps something of before keeps it in the old one
        try:
            yield
        finally:
            self._moment += 1

    def found(self, asked: object) -> Found | None:
        """What is kept of this."""
        return self._kept.get(asked)

    def keep(self, asked: object, found: Found, moment: int) -> None:
        """Keep what was found since this moment, if that is still now."""
        kept = self._kept
        if moment != self._moment or moment % 2:
            return
        if len(kept) >= _MOST:
            kept.clear()
        kept[asked] = found
