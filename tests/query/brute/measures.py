"""What is measured of a group of facts."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from math import floor
from typing import Any

from tests.query.brute.facts import EXIT, VIEW, Rows

Measure = Callable[[Rows], Any]


def views(rows: Rows) -> int:
    return sum(row["kind"] == VIEW for row in rows)


def visitors(rows: Rows) -> int:
    return len({row["visitor"] for row in rows if row["visitor"] and row.get("kind") != EXIT})


def people(rows: Rows) -> int:
    return len({row["visitor"] for row in rows if row["visitor"]})


def visited(rows: Rows) -> int:
    """Those of them who saw a page or did something in the range (semantics 13)."""
    return len({row["visitor"] for row in rows if row["visited"]})


def begun(rows: Rows) -> int:
    """Sessions that there are: what a measurement announces may never begin."""
    return len({row["session"] for row in rows if row["begun"]})


def sessions(rows: Rows) -> int:
    return len({row["session"] for row in rows if row["session"]})


def distinct(name: str) -> Measure:
    return lambda rows: len({row[name] for row in rows})


def share(part: float | Fraction, whole: float, of: int = 100) -> float:
    return half_up(Fraction(of * part) / Fraction(whole)) if whole else 0.0


def instant(at: int) -> str:
    return f"{datetime.fromtimestamp(at // 1000, UTC):%Y-%m-%d %H:%M:%S}.{at % 1000:03d}"


def first(rows: Rows) -> str:
    return instant(min(row["time"] for row in rows))


def last(rows: Rows) -> str:
    return instant(max(row["time"] for row in rows))


def exact(value: float) -> Fraction:
    """The decimal number that a measurement is written as."""
    return Fraction(repr(value))


def rank(values: Iterable[float], percent: int) -> Fraction | None:
    """Linear between ranks (semantics 22)."""
    ordered = [exact(value) for value in values]
    return between(ordered, percent) if ordered else None


def between(values: Iterable[Fraction], percent: int) -> Fraction:
    """Linear between ranks, of exact numbers."""
    ordered = sorted(values)
    place = Fraction((len(ordered) - 1) * percent, 100)
    low = floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def mean(values: Sequence[float]) -> Fraction | None:
    return sum(map(exact, values)) / Fraction(len(values)) if values else None


def half_up(value: Fraction, digits: int = 2) -> float:
    scale: int = 10**digits
    return floor(value * scale + Fraction(1, 2)) / scale


def rounded(value: Fraction | None, digits: int = 2) -> float | None:
    return None if value is None else half_up(value, digits)


def median(values: Iterable[float]) -> float | None:
    return rounded(rank(values, 50))
