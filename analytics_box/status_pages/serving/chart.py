"""Response times by day as lines in SVG. Days without a figure are gaps. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from analytics_box.status_pages.seen import Day
from analytics_box.texts import StatusPublic, figures

HEIGHT: Final = 60  # of the drawing


class Chart(Struct, frozen=True):
    """Two lines over zero: of the average and of the time within which 95 % of checks were answered. `words` says what
    they say."""

    width: int
    average: str
    slow: str
    words: str


def chart(days: Sequence[Day]) -> Chart | None:
    """The lines of these days; None where no response time is known."""
    averages, slows = [one.average_ms for one in days], [one.p95_ms for one in days]
    known = [value for value in (*averages, *slows) if value is not None]
    usual = [value for value in averages if value is not None]
    if not known or len(days) < 2:
        return None
    top = max(*known, 1.0)
    average = sum(usual) / len(usual) if usual else sum(known) / len(known)
    words = StatusPublic.chart.format(
        days=len(days), average=figures.milliseconds(average), top=figures.milliseconds(max(known))
    )
    return Chart(len(days), _line(averages, top), _line(slows, top), words)


def _line(values: Sequence[float | None], top: float) -> str:
    """A path through the middles of the days, in steps from one to the next, which are short to write."""
    said: list[str] = []
    before: int | None = None
    for day, value in enumerate(values):
        if value is None:
            before = None
            continue
        y = HEIGHT - round(value / top * HEIGHT)
        if before is None:
            lonely = day + 1 == len(values) or values[day + 1] is None
            said.append(f"M{day}.5 {y}h0" if lonely else f"M{day}.5 {y}l")
        else:
            said.append(f"{'' if said[-1].endswith('l') else ' '}1{_after(y - before)}")
        before = y
    return "".join(said)


def _after(step: int) -> str:
    """A number behind another one: a minus parts them already."""
    return str(step) if step < 0 else f" {step}"
