"""Entries as JSON, piece by piece: no list of rows is encoded whole, and an answer that is shared is encoded once."""

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from analytics_box.base.errors import OverBudget
from analytics_box.query.budget import AnswerBudget, NeedsMore
from analytics_box.query.catalog.types import Record
from analytics_box.query.run import ParameterAnswer

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
    """Encodes the entries of one request, as many bytes as its budget has now."""

    def __init__(self, budget: AnswerBudget) -> None:
        self._budget = budget
        self._bytes = 0
        self._known: dict[int, tuple[list[Record], bytes]] = {}  # by the identity of the list, which stays

    def of_queries(self, answers: list[list[ParameterAnswer]]) -> list[list[EncodedEntry]]:
        """The entries of each query, failed ones last. Rows are let go as soon as they are encoded.

        Raises NeedsMore; once the budget has grown, the same call goes on with what is encoded already.
        """
        self._bytes = 0
        return [sorted(map(self._entry, entries), key=lambda entry: not entry.success) for entries in answers]

    def _entry(self, entry: ParameterAnswer) -> EncodedEntry:
        before = self._bytes
        try:
            data = self._rows(entry.data)
            compared = entry.comparison
            comparison = (
                UNSET
                if compared is UNSET
                else EncodedComparison(compared.startDate, compared.endDate, Raw(self._rows(compared.data)))
            )
        except NeedsMore:
            raise
        except OverBudget as much:
            self._bytes = before
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
        self._bytes += len(found)
        self._budget.check(self._bytes)
        return found

    def _encoded(self, rows: list[Record]) -> bytes:
        pieces, size = [], self._bytes
        for first in range(0, len(rows), _PIECE):
            pieces.append(msgspec.json.encode(rows[first : first + _PIECE])[1:-1])
            size += len(pieces[-1])
            self._budget.check(size)
        return b"[%b]" % b",".join(pieces)
