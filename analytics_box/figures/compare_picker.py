"""The comparison of a range in words, and its alternatives. Pure."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.comparing import ComparedDays, Comparison, How
from analytics_box.figures.periods import period_text
from analytics_box.figures.range_picker import PresetChoice
from analytics_box.figures.view import View
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import Formats, day_text

_BUTTON = {
    "previous": _("vs. previous period"),
    "year": _("vs. previous year"),
    "own": _("vs. custom range"),
    "off": "",
}
_CHOICES = {"previous": _("Previous period"), "year": _("Previous year"), "off": _("No comparison")}


CHOICES: Final[tuple[How, ...]] = ("previous", "year", "off")


class ComparisonShown(Struct, frozen=True):
    """The comparison in words: its name, its dates, empty without one, and what is to be known of them.

    `so_far` says that it counts only up to the same time of day. `first` and `last` are ISO dates.
    """

    label: str
    dates: str
    note: str
    so_far: str
    choices: tuple[PresetChoice, ...]
    weekdays: PresetChoice | None
    first: str
    last: str


def comparison_shown(
    view: View, days: DayRange, compared: ComparedDays | None, formats: Formats, *, so_far: bool = False
) -> ComparisonShown:
    """The words of the menu and of the legend. `so_far`: the range is not over."""
    theirs = compared.days if compared is not None else days.previous()
    return ComparisonShown(
        label=_BUTTON[view.compare.how] if compared is not None else "",
        dates=period_text(theirs, formats) if compared is not None and not compared.nothing else "",
        note=_note(compared, formats),
        so_far=_("compared with the same time of day")
        if so_far and compared is not None and compared.begun is None
        else "",
        choices=tuple(_choice(view, how) for how in CHOICES),
        weekdays=_weekdays(view),
        first=theirs.first.isoformat(),
        last=theirs.last.isoformat(),
    )


def _note(compared: ComparedDays | None, formats: Formats) -> str:
    if compared is None:
        return ""
    if compared.begun is not None:
        return _("No data before {day}").format(day=day_text(compared.begun, formats.date))
    if compared.fair:
        return ""
    return _("{theirs} days versus {ours}, so counts are not compared").format(
        theirs=figures.count(compared.days.length), ours=figures.count(compared.length)
    )


def _weekdays(view: View) -> PresetChoice | None:
    """The switch that matches days of the week; None for comparisons whose days do not move."""
    if view.compare.how not in {"previous", "year"}:
        return None
    return PresetChoice(
        name="weekdays",
        label=_("Match day of week"),
        href=view.link(compare=replace(view.compare, weekdays=not view.compare.weekdays)),
        selected=view.compare.weekdays,
    )


def _choice(view: View, how: How) -> PresetChoice:
    """The key is that of the choice which switches the comparison off, or on again."""
    switches = "previous" if view.compare.how == "off" else "off"
    return PresetChoice(
        name=how,
        label=_CHOICES[how],
        href=view.link(compare=Comparison(how, view.compare.weekdays and how != "off")),
        key="c" if how == switches else "",
        selected=view.compare.how == how,
    )
