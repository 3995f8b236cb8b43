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
    """The map, and what its shades stand for: `shaded` says what is counted, `steps` how much darker each is."""

    countries: tuple[Country, ...]
    shades: tuple[Shade, ...]
    shaded: str
    steps: str
    width: int = WIDTH
    height: int = HEIGHT


class Counted(Struct, frozen=True):
    """A row of the list: its country's code, what it is called, its number, and where a click on it leads."""

    code: str
    label: str
    count: float
    href: str
    selected: bool


def world(rows: Sequence[Counted], counted: str, *, closer: bool = False) -> World | None:
    """The map of these rows; None where no country is known. `counted` is what their numbers are. `closer` says that
    the page shows one place and the map all of them."""
    known = [row for row in rows if row.code and row.count > 0]
    shaded = scale([row.count for row in known])
    if shaded is None:
        return None
    return World(
        tuple(
            Country(
                row.code.upper(),
                shaded.level(row.count),
                Panels.on_the_map.format(name=row.label, counted=counted.lower(), count=figures.count(row.count)),
                row.href,
                row.selected,
            )
            for row in known
        ),
        shaded.shades,
        (Panels.shaded_everywhere if closer else Panels.shaded).format(counted=counted),
        Panels.shaded_steps.format(times=_times(shaded.times)) if shaded.times is not None else "",
    )


def _times(given: float) -> str:
    """A factor: 1.6, 2.5, 12."""
    return f"{given:.1f}" if given < 9.95 else figures.count(round(given))
