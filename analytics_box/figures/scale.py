"""Shades for counts on maps and weeks. Pure.

Each shade begins at the same multiple of the previous one, from the least count to the most, because a few countries or
hours often have nearly all visitors.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from analytics_box.base import figures

LEVELS: Final = 5  # from light to dark; 0 is nothing
_TELLING: Final = 1.5  # times the one before
Unit = Literal["count", "percent"]
_STEPS: Final[dict[Unit, int]] = {"count": 1, "percent": 10}  # that a unit is told in: percent with one decimal


class ScaleShade(Struct, frozen=True):
    """A shade and the numbers that it stands for, in words."""

    level: int
    text: str


class Scale(Struct, frozen=True):
    """The lower bounds of the shades, the lightest first, in steps of the unit. If there are fewer, the darkest are
    used.
    """

    bounds: tuple[int, ...]
    most: int
    unit: Unit = "count"

    def level(self, value: float) -> int:
        """The shade of a number: 0 for nothing, LEVELS for the most."""
        above = bisect_right(self.bounds, _steps(value, self.unit))
        return above + LEVELS - len(self.bounds) if above else 0

    @property
    def times(self) -> float | None:
        """The factor between two shades; None if they are as good as even."""
        times = (self.most / self.bounds[0]) ** (1 / LEVELS)
        return float(times) if len(self.bounds) == LEVELS and times >= _TELLING else None

    @property
    def shades(self) -> tuple[ScaleShade, ...]:
        """The legend."""
        lasts = (*(bound - 1 for bound in self.bounds[1:]), self.most)
        first = LEVELS - len(self.bounds) + 1
        spans = zip(self.bounds, lasts, strict=True)
        return tuple(ScaleShade(first + at, _span(*span, self.unit)) for at, span in enumerate(spans))


def scale(values: Sequence[float], unit: Unit = "count") -> Scale | None:
    """The scale of these numbers; None if all are zero."""
    known = [steps for value in values if (steps := _steps(value, unit)) > 0]
    if not known:
        return None
    least, most = min(known), max(known)
    bounds = {round(least * (most / least) ** (step / LEVELS)) for step in range(LEVELS)}
    return Scale(tuple(sorted(bounds)), most, unit)


def bound_text(value: float, unit: Unit) -> str:
    """A number in words."""
    return figures.percent(value) if unit == "percent" else figures.count(value)


def _steps(value: float, unit: Unit) -> int:
    return int(value * _STEPS[unit] + 0.5)


def _span(first: int, last: int, unit: Unit) -> str:
    texts = [bound_text(steps / _STEPS[unit], unit) for steps in (first, last)]
    return "–".join(dict.fromkeys(texts))
