"""The place of a map: the world, a country or a region, its lists, and the way back. Pure.

The fields of the lists below a map are the steps of the way, the widest first.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.board import FigureList, Rows
from analytics_box.figures.view import View
from analytics_box.query.catalog.values import UNKNOWN


class Crumb(Struct, frozen=True):
    """A wider place that was chosen before. `href` leads back to it."""

    label: str
    href: str


def candidates(view: View, listed: FigureList) -> tuple[str, ...]:
    """The lists that may stand below a map: of what is within the chosen place, the widest first; that of the place
    itself comes last, for where nothing within it is known."""
    depth = _depth(view, listed)
    return (*listed.below[depth:], listed.below[depth - 1]) if depth else listed.below[:1]


def says_something(listed: FigureList, rows: Rows) -> bool:
    """Whether a list knows the name of any place."""
    return any(row[listed.shown] not in {"", None, UNKNOWN} for row in rows)


def everywhere(view: View, listed: FigureList) -> View:
    """This view without the places that are chosen."""
    return _wider(view, listed, 0)


def way_back(view: View, listed: FigureList) -> tuple[Crumb, ...]:
    """The world and the chosen places, each with the page that shows all of it; empty for the world."""
    depth, plain = _depth(view, listed), view.plain
    if not depth:
        return ()
    chosen = [(at, field) for at, field in enumerate(_fields(view, listed), start=1) if field in plain]
    return (
        Crumb(_("World"), _wider(view, listed, 0).link()),
        *(
            Crumb(figures.visible(view.of.called(field, plain[field])), _wider(view, listed, at).link())
            for at, field in chosen
        ),
    )


def _depth(view: View, listed: FigureList) -> int:
    """The number of steps to the narrowest chosen place."""
    fields = _fields(view, listed)
    return max((at for at, field in enumerate(fields, start=1) if field in view.plain), default=0)


def _wider(view: View, listed: FigureList, depth: int) -> View:
    """This view without the chosen places beyond this number of steps."""
    beyond = _fields(view, listed)[depth:]
    removed = (
        item
        for item in view.filters.items
        if item.field in beyond and not item.group and item.is_exactly is not None and item.field in view.plain
    )
    return replace(view, filters=view.filters.without(*removed))


def _fields(view: View, listed: FigureList) -> Sequence[str]:
    return [view.of.lists[name].field for name in listed.below]
