"""The filters of an overview as chips: what the page is narrowed to, each with the way out. Pure."""

from msgspec import Struct

from analytics_box.texts import Filters, figures
from analytics_box.websites.view import View


class Chip(Struct, frozen=True):
    """A filter. `href` is the page without it."""

    field: str
    label: str
    value: str
    href: str


def chips(view: View) -> tuple[Chip, ...]:
    """The filters of an address, in the order of the page."""
    return tuple(
        Chip(field, Filters.names[field], figures.visible(value), view.narrowed({field: value}).link())
        for field, value in view.filters
    )
