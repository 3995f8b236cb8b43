"""The filters of a page of figures as chips, each with the way out, and the kinds that it can be about. Pure."""

from msgspec import Struct

from analytics_box.dashboard.view import View
from analytics_box.texts import figures


class Chip(Struct, frozen=True):
    """A filter. `href` is the page without it."""

    field: str
    label: str
    value: str
    href: str


class Choice(Struct, frozen=True):
    """One of the kinds of things that the page can be about."""

    name: str
    label: str
    href: str
    selected: bool


def chips(view: View) -> tuple[Chip, ...]:
    """The filters of an address, in the order of the page."""
    return tuple(_chip(view, field, value) for field, value in view.filters)


def _chip(view: View, field: str, value: str) -> Chip:
    kinds = view.of.kinds
    if kinds is not None and field == kinds.field:
        label, called = kinds.chip, kinds.names
    else:
        label, called = view.of.words.filters[field], view.of.values.get(field, {})
    return Chip(field, label, figures.visible(called.get(value, value)), view.narrowed({field: value}).link())


def kinds(view: View) -> tuple[Choice, ...]:
    """What the page can be about, the usual first; nothing where there is no choice."""
    offered = view.of.kinds
    if offered is None:
        return ()
    chosen = dict(view.filters).get(offered.field, "")
    name, label = offered.usual
    others = (
        Choice(name, label, view.link(filters=(*view.facts, (offered.field, name)), more=""), name == chosen)
        for name, label in offered.names.items()
    )
    return (Choice(name, label, view.link(filters=view.facts, more=""), not chosen), *others)
