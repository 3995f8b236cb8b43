"""Breakdowns of funnels and retention: what a session keeps from its start, and the links that choose one."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.view import View

# Dimensions of sessions by their labels; the first is the usual one.
BREAKDOWNS: Final[Mapping[str, str]] = {
    "source": _("Source"),
    "channel": _("Channel"),
    "utm_campaign": _("Campaign"),
    "entry": _("Entry page"),
    "country": _("Country"),
    "city": _("City"),
    "device": _("Device"),
    "browser": _("Browser"),
    "system": _("Operating system"),
    "language": _("Language"),
}
USUAL_BREAKDOWN: Final = next(iter(BREAKDOWNS))


class BreakdownChoice(Struct, frozen=True):
    """A breakdown to choose."""

    label: str
    href: str
    selected: bool


def breakdown_of(view: View) -> str:
    """The breakdown that the address chooses; the usual one for any other."""
    chosen = view.own_value("split")
    return chosen if chosen in BREAKDOWNS else USUAL_BREAKDOWN


def breakdown_choices(view: View) -> list[BreakdownChoice]:
    """The breakdowns as links."""
    chosen = breakdown_of(view)
    usual = {"split": USUAL_BREAKDOWN}
    return [
        BreakdownChoice(label, view.choose(usual, split=name), name == chosen) for name, label in BREAKDOWNS.items()
    ]


def value_text(dimension: str, value: str) -> str:
    """A value of a dimension; an unknown device is a desktop, as everywhere."""
    empty = {"device": "desktop", "utm_campaign": _("No campaign")}
    return figures.visible(value) or empty.get(dimension, _("Unknown"))
