"""Who visitors are, as ingest machines are told by POST /identify: each keeps it on its disk, sealed, until the primary
has written it down. What is known of people is on the primary alone.

An identification has a number, which grows. The primary notes the last one of each machine in the transaction that
writes it down, so that what is sent again is left out. It takes them only from a machine that has its newest mirror:
that one knows which websites are gone, has carried out all orders to remove people, and has none of theirs any more.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from functools import partial

import msgspec
from msgspec import Struct

from analytics_box.clock import Clock
from analytics_box.cluster import rows
from analytics_box.cluster.messages import Order, Told
from analytics_box.errors import BadRequest, BoxError, Unavailable
from analytics_box.ingest.profile_rules import Given
from analytics_box.ingest.profiles import Identified, ProfileLinks
from analytics_box.store.db import Connection, Db
from analytics_box.store.seal import Seal, SealBroken

log = logging.getLogger(__name__)

MOST_WAITING = 100_000
MOST_AT_ONCE, MOST_BYTES = 200, 200_000  # that go with one request
_OWNER = "identification"
_GIVEN = msgspec.json.Decoder(dict[str, str | int | float | bool | None])


class Kept(Struct, frozen=True, array_like=True):
    """An identification as it waits on disk, sealed."""

    profile: str
    visitors: list[int]
    traits: bytes  # JSON: numbers may be larger than msgpack has
    at: int


class Waiting:
    """What an ingest machine was told and the primary has not written down yet."""

    def __init__(self, events: Db, links: ProfileLinks, seal: Seal, clock: Clock) -> None:
        self._events, self._links, self._seal, self._clock = events, links, seal, clock

    def identify(self, db: Connection, said: Identified) -> None:
        """Keep it, in the writer's transaction. Raises Unavailable."""
        if rows.are_full(db, MOST_WAITING):
            raise Unavailable("The primary, which knows people, has been away for long", retry_after=60)
        kept = Kept(
            said.profile_id, sorted(self._links.visitors(said)), msgspec.json.encode(dict(said.traits)), said.now
        )
        rows.keep(db, said.site, self._seal.seal(msgspec.msgpack.encode(kept), owner=_OWNER), said.now)

    async def count(self) -> int:
        """How many there are."""
        return await self._events.read(rows.count_kept)

    async def next(self) -> list[Told]:
        """What is to be told next, in its order."""
        try:
            found = [self._told(*row) for row in await self._events.read(partial(rows.kept, most=MOST_AT_ONCE))]
        except SealBroken as broken:
            log.error("The primary cannot be told who people are: %s", broken)
            return []
        sizes, told = 0, []
        for one in found:
            sizes += len(one.traits) + len(one.profile) + 100
            if sizes > MOST_BYTES:
                break
            told.append(one)
        return told

    async def passed(self, last: int) -> None:
        """The primary has written down all up to this one."""
        await self._events.write(partial(rows.forget_kept_until, last=last))

    async def remove(self, order: Order) -> None:
        """Forget what was said of a person, and of these visitors, who are to be removed."""
        found = await self._events.read(partial(rows.kept, most=MOST_WAITING, site=order.site), seconds=60)
        gone = await asyncio.to_thread(lambda: [one.number for one in map(self._told_of, found) if _is_of(one, order)])
        if gone:
            await self._events.write(partial(rows.forget_kept, numbers=json.dumps(gone)))

    def _told_of(self, row: tuple[int, int, bytes]) -> Told:
        return self._told(*row)

    def _told(self, number: int, site: int, sealed: bytes) -> Told:
        kept = msgspec.msgpack.decode(self._seal.open(sealed, owner=_OWNER), type=Kept)
        return Told(number, site, kept.profile, kept.visitors, kept.traits, kept.at)


def _is_of(told: Told, order: Order) -> bool:
    named = bool(order.profile) and told.profile == order.profile
    return named or any(visitor in told.visitors and since <= told.at < until for visitor, since, until in order.stays)


class Writing:
    """What the primary does with what machines were told. The `lock` is held by whoever removes people."""

    def __init__(self, events: Db, links: ProfileLinks, lock: asyncio.Lock) -> None:
        self._events, self._links, self.lock = events, links, lock

    async def write(self, machine: int, told: Sequence[Told]) -> int:
        """Write down what this machine was told, and nothing twice; up to which one this is done, 0 for none."""
        try:
            return await self._events.write(partial(self._write, machine=machine, told=told), adds=True)
        except (BoxError, SealBroken) as broken:
            log.error("What ingest machine %d was told of people cannot be written down: %s", machine, broken)
            return 0

    def _write(self, db: Connection, *, machine: int, told: Sequence[Told]) -> int:
        last = rows.last_told(db, machine)
        for one in told:
            if one.number > last:
                self._identify(db, one, _GIVEN.decode(one.traits))
        last = max(last, told[-1].number)
        rows.note_told(db, machine, last)
        return last

    def _identify(self, db: Connection, one: Told, traits: Given) -> None:
        said = Identified(one.site, one.profile, frozenset(one.visitors), traits, one.at)
        try:
            self._links.identify(db, said)
        except BadRequest as much:  # beside what is known already, which the machine could not know
            log.warning("Traits that an ingest machine was told are left out: %s", much)
            self._links.identify(db, msgspec.structs.replace(said, traits={}))
