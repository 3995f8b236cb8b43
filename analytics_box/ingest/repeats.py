"""Events that come twice: a client that got no answer sends again, with the same eventId (wire 4.7).

An id is remembered for 24 hours, that of a leave beacon for 48, over a restart too. New ids are written in the order
of arrival, in the transaction of their events, and stay in memory as well; from time to time they are sorted into the
table of all others. An id is looked up in memory first, then there. Used by the writer thread alone.

Digests are random, so ids in the order of arrival would touch a page of the table each. They are sorted in one slice
of the table after another instead, so that each of its pages is written once.
"""

import hashlib
import struct
from collections.abc import Sequence
from functools import partial

from analytics_box.base.clock import DAY, Clock
from analytics_box.base.facts.layout import insert
from analytics_box.base.store.db import Connection, Db

PIECE = 2_000  # ids per write, or a little more
SLICES = 64  # of the table, each swept in its own write
CAPACITY = 250_000  # new ids in memory, some 30 MB; of more than these, writes sort some in themselves
_LOWEST, _SPAN = -(2**63), 2**64
_WIDTH = _SPAN // SLICES
_SHIFT, _MIDDLE = _WIDTH.bit_length() - 1, SLICES // 2  # a digest without its last bits is the number of its slice
_HASH = hashlib.blake2b(digest_size=8)  # to be copied, which is half the work of making one


Named = tuple[str, int, str]  # kind of fact, site, event id
_OF_EXITS = ("exit_", "page_exit")  # how ids of leave beacons start: other clients', and the tracker's


class EventIds:
    """The event ids of all sites. This in-memory state follows commits and rollbacks of events.db."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._new: list[dict[int, int]] = [{} for _ in range(SLICES)]  # of each: digest → until when (UTC ms)
        self._changed: list[tuple[int, int | None]] = []
        self._count = 0  # of those in memory
        self._is_crowded = False
        self._next = 0  # the slice that is sorted in next where there are too many

    def are_repeats(self, db: Connection, named: Sequence[Named]) -> list[bool]:
        """Of each of these facts, whether its site has had one of its kind with its id; if not, it has from now on."""
        if self._is_crowded:
            self._next = self.fold(db, self._next % SLICES)
        now = self._clock.now()
        until_tomorrow, until_later = now + DAY, now + 2 * DAY
        slices = self._new
        digests = _digests(named)
        places = [slices[(digest >> _SHIFT) + _MIDDLE] for digest in digests]
        unknown = [digest for digest, new in zip(digests, places, strict=True) if digest not in new]
        stored = _stored_digests(db, unknown) if unknown else {}
        noted: list[tuple[int, int]] = []
        changes: list[tuple[int, int | None]] = []
        answers = []
        for (_, _, event_id), digest, new in zip(named, digests, places, strict=True):
            known = new.get(digest)
            repeat = (known or stored.get(digest, 0)) > now
            answers.append(repeat)
            if not repeat:
                until = until_later if event_id.startswith(_OF_EXITS) else until_tomorrow
                noted.append((digest, until))
                changes.append((digest, known))
                new[digest] = until
        self._changed += changes
        self._count += sum([known is None for _, known in changes])
        insert(db, "event_ids_new", noted)
        return answers

    def recover(self, db: Connection) -> None:
        """Read what may not have been sorted in yet."""
        for digest, until in db.execute(
            "-- repeats.recover\nselect digest, until from event_ids_new order by id"
        ).fetchall():
            self._slice(int(str(digest)))[int(str(digest))] = int(str(until))
        self._count = self._counted()

    def fold(self, db: Connection, first: int) -> int:
        """Sort the new ids of this slice and, while they are few, of those after it into the table; which slice is
        the next. Runs in the writer thread."""
        ids: list[tuple[int, int]] = []
        while first < SLICES and len(ids) < PIECE:
            new = self._new[first]
            ids += sorted(new.items())
            self._changed += new.items()
            self._count -= len(new)
            new.clear()
            first += 1
        db.executemany(
            """
            -- repeats.fold
            insert or replace into event_ids (digest, until) values (?, ?)
            """,
            ids,
        )
        return first

    def mark(self) -> int:
        return len(self._changed)

    def undo(self, mark: int) -> None:
        for digest, until in reversed(self._changed[mark:]):
            if until is None:
                self._slice(digest).pop(digest, None)
            else:
                self._slice(digest)[digest] = until
        del self._changed[mark:]
        self._count = self._counted()

    def committed(self) -> None:
        self._changed.clear()
        self._is_crowded = self._count > CAPACITY

    def __len__(self) -> int:
        """The number of ids in memory."""
        return self._count

    def _counted(self) -> int:
        return sum(len(new) for new in self._new)

    def _slice(self, digest: int) -> dict[int, int]:
        return self._new[(digest >> _SHIFT) + _MIDDLE]


async def sort_in(events: Db, event_ids: EventIds) -> None:
    """Sort the new ids into the table, in small writes, then empty the log; an end in between repeats some of it."""
    if not event_ids:
        return
    last = await events.write(_last)
    number = 0
    while number < SLICES:
        number = await events.write(partial(event_ids.fold, first=number))
    while await events.write(partial(_shorten, last=last)) == PIECE:
        pass


def _stored_digests(db: Connection, digests: list[int]) -> dict[int, int]:
    """The digests that are in the table, with their times."""
    rows = db.execute(
        "-- repeats.find\nselect digest, until from json_each(?) cross join event_ids on digest = value",
        (str(digests),),
    )
    return {int(str(digest)): int(str(until)) for digest, until in rows.fetchall()}


def _last(db: Connection) -> int:
    found = db.execute("-- repeats.last\nselect coalesce(max(id), 0) from event_ids_new").fetchall()
    return int(str(found[0][0]))


def _shorten(db: Connection, *, last: int) -> int:
    """Remove the oldest rows of the log up to this one, a piece of them; how many."""
    db.execute(
        """
        -- repeats.shorten
        delete from event_ids_new
        where id in (select id from event_ids_new where id <= ? order by id limit ?)
        """,
        (last, PIECE),
    )
    return db.changes()


async def forget(events: Db, now: int) -> None:
    """Forget the ids whose time is over, in small writes."""
    for number in range(SLICES):
        first = _LOWEST + number * _WIDTH
        await events.write(partial(_sweep, first=first, now=now))


def _sweep(db: Connection, *, first: int, now: int) -> None:
    last = first + _WIDTH - 1
    db.execute(
        "-- repeats.forget\ndelete from event_ids where digest between ? and ? and until <= ?", (first, last, now)
    )


def _digests(named: Sequence[Named]) -> tuple[int, ...]:
    """The digests of these facts, as signed numbers."""
    found = []
    for kind, site, event_id in named:
        hashing = _HASH.copy()
        hashing.update(f"{kind}\0{site}\0{event_id}".encode("utf-8", "surrogatepass"))
        found.append(hashing.digest())
    return struct.unpack(f">{len(found)}q", b"".join(found))
