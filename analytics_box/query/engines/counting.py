"""Rows as they are read: their bytes are counted before the next ones are fetched."""

from collections.abc import Callable, Iterable
from sys import getsizeof
from typing import Any

Row = tuple[Any, ...]
Take = Callable[[int], None]  # is told bytes; raises when there are too many

PIECE = 64 << 10  # bytes that are counted at once
# What is in the place of a part of JSON, once it is decoded: a list, a number or a key with its share of an object.
_BYTES_OF_A_PART = 48


def no_limit(_size: int) -> None:
    """Accept any number of bytes."""


def collect_rows(rows: Iterable[Row], take: Take, json_at: int = -1) -> list[Row]:
    """All rows. `take` is told the bytes of their values, about what they take in an answer, and what it raises ends
    the reading. `json_at` is the place of a value that is JSON, which takes more when it is decoded."""
    found: list[Row] = []
    waiting = 0
    try:
        for row in rows:
            waiting += sum(map(getsizeof, row))
            if json_at >= 0 and row[json_at]:
                waiting += _BYTES_OF_A_PART * sum(map(row[json_at].count, ",[{"))
            if waiting >= PIECE:
                take(waiting)
                waiting = 0
            found.append(row)
        take(waiting)
    except BaseException:
        found.clear()  # the traceback would keep them
        raise
    return found


def json_place(names: tuple[str, ...]) -> int:
    """The index of the JSON value among a plan's names; -1 if there is none."""
    return names.index("properties") if "properties" in names else -1
