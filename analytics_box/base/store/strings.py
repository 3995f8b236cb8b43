"""Interning: a string that repeats is stored once in events.db and is in the facts as a number.

The table is the truth; here is a memory of its busiest part, bounded in bytes. It is used by the writer thread alone,
and forgets what a rolled-back savepoint had taught it.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import apsw

from analytics_box.base.store import text_numbers
from analytics_box.base.store.budgets import Meter

EMPTY = 0  # the number of the empty string, written by the first migration, and of a combination of nothing else
OTHER = "(other)"  # what stands for new strings of a website that has used up its budget
CAPACITY = 100_000
MOST_BYTES = 12 << 20
LONGEST = 256  # characters; longer strings hardly repeat, and are looked up each time
_ENTRY = 200  # bytes that an entry takes besides its text: about, and rather more


class Combination(NamedTuple):
    """Strings that come together in the same few combinations: the table that has these, with one column for each of
    the strings, and the column that is in the facts instead of them. A new combination over budget keeps its parts
    but for those that it `folds`; those in `closed` have few values, and are never folded."""

    table: str
    column: str
    parts: tuple[str, ...]
    folds: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()


class Strings:
    """Numbers of strings and of their combinations, for the writer thread.

    At most `capacity` of them and about `most_bytes` are remembered, in two halves: once those asked for recently, the
    `recent` ones, are many, they become the older ones, and what was older is forgotten. So nothing is moved when a
    number is found, and callers in a hurry can look into `recent` before asking. What may be folded is counted on
    the `meter`, which the writer chooses (`charge`). `numbered` ones have numbers that are the same on other machines.
    """

    def __init__(self, capacity: int = CAPACITY, most_bytes: int = MOST_BYTES, *, numbered: bool = False) -> None:
        self._meter: Meter | None = None
        self._new_meter: Callable[[], Meter | None] | None = None
        self._numbered = numbered
        self.recent: dict[str | tuple[str, ...], int] = {}
        self._older: dict[str | tuple[str, ...], int] = {}
        self._learned: list[str | tuple[str, ...]] = []
        self._capacity, self._most_bytes = capacity, most_bytes
        self._bytes = 0  # of the recent ones

    def charge(self, new_meter: Callable[[], Meter | None]) -> None:
        """Count what is new on this meter from now on. It is created when the first new text comes, as few do."""
        self._meter, self._new_meter = None, new_meter

    @property
    def meter(self) -> Meter | None:
        """The meter of the current request, if it has one."""
        if self._new_meter is not None:
            self._meter, self._new_meter = self._new_meter(), None
        return self._meter

    def take_folded(self) -> bool:
        """Return whether anything was folded since the last call."""
        return self._meter is not None and self._meter.take_folded()

    def number(self, db: apsw.Connection, text: str) -> int:
        """The number of this string; a new string gets one inside the current transaction, whatever the budget."""
        if not text:
            return EMPTY
        return self._known(text) or self._looked_up(db, text) or self._new(db, text)

    def folded(self, db: apsw.Connection, text: str) -> int:
        """The number of this string, or that of "(other)" for a new one that the meter does not take."""
        if not text:
            return EMPTY
        known = self._known(text) or self._looked_up(db, text)
        if known is not None:
            return known
        meter = self.meter
        if meter is None or meter.takes_text(text):
            return self._new(db, text)
        return self.number(db, OTHER)

    def named(self, db: apsw.Connection, text: str) -> int:
        """The number of what names someone or a session: EMPTY for a new one that the meter does not take, because
        all of them must not become one."""
        if not text:
            return EMPTY
        number = self.folded(db, text)
        return EMPTY if number == self._known(OTHER) and text != OTHER else number

    def together(self, db: apsw.Connection, combination: Combination, texts: tuple[str, ...]) -> int:
        """The number of these strings as one of the combinations; a new one gets one inside the current transaction.

        One that the meter does not take is folded as it says.
        """
        key = (combination.table, *texts)
        known = self._known(key)
        if known is not None:
            return known
        parts, found = self._parts(db, combination, texts)
        if found is None and (meter := self.meter) is not None and not meter.takes_row():
            named = zip(combination.parts, texts, strict=True)
            texts = tuple([OTHER if text and name in combination.folds else text for name, text in named])
            parts, found = self._parts(db, combination, texts)
        if found is None:
            names, places = ", ".join(combination.parts), ", ".join("?" * len(parts))
            db.execute(f"-- strings.together\ninsert into {combination.table} ({names}) values ({places})", parts)
            found = db.last_insert_rowid()
        if OTHER in key or self._known(OTHER) not in parts:  # what is folded now need not be in an hour
            self._remember(key, found)
        return found

    def forget(self, texts: set[str]) -> None:
        """Forget strings that were removed from their table, with the combinations that have them; should they come
        again, they
        get other numbers.
        """
        for key in (*self.recent, *self._older):
            if key in texts if isinstance(key, str) else not texts.isdisjoint(key[1:]):
                self._drop(key)

    def forget_together(self, table: str, numbers: set[int]) -> None:
        """Forget combinations of that table."""
        for key, number in (*self.recent.items(), *self._older.items()):
            if isinstance(key, tuple) and key[0] == table and number in numbers:
                self._drop(key)

    def mark(self) -> int:
        return len(self._learned)

    def undo(self, mark: int) -> None:
        for key in self._learned[mark:]:
            self._drop(key)
        del self._learned[mark:]

    def committed(self) -> None:
        self._learned.clear()
        if 2 * len(self.recent) >= self._capacity or 2 * self._bytes >= self._most_bytes:
            self._older, self.recent, self._bytes = self.recent, {}, 0

    def __len__(self) -> int:
        return len(self.recent) + len(self._older)

    def _known(self, key: str | tuple[str, ...]) -> int | None:
        number = self.recent.get(key)
        if number is None:
            number = self._older.pop(key, None)
            if number is not None:
                self._add(key, number)
        return number

    def _looked_up(self, db: apsw.Connection, text: str) -> int | None:
        """The number that this string has in the table."""
        found = db.execute("-- strings.number\nselect id from strings where value = ?", (text,)).fetchone()
        if found is None:
            return None
        number = int(found[0])
        self._remember(text, number)
        return number

    def _new(self, db: apsw.Connection, text: str) -> int:
        db.execute("-- strings.number\ninsert into strings (value) values (?)", (text,))
        number = db.last_insert_rowid()
        if self._numbered:
            text_numbers.note(db, number, text)
        self._remember(text, number)
        return number

    def _parts(
        self, db: apsw.Connection, combination: Combination, texts: tuple[str, ...]
    ) -> tuple[tuple[int, ...], int | None]:
        """The numbers of these strings, and that of their combination if there is one."""
        parts = tuple(
            [
                self.number(db, text) if name in combination.closed else self.folded(db, text)
                for name, text in zip(combination.parts, texts, strict=True)
            ]
        )
        names, places = ", ".join(combination.parts), ", ".join("?" * len(parts))
        found = db.execute(
            f"-- strings.together\nselect id from {combination.table} where ({names}) = ({places})", parts
        ).fetchone()
        return parts, int(found[0]) if found is not None else None

    def _remember(self, key: str | tuple[str, ...], number: int) -> None:
        if len(key) <= LONGEST and self._known(key) is None:
            self._add(key, number)
            self._learned.append(key)

    def _add(self, key: str | tuple[str, ...], number: int) -> None:
        self.recent[key] = number
        self._bytes += _weight(key)

    def _drop(self, key: str | tuple[str, ...]) -> None:
        self._older.pop(key, None)
        if self.recent.pop(key, None) is not None:
            self._bytes -= _weight(key)


def _weight(key: str | tuple[str, ...]) -> int:
    """About how many bytes an entry takes."""
    return _ENTRY + (sys.getsizeof(key) if isinstance(key, str) else sum(map(sys.getsizeof, key)))
