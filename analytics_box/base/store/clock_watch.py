"""Whether the wall clock can be believed where it decides what is removed for good."""

import logging

from analytics_box.base.clock import DAY, HOUR, Clock
from analytics_box.base.store.db import Connection, Db

log = logging.getLogger(__name__)

_MOST_BETWEEN_RUNS = DAY  # a box may be off for so long
_MOST_IN_A_RUN = HOUR  # ahead of the time that has passed


class ClockWatch:
    """Looks at the clock again and again, also over restarts. One that jumped ahead is doubted for a day."""

    def __init__(self, db: Db, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._seen, self._monotonic = clock.now(), clock.monotonic()
        seen, self._doubted_since = db.read_now(_read_clocks) or (self._seen, None)
        self._between_runs = self._seen - seen

    @property
    def is_doubted(self) -> bool:
        """Whether the clock was doubted when someone last looked at it."""
        return self._doubted_since is not None

    async def is_trusted(self) -> bool:
        """Look at the clock; whether what is old by it may be removed."""
        now, monotonic = self._clock.now(), self._clock.monotonic()
        ahead = now - self._seen - round((monotonic - self._monotonic) * 1000)
        if self._between_runs > _MOST_BETWEEN_RUNS or ahead > _MOST_IN_A_RUN:
            log.warning(
                "The clock is %.1f days ahead of the last time the server ran. If the server was not "
                "off for that long, set the clock. No old data is removed for a day",
                max(self._between_runs, ahead) / DAY,
            )
            self._doubted_since = now
        elif self._doubted_since is not None and not 0 <= now - self._doubted_since < DAY:
            log.info("The clock is trusted again. Old data is removed")
            self._doubted_since = None
        self._seen, self._monotonic, self._between_runs = now, monotonic, 0
        await self._db.write(lambda db: _write(db, now, self._doubted_since))
        return self._doubted_since is None


def _read_clocks(db: Connection) -> tuple[int, int | None] | None:
    rows = db.execute("-- clock_watch.read\nselect seen, doubted_since from clock").fetchall()
    return next(((int(str(seen)), None if since is None else int(str(since))) for seen, since in rows), None)


def _write(db: Connection, seen: int, doubted_since: int | None) -> None:
    db.execute(
        "-- clock_watch.write\ninsert or replace into clock (one, seen, doubted_since) values (1, ?, ?)",
        (seen, doubted_since),
    ).fetchall()
