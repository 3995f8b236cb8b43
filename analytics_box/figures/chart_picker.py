"""Options for the chart of a page of figures: other steps, a second measure. Pure."""

from msgspec import Struct

from analytics_box.base.translation import _
from analytics_box.figures.periods import STEP_LABELS, Step, possible, usual
from analytics_box.figures.range_picker import PresetChoice
from analytics_box.figures.view import View
from analytics_box.query.ranges import DayRange


class ChartChoices(Struct, frozen=True):
    """The steps that fit the range, the drawn ones selected; and the measures that can stand next to the drawn one.

    `label` is what is drawn, `second` what is next to it, with the anchor of its definition; empty without one.
    """

    steps: tuple[PresetChoice, ...]
    besides: tuple[PresetChoice, ...]
    beside: str  # what the menu of these is called
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
