"""Events that come twice: a client that got no answer sends again, with the same eventId (wire 4.7).

An id is remembered for 24 hours, that of a leave beacon for 48, over a restart too. New ids are written in the order
of arrival, in the transaction of their events, and stay in memory as well; from time to time they are sorted into the
table of all others. An id is looked up in memory first, then there. Used by the writer thread alone.
"""

import hashlib
from functools import partial

from analytics_box.clock import DAY, Clock
from analytics_box.store.db import Connection, Db

FOLD = 2_000  # ids per write
SLICES = 64  # of the table, each swept in a write of its own
_LOWEST, _SPAN = -(2**63), 2**64


class EventIds:
    """The event ids of all sites. As a companion of events.db it forgets what a rolled-back write has taught it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._new: dict[int, int] = {}  # digest → until when (UTC ms)
        self._changed: list[tuple[int, int | None]] = []

    def is_repeat(self, db: Connection, kind: str, site: int, event_id: str) -> bool:
        """Whether this site has had a fact of this kind with this id; if not, it has from now on."""
        now = self._clock.now()
        digest = _digest(kind, site, event_id)
        until = self._new.get(digest)
        if until is None:
            found = db.execute("-- repeats.find\nselect until from event_ids where digest = ?", (digest,)).fetchone()
            until = int(str(found[0])) if found else 0
        if until > now:
            return True
        until = now + (2 * DAY if event_id.startswith("exit_") else DAY)
        db.execute("-- repeats.note\ninsert into event_ids_new (digest, until) values (?, ?)", (digest, until))
        self._changed.append((digest, self._new.get(digest)))
        self._new[digest] = until
        return False

    def recover(self, db: Connection) -> None:
        """Read what has not been sorted in yet."""
        rows = db.execute("-- repeats.recover\nselect digest, until from event_ids_new order by id").fetchall()
        self._new = {int(str(digest)): int(str(until)) for digest, until in rows}

    def fold(self, db: Connection) -> int:
        """Sort the oldest new ids into the table; how many there were. Runs in the writer thread."""
        rows = db.execute(
            "-- repeats.fold\nselect id, digest, until from event_ids_new order by id limit ?", (FOLD,)
        ).fetchall()
        if not rows:
            return 0
        db.executemany(
            """
            -- repeats.fold
            insert into event_ids (digest, until) values (?, ?)
            on conflict (digest) do update set until = max(until, excluded.until)
            """,
            sorted((int(str(digest)), int(str(until))) for _, digest, until in rows),
        )
        db.execute("-- repeats.fold\ndelete from event_ids_new where id <= ?", (rows[-1][0],))
        for _, digest, until in rows:
            known = int(str(digest))
            if self._new.get(known) == until:
                self._changed.append((known, self._new.pop(known)))
        return len(rows)

    def mark(self) -> int:
        return len(self._changed)

    def undo(self, mark: int) -> None:
        for digest, until in reversed(self._changed[mark:]):
            if until is None:
                self._new.pop(digest, None)
            else:
                self._new[digest] = until
        del self._changed[mark:]

    def committed(self) -> None:
        self._changed.clear()

    def __len__(self) -> int:
        """How many are in memory."""
        return len(self._new)


async def sort_in(events: Db, event_ids: EventIds) -> None:
    """Sort the new ids into the table, in small writes."""
    while await events.write(event_ids.fold) == FOLD:
        pass


async def forget(events: Db, now: int) -> None:
    """Forget the ids whose time is over, in small writes."""
    for number in range(SLICES):
        first = _LOWEST + number * (_SPAN // SLICES)
        await events.write(partial(_sweep, first=first, now=now))


def _sweep(db: Connection, *, first: int, now: int) -> None:
    last = first + _SPAN // SLICES - 1
    db.execute(
        "-- repeats.forget\ndelete from event_ids where digest between ? and ? and until <= ?", (first, last, now)
    )


def _digest(kind: str, site: int, event_id: str) -> int:
    text = f"{kind}\0{site}\0{event_id}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)
