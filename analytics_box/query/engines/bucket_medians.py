"""Medians of session durations by bucket, such as a local day, kept in rollups.db once all of its UTC days are rolled
up: an exact median of a day takes a third of a millisecond, and a dashboard of a year asks for 365.

Each roll-up of a day has a number that never comes again, and a median is kept with the greatest one of its days. It is
used only while that is still so, so none is older than its days, whatever happened in between.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from threading import Lock

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.query.engines.counting import Row
from analytics_box.query.engines.sql.rolling import SiteDay
from analytics_box.query.plan import BUCKET, QueryPlan
from analytics_box.query.rollups import ClosedBucket, Cut, buckets

MEASURE = "median_duration"
LONGEST = 32 * DAY  # of a bucket: a month is the longest one
MOST = 500_000  # that are kept in the file, about 15 MB
MOST_WAITING = 20_000  # in memory until they are written

Key = tuple[int, int, int]  # website, start and end (UTC ms)


class BucketMedians:
    """The medians that questions have found. `save` is for the connection that writes the file."""

    def __init__(self) -> None:
        self._waiting: dict[Key, tuple[int, float]] = {}  # the roll-up's number and the median, not written yet
        self._lock = Lock()

    def known(self, db: Connection, plan: QueryPlan, made: Cut) -> Cut:
        """The plan's parts with the medians that are known, and the buckets whose medians may be kept."""
        if MEASURE not in plan.measures or plan.group != (BUCKET,) or len(plan.sites) != 1:
            return made
        site = plan.sites[0]
        rolls = _rolls(db, site, made)
        closed = [one for one in _closed(plan, made, rolls) if one.roll]
        found = db.execute(
            "-- rollups.medians\nselect start, until, roll, median from medians"
            " where site = ? and start >= ? and start < ?",
            (site, plan.start, plan.end),
        )
        kept: dict[Key, tuple[int, float]] = {
            (site, int(str(start)), int(str(end))): (int(str(roll)), float(str(median)))
            for start, end, roll, median in found
        }
        with self._lock:
            kept |= self._waiting
        medians, unknown = [], []
        for one in closed:
            roll, median = kept.get((site, one.start, one.end), (0, 0.0))
            if roll == one.roll:
                medians.append((one.number, median))
            else:
                unknown.append(one)
        return replace(made, medians=tuple(medians), closed=tuple(unknown))

    def keep(self, plan: QueryPlan, made: Cut, rows: Sequence[Row]) -> None:
        """Keep what a question has found of closed buckets."""
        if not made.closed:
            return
        closed = {one.number: one for one in made.closed}
        at, place = plan.names.index(BUCKET), plan.names.index(MEASURE)
        found = [(closed[row[at]], row[place]) for row in rows if row[at] in closed and row[place] is not None]
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._waiting |= {(plan.sites[0], one.start, one.end): (one.roll, median) for one, median in found}

    def save(self, db: Connection) -> None:
        """Write those that are still true."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        db.execute(
            f"""
            -- rollups.save_medians
            insert or replace into medians
            select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)
            where (value ->> 3, true) = (
              select max(rolled), min(rolled) > 0 from days where site = value ->> 0
              and day between value ->> 1 / {DAY} and (value ->> 2 - 1) / {DAY}
            )
            """,
            (json.dumps([(*key, *one) for key, one in waiting.items()]),),
        )
        ((number,),) = db.execute("-- rollups.count_medians\nselect count(*) from medians").fetchall()
        if int(str(number)) > MOST:  # a later question computes them again
            db.execute("-- rollups.drop_medians\ndelete from medians")


def create(db: Connection) -> None:
    """Create their table."""
    db.execute(
        "create table medians (site integer, start integer, until integer, roll integer, median real,"
        " primary key (site, start, until)) without rowid"
    )


def forget(db: Connection, days: Collection[SiteDay]) -> None:
    """Remove the medians with one of these days."""
    db.executemany(
        "-- rollups.forget_medians\ndelete from medians where site = ? and start > ? and start < ? and until > ?",
        [(day.site, day.day * DAY - LONGEST, (day.day + 1) * DAY, day.day * DAY) for day in days],
    )


def _rolls(db: Connection, site: int, made: Cut) -> Mapping[int, int]:
    """The number of each day's roll-up."""
    rows = db.execute(
        "-- rollups.rolls\nselect day, rolled from days where site = ? and day between ? and ?",
        (site, made.first, made.last),
    )
    return {int(str(day)): int(str(rolled)) for day, rolled in rows}


def _closed(plan: QueryPlan, made: Cut, rolls: Mapping[int, int]) -> Iterator[ClosedBucket]:
    """The buckets that are all rolled up; those without anything have the number 0."""
    without = frozenset((*made.without, *made.open))
    for number, start, end in buckets(plan):
        days = range(start // DAY, (end - 1) // DAY + 1)
        if end - start < LONGEST and made.first <= days[0] and days[-1] <= made.last and without.isdisjoint(days):
            yield ClosedBucket(number, start, end, max(rolls.get(day, 0) for day in days))
