"""The days of a component as bars in SVG and in words. Equal days that follow each other are one path. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.products.status_pages.seen import ComponentDay, DayState
from analytics_box.products.status_pages.serving import times

DAY_LABELS = {
    "up": _("no downtime"),
    "degraded": _("degraded"),
    "down": _("downtime"),
    "maintenance": _("maintenance"),
    "unknown": _("no data"),
}
_COUNTED = {
    "up": _("no downtime on {days} day{s}"),
    "degraded": _("degraded on {days} day{s}"),
    "down": _("downtime on {days} day{s}"),
    "maintenance": _("maintenance on {days} day{s}"),
    "unknown": _("no data on {days} day{s}"),
}


HEIGHT: Final = 36  # of the drawing
_MIDDLE: Final = {"unknown": 21}  # of a bar; days without data have lower ones
_USUAL_MIDDLE: Final = 14
_MARK: Final = 33  # below a day that was down, for who does not see colours
_CLASSES: Final[dict[DayState, str]] = {"up": "u", "degraded": "g", "down": "d", "maintenance": "m", "unknown": "n"}

_TOLD: Final = frozenset(("degraded", "down"))  # when someone points at them


class DayRun(Struct, frozen=True):
    """Equal days in a row: the class of their path, the path itself and the same in words."""

    state: DayState
    letter: str
    path: str
    words: str


class Bars(Struct, frozen=True):
    """All days: in `runs`, and as they are drawn. Runs that need no words of their own are one path for each state.
    `marks` is the path below days that were down, `words` sums all up for who does not see the bars."""

    width: int
    runs: tuple[DayRun, ...]
    drawn: tuple[DayRun, ...]
    marks: str
    words: str

    @property
    def noted(self) -> tuple[DayRun, ...]:
        """The days on which something was not as it should be, latest first."""
        return tuple(run for run in reversed(self.runs) if run.state != "up")


def bars(days: Sequence[ComponentDay]) -> Bars | None:
    """The bars of these days; None if there are none."""
    if not days:
        return None
    found, start = [], 0
    for _rest, group in groupby(days, key=_kind):
        equal = list(group)
        found.append(_day_run(equal, start))
        start += len(equal)
    marks = "".join(f"M{at} {_MARK}h1" for at, day in enumerate(days) if day.state == "down")
    return Bars(len(days), tuple(found), tuple(_merge_runs(found)), marks, _sum(days))


def state(one: ComponentDay) -> str:
    """The state of a day in words."""
    return DAY_LABELS[one.state]


def figures_of(one: ComponentDay) -> str:
    """Further figures of a day: uptime and downtime."""
    said = []
    if one.uptime is not None and one.uptime < 100:
        said.append(_("{uptime} uptime").format(uptime=figures.uptime(one.uptime)))
    if one.downtime_seconds:
        said.append(_("{time} down").format(time=figures.duration(one.downtime_seconds)))
    return ", ".join(said)


def _kind(one: ComponentDay) -> tuple[object, ...]:
    return one.state, one.uptime, one.downtime_seconds or 0


def _day_run(equal: list[ComponentDay], start: int) -> DayRun:
    first, last = equal[0], equal[-1]
    words = f"{times.days(first.date, last.date)}: {state(first)}"
    more = figures_of(first)
    if more:
        words += f", {more}"
    middle = _MIDDLE.get(first.state, _USUAL_MIDDLE)
    return DayRun(first.state, _CLASSES[first.state], f"M{start} {middle}h{len(equal)}", words)


def _merge_runs(runs: Sequence[DayRun]) -> Iterator[DayRun]:
    """The paths: long pages are slow to load, and most days have nothing to say."""
    for kind, letter in _CLASSES.items():
        same = [run for run in runs if run.state == kind]
        if kind in _TOLD:
            yield from same
        elif same:
            yield DayRun(kind, letter, "".join(run.path for run in same), "")


def _sum(days: Sequence[ComponentDay]) -> str:
    counted = Counter(one.state for one in days)
    said = [
        _COUNTED[kind].format(days=count, s="" if count == 1 else "s") for kind in _CLASSES if (count := counted[kind])
    ]
    return _("The last {days} days: {counted}.").format(days=len(days), counted="; ".join(said))
