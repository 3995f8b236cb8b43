"""Sizes of the data directory, now and on each previous day."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from msgspec import Struct

from analytics_box.base.clock import utc_day
from analytics_box.base.store import schema
from analytics_box.base.store.db import Connection

LOOKED_AT: Final = 30  # days back
LEAST: Final = 3  # days between the first and the last of them


class DataSize(Struct, frozen=True):
    """The data directory on a UTC day: bytes of the databases without their logs, and of the column replica."""

    day: int
    data: int


class Forecast(Struct, frozen=True):
    """Bytes per day, and days until the disk is full. None is not known yet, or, of `days_left`, never at this pace."""

    per_day: float | None = None
    days_left: float | None = None


def forecast(measured: Sequence[DataSize], free: int, today: int) -> Forecast:
    """Forecast when `free` bytes are used up at the recent growth rate."""
    late = sorted((one for one in measured if today - LOOKED_AT <= one.day <= today), key=lambda one: one.day)
    if not late or late[-1].day - late[0].day < LEAST:
        return Forecast()
    per_day = median((second.data - first.data) / (second.day - first.day) for first, second in pairwise(late))
    return Forecast(per_day, free / per_day if per_day > 0 else None)


DERIVED_FILES: Final = ("columns.duckdb", "rollups.db")  # rebuilt from events.db
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
