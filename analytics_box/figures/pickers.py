"""Choices on a page of figures: range, comparison, steps and measures of the chart, colours. Pure."""

from datetime import date
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.comparing import ComparedDays, Comparison, How
from analytics_box.figures.converting import CONVERSIONS, RATE
from analytics_box.figures.periods import SO_FAR, STEP_LABELS, Step, period_text, possible, usual
from analytics_box.figures.shading import Shader, Shading
from analytics_box.figures.spans import NAMED, RANGE_LABELS
from analytics_box.figures.view import View
from analytics_box.query.ranges import DayRange
from analytics_box.web.page.dates import Formats, day_text

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


class ChartChoices(Struct, frozen=True):
    """The steps that fit the range, the drawn ones selected; and the measures that can stand next to the drawn one.

    `label` is what is drawn, `second` what is next to it, with the anchor of its definition; empty without one.
    """

    steps: tuple[PresetChoice, ...]
    besides: tuple[PresetChoice, ...]
    beside: str  # the label of their menu
    label: str
    second: str = ""
    second_anchor: str = ""


def chart_choices(view: View, days: DayRange, step: Step, theirs: int = 0) -> ChartChoices:
    """The options in the head of a chart. `theirs` is the number of days that the range is compared with."""
    fitting = usual(days, theirs)
    names = view.of.about(view.plain).names
    others = tuple(name for name in view.charted if name != view.metric)
    return ChartChoices(
        steps=tuple(
            PresetChoice(one, STEP_LABELS[one], view.link(by="" if one == fitting else one), selected=one == step)
            for one in possible(days, theirs)
        ),
        besides=tuple(
            PresetChoice(name or "none", names[name] if name else _("Nothing"), view.link(beside=name), selected=one)
            for name, one in ((name, name == view.beside) for name in ("", *others))
        ),
        beside=_("With {metric}").format(metric=names[view.beside]) if view.beside else _("Add a measure"),
        label=names[view.metric],
        second=names[view.beside] if view.beside else "",
        second_anchor=view.of.words.anchors[view.beside] if view.beside else "",
    )


VISITORS = "visitors"


def shading_of(view: View, counted: str = VISITORS) -> Shading:
    """Colour shows what is counted, unless the address says another figure of the goal that is chosen."""
    names = view.of.about(view.plain).names
    said = [Shader(counted, names.get(counted, ""), href=view.link(shade=""))]  # no name: the page counts no visitors
    if view.aim is not None:
        said.append(Shader(CONVERSIONS, names[CONVERSIONS], href=view.link(shade=CONVERSIONS)))
        said.append(Shader(RATE, names[RATE], "percent", view.link(shade=RATE)))
    return Shading(next((one for one in said if one.field == view.shade), said[0]), tuple(said))
