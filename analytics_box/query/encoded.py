"""Entries as JSON, piece by piece: no list of rows is encoded whole, and an answer that is shared is encoded once."""

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from analytics_box.errors import OverBudget
from analytics_box.query.budget import Budget
from analytics_box.query.catalog.types import Record
from analytics_box.query.run import Entry

_PIECE = 100  # rows that are encoded at once


class EncodedComparison(Struct, frozen=True):
    """See run.Compared; the rows are JSON."""

    startDate: str
    endDate: str
    data: Raw


class EncodedEntry(Struct, frozen=True):
    """See run.Entry; the rows are JSON."""

    parameter: str
    success: bool
    data: Raw
    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    ignoredFilters: tuple[str, ...] | UnsetType = UNSET
    comparison: EncodedComparison | UnsetType = UNSET


_NOTHING = Raw(b"[]")


class Encoding:
    """Encodes the entries of one request, as many bytes as its budget has."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._left = budget.allowed.bytes
        self._known: dict[int, tuple[list[Record], bytes]] = {}  # by the identity of the list, which stays

    def of_queries(self, answers: list[list[Entry]]) -> list[list[EncodedEntry]]:
        """The entries of each query, failed ones last. Rows are let go as soon as they are encoded."""
        return [sorted(map(self._entry, entries), key=lambda entry: not entry.success) for entries in answers]

    def _entry(self, entry: Entry) -> EncodedEntry:
        before = self._left
        try:
            data = self._rows(entry.data)
            compared = entry.comparison
            comparison = (
                UNSET
                if compared is UNSET
                else EncodedComparison(compared.startDate, compared.endDate, Raw(self._rows(compared.data)))
            )
        except OverBudget as much:
            self._left = before
            return EncodedEntry(entry.parameter, success=False, data=_NOTHING, error=much.message, code=much.code)
        return EncodedEntry(
            entry.parameter, entry.success, Raw(data), entry.error, entry.code, entry.ignoredFilters, comparison
        )

    def _rows(self, rows: list[Record]) -> bytes:
        """Rows as JSON; the list is empty then. Raises OverBudget."""
        if id(rows) not in self._known:
            self._known[id(rows)] = rows, self._encoded(rows)
            rows.clear()
        _, found = self._known[id(rows)]
        self._left -= len(found)
        if self._left < 0:
            raise OverBudget(self._budget.refusal)
        return found

    def _encoded(self, rows: list[Record]) -> bytes:
        pieces, left = [], self._left
        for first in range(0, len(rows), _PIECE):
            pieces.append(msgspec.json.encode(rows[first : first + _PIECE])[1:-1])
            left -= len(pieces[-1])
            if left < 0:
                raise OverBudget(self._budget.refusal)
        return b"[%b]" % b",".join(pieces)
