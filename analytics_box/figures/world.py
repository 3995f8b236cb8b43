"""A list of countries as a map: how dark each is, and what part of the world is shown. Pure.

The map is the file of web/world.mjs, in which each country has its code as its id. Countries that it has no shape for
are in the list below it alone.
"""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.translation import _
from analytics_box.figures.outlines import EVERYWHERE, MapBox, around
from analytics_box.figures.scale import ScaleShade
from analytics_box.figures.shading import Shading
from analytics_box.query.catalog.types import Record


class Country(Struct, frozen=True):
    """A country with visitors. `level` is how dark it is; `text` is what is said of it."""

    code: str
    level: int
    text: str
    href: str
    selected: bool


class World(Struct, frozen=True):
    """The map, what its shades stand for, and what they show: `shaded` says it, `steps` how much darker each is. `part`
    is what is seen of it."""

    countries: tuple[Country, ...]
    shades: tuple[ScaleShade, ...]
    shading: Shading
    shaded: str
    steps: str
    part: MapBox = EVERYWHERE

    @property
    def is_near(self) -> bool:
        """Whether the map is drawn at least twice as large as that of the world."""
        return self.part.width * 2 <= EVERYWHERE.width


class CountryRow(Struct, frozen=True):
    """A row of the list: its country's code, what it is called, and where a click on it leads."""

    code: str
    label: str
    row: Record
    href: str
    selected: bool


def world(rows: Sequence[CountryRow], shading: Shading, *, closer: bool = False) -> World | None:
    """The map of these rows; None if no country is known. `closer` says that the page shows one place and the map
    its neighbours."""
    known = [row for row in rows if row.code and row.row[shading.said[0].field] > 0]
    if not known:
        return None
    scale = shading.scale([row.row for row in known])
    chosen = next((row.code.upper() for row in known if row.selected), "")
    return World(
        tuple(
            Country(
                row.code.upper(),
                scale.level(shading.value(row.row)) if scale is not None else 0,
                f"{row.label}, {shading.words(row.row)}",
                row.href,
                row.selected,
            )
            for row in known
        ),
        scale.shades if scale is not None else (),
        shading,
        (_("{counted} by country, including neighbors") if closer else _("{counted} by country")).format(
            counted=shading.shown.label
        ),
        _("Each shade starts at about {times} times the previous one.").format(times=_times(scale.times))
        if scale is not None and scale.times is not None
        else "",
        around(chosen),
    )


def _times(given: float) -> str:
    """A factor: 1.6, 2.5, 12."""
    return f"{figures.round_half_up(given, 1)}" if given < 9.95 else figures.count(given)
