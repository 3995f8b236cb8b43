"""Which kinds of facts a website has that not all have, so that its overview has panels for them and for no others."""

from collections.abc import Collection
from typing import Final

from analytics_box.dashboard.view import View
from analytics_box.overview.board import PANELS
from analytics_box.overview.compact import EXTRAS
from analytics_box.store.db import Connection, Db

MEASURED: Final = ("flags", "errors", "vitals")


async def kinds_measured(events: Db, site: int) -> tuple[str, ...]:
    """Of "flags", "errors" and "vitals" those of which the website has any."""
    return await events.read(lambda db: _kinds(db, site), seconds=2)


def _kinds(db: Connection, site: int) -> tuple[str, ...]:
    (found,) = db.execute(
        """
        -- measured.kinds
        select
          exists (select 1 from flag_exposures where site = :site),
          exists (select 1 from errors where site = :site),
          exists (select 1 from vitals where site = :site and metric <= 6)
        """,
        {"site": site},
    ).fetchall()
    return tuple(name for name, there in zip(MEASURED, found, strict=True) if there)


_WHENEVER: Final = ("week",)  # what all websites measure


def parts_of(view: View, measured: Collection[str]) -> tuple[str, ...]:
    """The parts of an overview: what its website has measured, and what is about a filter only with that."""
    panels = tuple(name for name in PANELS if name not in MEASURED or name in measured)
    given = view.plain
    extras = tuple(
        name for name, one in EXTRAS.items() if (one.needs in given if one.needs else name in (*measured, *_WHENEVER))
    )
    return ("figures", *panels, *extras)
