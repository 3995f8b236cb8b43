"""Interning: a string that repeats is stored once in events.db and stands in the facts as a number.

The table is the truth; here is a bounded memory of its busiest part. It is used by the writer thread alone, and
forgets what a rolled-back savepoint had taught it.
"""

from collections import OrderedDict
from typing import NamedTuple

import apsw

EMPTY = 0  # the number of the empty string, written by the first migration, and of a combination of nothing else


class Combination(NamedTuple):
    """Strings that come together in the same few combinations: the table that has these, with one column for each of
    the strings, and the column that stands in the facts instead of them."""

    table: str
    column: str
    parts: tuple[str, ...]


class Strings:
    """Numbers of strings and of their combinations, for the writer thread. At most `capacity` are remembered."""

    def __init__(self, capacity: int = 100_000) -> None:
        self._numbers: OrderedDict[str | tuple[str, ...], int] = OrderedDict()
        self._learned: list[str | tuple[str, ...]] = []
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

    def together(self, db: apsw.Connection, combination: Combination, texts: tuple[str, ...]) -> int:
        """The number of these strings as one of the combinations; a new one gets one inside the current transaction."""
        key = (combination.table, *texts)
        known = self._numbers.get(key)
        if known is not None:
            self._numbers.move_to_end(key)
            return known
        parts = tuple([self.number(db, text) for text in texts])
        names, places = ", ".join(combination.parts), ", ".join("?" * len(parts))
        found = db.execute(
            f"-- strings.together\nselect id from {combination.table} where ({names}) = ({places})", parts
        ).fetchone()
        if found is None:
            db.execute(f"-- strings.together\ninsert into {combination.table} ({names}) values ({places})", parts)
            number = db.last_insert_rowid()
        else:
            number = int(found[0])
        self._numbers[key] = number
        self._learned.append(key)
        return number

    def forget(self, texts: set[str]) -> None:
        """These strings were removed from their table, with the combinations that have them; should they come again,
        they get other numbers."""
        for key in list(self._numbers):
            if key in texts if isinstance(key, str) else not texts.isdisjoint(key[1:]):
                del self._numbers[key]

    def forget_together(self, table: str, numbers: set[int]) -> None:
        """The same for combinations of that table."""
        for key, number in list(self._numbers.items()):
            if isinstance(key, tuple) and key[0] == table and number in numbers:
                del self._numbers[key]

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
