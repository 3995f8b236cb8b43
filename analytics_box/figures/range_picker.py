"""The range of a page of figures in words, and what else can be chosen. Pure."""

from datetime import date

from msgspec import Struct

from analytics_box.figures.periods import SO_FAR, Step, period_text, usual
from analytics_box.figures.spans import NAMED, RANGE_LABELS
from analytics_box.figures.view import View
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import Formats

KEYS = {"today": "d", "last_7d": "w", "last_30d": "m", "this_year": "y", "all": "a"}


class PresetChoice(Struct, frozen=True):
    """Something that can be chosen, with the key that chooses it, if any."""

    name: str
    label: str
    href: str
    key: str = ""
    selected: bool = False


class RangeShown(Struct, frozen=True):
    """The chosen range in words: its name, its dates, and what in it is not over. `first`, `last` and
    `today` are ISO dates, as fields of forms speak."""

    label: str
    dates: str
    unfinished: str
    first: str
    last: str
    today: str
    choices: tuple[PresetChoice, ...]


def range_shown(view: View, days: DayRange, today: date, formats: Formats, step: Step | None = None) -> RangeShown:
    """The range picker's words. `today` is the local day of the page's zone; the chart is drawn in this `step`."""
    return RangeShown(
        label=RANGE_LABELS.get(view.range) or period_text(days, formats),
        dates=period_text(days, formats),
        unfinished=SO_FAR[step or usual(days)] if days.first <= today <= days.last else "",
        first=days.first.isoformat(),
        last=days.last.isoformat(),
        today=today.isoformat(),
        choices=tuple(
            PresetChoice(
                name=name,
                label=RANGE_LABELS[name],
                href=view.of_range(name).link(),
                key=KEYS.get(name, ""),
                selected=view.range == name,
            )
            for name in NAMED
        ),
    )
