"""Texts of what pages of figures compare, of their steps, and of what their address asks for in vain."""

from collections.abc import Mapping
from typing import ClassVar


class Comparing:
    """The comparison of a range."""

    menu = "Compare with"
    button: ClassVar[Mapping[str, str]] = {
        "previous": "Previous period",
        "year": "Year before",
        "own": "Own dates",
        "off": "",
    }
    choices: ClassVar[Mapping[str, str]] = {
        "previous": "Previous period",
        "year": "The year before",
        "off": "Nothing",
    }
    own = "Own dates to compare with"
    own_first = "First day to compare with"
    own_last = "Last day to compare with"
    apply = "Compare"
    so_far = "figures compared up to the same time of day"
    no_data = "No data before {day}"
    no_data_tile = "no data before {day}"
    other_length = "{theirs} days against {ours}: counts are not set against each other"


class Steps:
    """The width of the points of a chart."""

    label = "Points of the chart"
    names: ClassVar[Mapping[str, str]] = {"hour": "Hours", "day": "Days", "week": "Weeks", "month": "Months"}
    so_far: ClassVar[Mapping[str, str]] = {
        "hour": "this hour so far",
        "day": "today so far",
        "week": "this week so far",
        "month": "this month so far",
    }
    cut = "{there} of {whole} days"
    cut_key: ClassVar[Mapping[str, str]] = {"week": "part of a week", "month": "part of a month"}


class SecondMeasureTexts:
    """A second measure in the same chart."""

    menu = "Beside it"
    none = "Nothing"
    none_button = "Add a measure"
    button = "With {metric}"
    key = "{metric}, right axis"


class Unread:
    """Remarks on an address with invalid values."""

    dates = "These dates cannot be shown: {dates}. Shown instead: {range}."
    no_dates = "Own dates need a first and a last day. Shown instead: {range}."
    range = "There is no range called “{name}”. Shown instead: {range}."
    long = "A range has at most {most} days. These are the last of yours."
    compare = "There is no comparison called “{name}”. This is the previous period."
    compare_dates = "These dates cannot be compared with: {dates}. This is the previous period."
    step = "There are no points called “{name}”. These fit the range."
    step_here = "{wanted} cannot be drawn for {days} days. These are {steps}."
    metric = "There is no figure called “{name}” here. The chart shows {metric}."
    beside = "There is no figure called “{name}” to show beside it."
    zone = "There is no time zone called “{name}”."


class Calendar:
    """The calendar of own dates; its weeks begin on Sunday."""

    weekdays = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
    previous = "Previous month"
    next = "Next month"
    choose_first = "Choose the first day."
    choose_last = "From {day}. Choose the last day."
    chosen = "From {first} to {last}."
