"""Series: a row for each day or hour, oldest first, also for those in which nothing was (semantics 3 and 4)."""

from collections.abc import Callable, Iterable

from tests.query import calendars
from tests.query.brute.facts import Question, Row, Rows


def by_slot(rows: Iterable[Row], asked: Question, fields: Callable[[Rows], Row]) -> list[Row]:
    """What `fields` make of the rows of each slot, with its label."""
    return [{"date": slot.label, **fields(own)} for slot, own in slots(rows, asked)]


def slots(rows: Iterable[Row], asked: Question) -> list[tuple[calendars.Slot, list[Row]]]:
    """The slots of a question with the rows that fall into them, by their time."""
    made: list[tuple[calendars.Slot, list[Row]]] = [(slot, []) for slot in asked.slots]
    for row in rows:
        made[calendars.slot_of(row["time"], asked.slots)][1].append(row)
    return made
