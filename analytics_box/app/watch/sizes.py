"""Sizes of the data directory, now and on each previous day."""

from pathlib import Path
from typing import Final

from analytics_box.app.watch.growth import LOOKED_AT, DataSize
from analytics_box.base.clock import utc_day
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection

DERIVED_FILES: Final = ("columns.duckdb", "rollups.db")  # made anew of events.db
_KEPT: Final = 400  # days


def size(directory: Path, name: str) -> int:
    """Bytes of a database with its log; 0 where there is none."""
    files = (directory / name, directory / f"{name}-wal")
    return sum(file.stat().st_size for file in files if file.exists())


def measure_today(directory: Path, now: int) -> DataSize:
    """The data directory today."""
    paths = (directory / name for name in (schema.BOX_FILE, schema.EVENTS_FILE, *DERIVED_FILES))
    return DataSize(utc_day(now), sum(path.stat().st_size for path in paths if path.exists()))


def note(db: Connection, today: DataSize) -> None:
    """Write today's size down, and forget those of long ago."""
    db.execute(
        "-- sizes.note\ninsert or replace into sizes (day, data) values (?, ?)", (today.day, today.data)
    ).fetchall()
    db.execute("-- sizes.note\ndelete from sizes where day < ?", (today.day - _KEPT,)).fetchall()


def lately(db: Connection, today: int) -> list[DataSize]:
    """Sizes on the days that a forecast uses, oldest first."""
    rows = db.execute(
        "-- sizes.lately\nselect day, data from sizes where day between ? and ? order by day",
        (today - LOOKED_AT, today),
    ).fetchall()
    return [DataSize(int(str(day)), int(str(data))) for day, data in rows]
