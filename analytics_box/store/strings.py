"""Interning: a string that repeats is stored once in events.db and stands in the facts as a number.

The table is the truth; here is a bounded memory of its busiest part. It is used by the writer thread alone, and
forgets what a rolled-back savepoint had taught it.
"""

from collections import OrderedDict

import apsw

EMPTY = 0  # the number of the empty string, written by the first migration


class Strings:
    """Numbers of strings, for the writer thread. At most `capacity` strings are remembered."""

    def __init__(self, capacity: int = 100_000) -> None:
        self._numbers: OrderedDict[str, int] = OrderedDict()
        self._learned: list[str] = []
        self._capacity = capacity

    def number(self, db: apsw.Connection, text: str) -> int:
        """The number of this string; a new string gets one inside the current transaction."""
        if not text:
            return EMPTY
        known = self._numbers.get(text)
        if known is not None:
            self._numbers.move_to_end(text)
            return known
        found = db.execute("-- strings.number\nselect id from strings where value = ?", (text,)).fetchone()
        if found is None:
            db.execute("-- strings.number\ninsert into strings (value) values (?)", (text,))
            number = db.last_insert_rowid()
        else:
            number = int(found[0])
        self._numbers[text] = number
        self._learned.append(text)
        return number

    def forget(self, text: str) -> None:
        """A string was removed from the table; should it come again, it gets another number."""
        self._numbers.pop(text, None)

    def mark(self) -> int:
        return len(self._learned)

    def undo(self, mark: int) -> None:
        for text in self._learned[mark:]:
            self._numbers.pop(text, None)
        del self._learned[mark:]

    def committed(self) -> None:
        self._learned.clear()
        while len(self._numbers) > self._capacity:
            self._numbers.popitem(last=False)

    def __len__(self) -> int:
        return len(self._numbers)
