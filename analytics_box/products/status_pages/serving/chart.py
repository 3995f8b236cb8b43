"""Response times by day as lines in SVG. Days without a figure are gaps. Pure."""

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Final

from msgspec import Struct

from analytics_box.base.texts import StatusPublic, figures
from analytics_box.products.status_pages.seen import ComponentDay

HEIGHT: Final = 40  # of the drawing


class LatencyChart(Struct, frozen=True):
    """Two lines over zero: of the average and, if it is wanted, of the time within which 95 % of checks were answered.
    `words` says what they say."""

    width: int
    average: str
    slow: str
    words: str


def chart(days: Sequence[ComponentDay], *, slow: bool) -> LatencyChart | None:
    """The lines of these days, that of slow checks only where there is room for it; None where nothing is known."""
    averages, slows = [one.average_ms for one in days], [one.p95_ms if slow else None for one in days]
    known = [value for value in (*averages, *slows) if value is not None]
    usual = [value for value in averages if value is not None]
    if not known or len(days) < 2:
        return None
    top = max(*known, 1.0)
    average = sum(usual) / len(usual) if usual else sum(known) / len(known)
    words = StatusPublic.chart.format(
        days=len(days), average=figures.milliseconds(average), top=figures.milliseconds(max(known))
    )
    return LatencyChart(len(days), _line(averages, top), _line(slows, top), words)


def _line(values: Sequence[float | None], top: float) -> str:
    """A path through the middles of the days: for each piece without gaps where it begins, and its steps."""
    said = []
    for is_gap, piece in groupby(enumerate(values), key=lambda pair: pair[1] is None):
        if is_gap:
            continue
        known = list(piece)
        heights = [HEIGHT - round((value or 0.0) / top * HEIGHT) for _, value in known]
        said.append(f"M{known[0][0]}.5 {heights[0]}{_steps(heights)}")
    return "".join(said)


def _steps(heights: Sequence[int]) -> str:
    """From one to the next, in few characters: level ones are one step, and a minus parts numbers by itself."""
    if len(heights) == 1:
        return "h0"
    steps = (after - before for before, after in pairwise(heights))
    said = []
    for step, same in groupby(steps):
        count = len(list(same))
        said += [(count, 0)] if step == 0 else [(1, step)] * count
    return "l" + " ".join(f"{days}{'' if step < 0 else ' '}{step}" for days, step in said)
