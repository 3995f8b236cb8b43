"""What the address of a link's own page asks for, as on an overview: range, metric, comparison, tabs, filters.

    range=last_30d | custom&from=2026-10-22&to=2026-11-20      metric=clicks      compare=off      tab=cities,systems
    more=sources      show=table      zone=Europe/Berlin      wait=all (no part may come later)
    country=Germany&variant=A (filters by their fields)      kind=bot (what is not counted, in the place of clicks)

Pages are forgiving: what cannot be read falls back to the default, and defaults are left out of addresses.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.links.clicks.kinds import CLICK, KINDS
from analytics_box.links.lists import FIELDS, KIND, PANELS
from analytics_box.texts import Filters, LinkStats
from analytics_box.websites import figures
from analytics_box.websites.chips import Chip
from analytics_box.websites.view import Offer, View, read_view

METRICS: Final = ("clicks", "visitors")
LINK: Final = Offer(METRICS, PANELS, FIELDS)
NAMES: Final = {name: {**Filters.names, **LinkStats.filters}[name] for name in FIELDS if name != KIND}

# How values are called that the facts know by another name; whoever types one may call it so, too.
_CALLED: Final[Mapping[str, Mapping[str, str]]] = {
    "device_type": LinkStats.devices,
    "rule": LinkStats.rule_names,
    KIND: LinkStats.kinds,
}
_KINDS: Final = {name: number for number, name in KINDS.items() if number != CLICK}


class Choice(Struct, frozen=True):
    """One of the kinds of visits that the page can be about."""

    name: str
    label: str
    href: str
    selected: bool


def read_link_view(path: str, query: Mapping[str, str]) -> View:
    """The state that an address asks for. Never raises."""
    view = read_view(path, query, LINK)
    filters = ((field, _known(field, value)) for field, value in view.filters)
    return replace(view, filters=tuple((field, value) for field, value in filters if field != KIND or value in _KINDS))


def kind_of(view: View) -> int:
    """The kind of visits that the page is about (links/rules.py); 0 for clicks of people."""
    return _KINDS.get(dict(view.filters).get(KIND, ""), 0)


def facts_of(view: View) -> tuple[tuple[str, str], ...]:
    """The filters on facts: all but that of the kind."""
    return tuple((field, value) for field, value in view.filters if field != KIND)


def kinds(view: View) -> tuple[Choice, ...]:
    """What the page can be about, clicks first."""
    chosen = dict(view.filters).get(KIND, "")
    clicks = Choice(KINDS[CLICK], LinkStats.people, view.link(filters=facts_of(view), more=""), not chosen)
    others = (
        Choice(name, LinkStats.kinds[name], view.link(filters=(*facts_of(view), (KIND, name)), more=""), name == chosen)
        for name in _KINDS
    )
    return (clicks, *others)


def chips(view: View) -> tuple[Chip, ...]:
    """The filters of an address, in the order of the page."""
    return tuple(
        Chip(
            field,
            NAMES.get(field, LinkStats.only),
            figures.visible(_CALLED.get(field, {}).get(value, value)),
            view.narrowed({field: value}).link(),
        )
        for field, value in view.filters
    )


def _known(field: str, value: str) -> str:
    """The value by the name that the facts know it by."""
    called = _CALLED.get(field, {})
    return next((name for name, label in called.items() if name and label.casefold() == value.casefold()), value)
