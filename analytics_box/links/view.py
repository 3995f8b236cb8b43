"""What the address of a link's own page asks for, as on an overview: range, metric, comparison, tabs, filters.

    range=last_30d | custom&from=2026-10-22&to=2026-11-20      metric=clicks      compare=off      tab=cities,systems
    more=sources      show=table      country=Germany      zone=Europe/Berlin      wait=all (no part may come later)

Pages are forgiving: what cannot be read falls back to the default, and defaults are left out of addresses.
"""

from collections.abc import Mapping
from typing import Final

from analytics_box.links.lists import FIELDS, PANELS
from analytics_box.texts import Filters
from analytics_box.websites import figures
from analytics_box.websites.chips import Chip
from analytics_box.websites.view import Offer, View, read_view

METRICS: Final = ("clicks", "visitors")
LINK: Final = Offer(METRICS, PANELS, FIELDS)


def read_link_view(path: str, query: Mapping[str, str]) -> View:
    """The state that an address asks for. Never raises."""
    return read_view(path, query, LINK)


def chips(view: View) -> tuple[Chip, ...]:
    """The filters of an address, in the order of the page."""
    return tuple(
        Chip(field, Filters.names[field], figures.visible(value), view.narrowed({field: value}).link())
        for field, value in view.filters
    )
