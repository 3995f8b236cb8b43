"""What an ingest machine has for its primary: who visitors are, as POST /identify told it, and how much traffic was
dropped. Both are kept on its disk until the primary has written them down, which alone shows them.

What waits has a number, which grows. The primary notes the last one of each machine in the transaction that writes it
down, so that what is sent again is left out (cluster.inbox).
"""

import asyncio
import json
import logging
import math
from functools import partial

import msgspec

from analytics_box.clock import Clock
from analytics_box.cluster import rows
from analytics_box.cluster.messages import Dropped, Order, Said, Told
from analytics_box.errors import Unavailable
from analytics_box.ingest import dropped as dropped_traffic
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.profiles import Identified, ProfileLinks
from analytics_box.store.db import Connection, Db
from analytics_box.store.seal import Seal, SealBroken

log = logging.getLogger(__name__)

MOST_WAITING = 100_000
MOST_AT_ONCE, MOST_BYTES = 200, 200_000  # that go with one request
_DROPPED_SECONDS = 60.0  # between two looks at what was dropped
_OWNER = "outbox"
_WHAT = msgspec.msgpack.Decoder(Said | Dropped)


class Outbox:
    """What waits for the primary, sealed."""

    def __init__(self, events: Db, links: ProfileLinks, seal: Seal, clock: Clock) -> None:
        self._events, self._links, self._seal, self._clock = events, links, seal, clock
        self._looked_at = -math.inf  # at what was dropped: seconds of the clock
        self._is_broken = False  # what waits cannot be read, as the log says

    def identify(self, db: Connection, said: Identified) -> None:
        """Keep who visitors are, in the writer's transaction. Raises Unavailable."""
        if rows.is_full(db, MOST_WAITING):
            raise Unavailable("The primary, which knows people, has been away for long", retry_after=60)
        # Numbers in JSON may be larger than msgpack has.
        traits = msgspec.json.encode(dict(said.traits))
        self._keep(db, said.site, Said(said.profile_id, sorted(self._links.visitors(said)), traits, said.now))

    async def hand_over(self, dropped: DroppedTraffic) -> None:
        """Take over what was dropped, now and then; while something waits, it goes on being added up by day."""
        now = self._clock.monotonic()
        if now - self._looked_at >= _DROPPED_SECONDS and not await self.count():
            self._looked_at = now
            await dropped.write()
            await self._events.write(self._take_over)

    async def count(self) -> int:
        """How much waits."""
        return await self._events.read(rows.count_waiting)

    async def next(self) -> list[Told]:
        """What is to be told next, in its order."""
        try:
            found = [self._told(row) for row in await self._events.read(partial(rows.waiting, most=MOST_AT_ONCE))]
        except SealBroken as broken:
            if not self._is_broken:
                log.error("The primary cannot be told what waits for it: %s", broken)
            self._is_broken = True
            return []
        self._is_broken = False
        size, told = 0, list[Told]()
        for one in found:
            size += len(msgspec.msgpack.encode(one))
            if told and size > MOST_BYTES:
                break
            told.append(one)
        return told

    async def passed(self, last: int) -> None:
        """The primary has written down all up to this one."""
        await self._events.write(partial(rows.forget_waiting_until, last=last))

    async def remove(self, order: Order) -> None:
        """Forget what was said of a person, and of these visitors, who are to be removed."""
        found = await self._events.read(partial(rows.waiting, most=MOST_WAITING, site=order.site), seconds=60)
        gone = await asyncio.to_thread(lambda: [one.number for one in map(self._told, found) if _is_of(one, order)])
        if gone:
            await self._events.write(partial(rows.forget_waiting, numbers=json.dumps(gone)))

    def _take_over(self, db: Connection) -> None:
        for site, counts in dropped_traffic.take_all(db).items():
            self._keep(db, site, Dropped(counts))

    def _keep(self, db: Connection, site: int, what: Said | Dropped) -> None:
        rows.keep(db, site, self._seal.seal(msgspec.msgpack.encode(what), owner=_OWNER), self._clock.now())

    def _told(self, row: tuple[int, int, bytes]) -> Told:
        number, site, sealed = row
        return Told(number, site, _WHAT.decode(self._seal.open(sealed, owner=_OWNER)))


def _is_of(told: Told, order: Order) -> bool:
    said = told.what
    if not isinstance(said, Said):
        return False
    named = bool(order.profile) and said.profile == order.profile
    return named or any(visitor in said.visitors and since <= said.at < until for visitor, since, until in order.stays)
