"""A list of countries as a map: how dark each is. Pure.

The map is the file of web/world.mjs, in which each country has its code as its id. Countries that it has no shape for
are in the list below it alone.
"""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.dashboard.scale import Shade, scale
from analytics_box.texts import Panels, figures

WIDTH, HEIGHT = 2000, 907  # of the file


class Country(Struct, frozen=True):
    """A country with visitors. `level` is how dark it is; `text` is what is said of it."""

    code: str
    level: int
    text: str
    href: str
    selected: bool


class World(Struct, frozen=True):
    """The map, and what its shades stand for."""

    countries: tuple[Country, ...]
    shades: tuple[Shade, ...]
    width: int = WIDTH
    height: int = HEIGHT


class Counted(Struct, frozen=True):
    """A row of the list: its country's code, what it is called, its number, and where a click on it leads."""

    code: str
    label: str
    count: float
    href: str
    selected: bool


def world(rows: Sequence[Counted], counted: str) -> World | None:
    """The map of these rows; None where no country is known. `counted` is what their numbers are."""
    known = [row for row in rows if row.code and row.count > 0]
    shaded = scale([row.count for row in known])
    if shaded is None:
        return None
    return World(
        tuple(
            Country(
                row.code.upper(),
                shaded.level(row.count),
                Panels.on_the_map.format(name=row.label, counted=counted, count=figures.count(row.count)),
                row.href,
                row.selected,
            )
            for row in known
        ),
        shaded.shades,
    )
