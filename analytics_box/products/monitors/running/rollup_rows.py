"""Old checks of monitors put together: fewer rows, and the same counts, sums and histograms."""

from collections.abc import Sequence
from typing import Final

from analytics_box.base.clock import DAY
from analytics_box.base.facts.layout import INSERT
from analytics_box.base.facts.tables import CHECKS
from analytics_box.base.store.db import Connection

ONE_BY_ONE: Final = {  # what a row keeps of many; all other columns are the same in all of them
    "time": "time / :bucket * :bucket + :within",
    **{name: f"sum({name})" for name in ("count", "total", "ttfb", "dns", "connect", "tls")},
    **{name: f"sum({name})" for name in ("first_byte", "transfer", "bytes")},
    "fastest": "min(fastest)",
    **{name: f"max({name})" for name in ("slowest", "redirects", "attempt", "streak", "certificate_ends")},
    **dict.fromkeys(("error", "address"), "0"),
    "data": "null",
}
_SAME: Final = tuple(name for name in CHECKS.names if name not in ONE_BY_ONE)
# What was measured of some and not of others stays apart, so that means go on being those of what was measured.
_MEASURED: Final = ("dns", "connect", "tls", "first_byte", "transfer", "bytes")
_TOGETHER: Final = f"""
-- monitors.running.put_together
select {", ".join(f"{ONE_BY_ONE.get(name, name)} as {name}" for name in CHECKS.names)}
from checks where monitor = :monitor and time >= :start and time < :end
group by {", ".join(("time / :bucket", *_SAME, *(f"{name} is null" for name in _MEASURED)))}
order by 1, 2
"""


def put_together(db: Connection, numbers: Sequence[int], *, start: int, end: int, bucket: int, most: int) -> int:
    """Combine checks of these monitors in this time into buckets of `bucket` ms. Return the number of monitors done.

    Stops after `most` checks.

    What represents a UTC day is of its noon, which is that date in nearly every time zone.
    Checks that are together already stay as they are.
    """
    seen, within = 0, DAY // 2 if bucket == DAY else 0
    for done, number in enumerate(numbers, start=1):
        where = {"monitor": number, "start": start, "end": end, "bucket": bucket, "within": within}
        ((count, apart),) = db.execute(
            """
            -- monitors.running.put_together
            select count(*), count(case when time % :bucket <> :within then 1 end)
            from checks where monitor = :monitor and time >= :start and time < :end
            """,
            where,
        ).fetchall()
        if apart:
            rows = db.execute(_TOGETHER, where).fetchall()
            db.execute(
                """
                -- monitors.running.put_together
                delete from checks where monitor = :monitor and time >= :start and time < :end
                """,
                where,
            )
            db.executemany(INSERT["checks"], rows)
            seen += int(str(count))
        if seen >= most:
            return done
    return len(numbers)


def numbers_with_checks(db: Connection) -> list[int]:
    """The numbers of all monitors that have checks, by leaps through the index."""
    found = db.execute(
        """
        -- monitors.running.checked
        with recursive leap(monitor) as (
          select min(monitor) from checks
          union all
          select (select min(monitor) from checks where checks.monitor > leap.monitor) from leap
          where monitor is not null
        )
        select monitor from leap where monitor is not null
        """
    ).fetchall()
    return [int(str(number)) for (number,) in found]


def stored_numbers(db: Connection) -> list[int]:
    """The numbers of all monitors of which anything is stored."""
    found = db.execute(
        """
        -- monitors.running.known
        select monitor from monitor_states union select monitor from transitions
        union select distinct monitor from monitor_spans
        """
    ).fetchall()
    return sorted({*numbers_with_checks(db), *(int(str(number)) for (number,) in found)})


def oldest(db: Connection, numbers: Sequence[int]) -> int | None:
    """The time of the oldest check of these monitors (UTC ms)."""
    found = [
        db.execute("-- monitors.running.oldest\nselect min(time) from checks where monitor = ?", (number,)).fetchall()
        for number in numbers
    ]
    return min((int(str(time)) for ((time,),) in found if time is not None), default=None)


def days_done(db: Connection) -> tuple[int, int]:
    """Before which UTC days checks are together by hour, and by day; 0 where that is not known."""
    found = db.execute("-- monitors.running.days_done\nselect hours_until, days_until from monitor_engine").fetchall()
    return (int(str(found[0][0])), int(str(found[0][1]))) if found else (0, 0)


def note_days(db: Connection, *, hours: int | None = None, days: int | None = None) -> None:
    """All checks before this UTC day are together by hour, or by day."""
    db.execute(
        """
        -- monitors.running.note_days
        update monitor_engine set hours_until = coalesce(?, hours_until), days_until = coalesce(?, days_until)
        """,
        (hours, days),
    )


def remove_older(db: Connection, number: int, before: int, limit: int) -> int:
    """Remove up to `limit` checks and spans of a monitor from before this instant. Return their number."""
    db.execute(
        """
        -- monitors.running.remove_older
        delete from checks where id in (select id from checks where monitor = ? and time < ? order by time limit ?)
        """,
        (number, before, limit),
    )
    removed = db.changes()
    db.execute(
        """
        -- monitors.running.remove_older
        delete from monitor_spans where id in (
          select id from monitor_spans where monitor = ? and start < ? and until > 0 and until <= ? limit ?)
        """,
        (number, before, before, limit),
    )
    return removed + db.changes()


def forget_told(db: Connection, before: int, limit: int) -> int:
    """Delete up to `limit` reported transitions from before this instant. Return their number."""
    db.execute(
        """
        -- monitors.running.forget_told
        delete from transitions where id in (
          select id from transitions where told = 1 and id < coalesce(
            (select id from transitions where time >= ? order by id limit 1), 9223372036854775807) limit ?)
        """,
        (before, limit),
    )
    return db.changes()
