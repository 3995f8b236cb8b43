"""Kinds of facts that not all websites have, so that a dashboard has panels for those it has only."""

from collections.abc import Collection
from typing import Final

from analytics_box.figures.view import View
from analytics_box.products.overview.board import PANELS
from analytics_box.products.overview.compact import EXTRAS
from analytics_box.query.presence import KINDS

_WHENEVER: Final = ("week",)  # what all websites measure


def parts_of(view: View, measured: Collection[str]) -> tuple[str, ...]:
    """The parts of an overview: what its website has measured, and what is about a filter only with that."""
    panels = tuple(name for name in PANELS if name not in KINDS or name in measured)
    given = view.plain
    extras = tuple(
        name for name, one in EXTRAS.items() if (one.needs in given if one.needs else name in (*measured, *_WHENEVER))
    )
    there = {"figures", *panels, *extras}
    return tuple(name for name in view.of.parts if name in there)
