"""The range of a page of figures in words, and what else can be chosen. Pure."""

from datetime import date

from msgspec import Struct

from analytics_box import texts
from analytics_box.dashboard.periods import period_text
from analytics_box.dashboard.view import View
from analytics_box.http.page.dates import Formats
from analytics_box.query.ranges import PRESETS, Days
from analytics_box.texts import Ranges

KEYS = {"today": "d", "last_7d": "w", "last_30d": "m", "this_year": "y"}


class Choice(Struct, frozen=True):
    """A preset in the range picker, with the key that chooses it, if any."""

    name: str
    label: str
    href: str
    key: str
    selected: bool


class RangeShown(Struct, frozen=True):
    """The chosen range in words: its name, its dates, the dates it is compared with, and what in it is not over."""

    label: str
    dates: str
    before: str
    unfinished: str
    first: str
    last: str
    choices: tuple[Choice, ...]


def range_shown(view: View, days: Days, today: date, formats: Formats) -> RangeShown:
    """The range picker's words. `today` is the local day of the page's zone."""
    return RangeShown(
        label=Ranges.names.get(view.range) or period_text(days, formats),
        dates=period_text(days, formats),
        before=period_text(days.previous(), formats),
        unfinished=_unfinished(days, today),
        first=days.first.isoformat(),
        last=days.last.isoformat(),
        choices=tuple(
            Choice(
                name=preset,
                label=Ranges.names[preset],
                href=view.link(range=preset, first=None, last=None),
                key=KEYS.get(preset, ""),
                selected=view.range == preset,
            )
            for preset in PRESETS
        ),
    )


def _unfinished(days: Days, today: date) -> str:
    if not days.first <= today <= days.last:
        return ""
    return texts.Overview.unfinished_hour if days.length == 1 else texts.Overview.unfinished_day
