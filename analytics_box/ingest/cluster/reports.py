"""Reports of an ingest machine to its primary: identifications from POST /identify, and amounts of dropped traffic.

Both are kept on the machine's disk until the primary has stored them, which alone shows them. Reports are numbered in
ascending order. The primary notes the last number of each machine in the transaction that stores the reports, so that
repeats are skipped.

They are accepted only from a machine that has the newest mirror: that one knows which websites are gone, has carried
out all orders to remove people, and holds none of their data. A promoted primary may not know a website in a
report: then the report is skipped.
"""

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BadRequest, BoxError, Unavailable
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.ingest import dropped as dropped_traffic
from analytics_box.ingest.cluster import rows
from analytics_box.ingest.cluster.messages import DroppedReport, IdentityReport, MachineReport, RemovalOrder
from analytics_box.ingest.dropped import DroppedTraffic
from analytics_box.ingest.profiles import ProfileLinks, VisitorIdentification

log = logging.getLogger(__name__)

MOST_WAITING = 100_000
MOST_OF_A_SITE = 20_000  # of these, so that nobody who knows a website takes the room of all
MOST_AT_ONCE, MOST_BYTES = 200, 200_000  # that go with one request
_DROPPED_SECONDS = 60.0  # between two looks at what was dropped
_OWNER = "outbox"
_WHAT = msgspec.msgpack.Decoder(IdentityReport | DroppedReport)


class Outbox:
    """Encrypted reports waiting for the primary."""

    def __init__(self, events: Db, links: ProfileLinks, seal: Seal, clock: Clock) -> None:
        self._events, self._links, self._seal, self._clock = events, links, seal, clock
        self._looked_at = -math.inf  # at what was dropped: seconds of the clock
        self._is_broken = False  # what waits cannot be read, as the log says
        self.has_more = False  # than was told last
        self._passed = 0  # the last that the primary has
        self._dropped_until: int | None = None  # the last of what was dropped is not behind this
        # By site, as of the last look and with what has come since: looking takes long where there is much.
        self._waiting, self._all_waiting = Counter[int](), 0

    def identify(self, db: Connection, said: VisitorIdentification) -> None:
        """Keep who visitors are, in the writer's transaction. Raises Unavailable."""
        if self._all_waiting >= MOST_WAITING or self._waiting[said.site] >= MOST_OF_A_SITE:
            raise Unavailable(
                _("The primary, which stores profiles, has been unavailable for too long"), retry_after=60
            )
        # Numbers in JSON may be larger than msgpack has.
        traits = msgspec.json.encode(dict(said.traits))
        self._keep(db, said.site, IdentityReport(said.profile_id, sorted(self._links.visitors(said)), traits, said.now))
        self._waiting[said.site] += 1
        self._all_waiting += 1

    async def hand_over(self, dropped: DroppedTraffic) -> None:
        """Take over what was dropped, now and then; while some of it waits, it goes on being added up by day."""
        now = self._clock.monotonic()
        if now - self._looked_at < _DROPPED_SECONDS:
            return
        if self._dropped_until is None:
            self._dropped_until = await self._events.read(rows.newest_waiting)
        if self._passed >= self._dropped_until or not await self.count():
            self._looked_at = now
            await dropped.write()
            self._dropped_until = await self._events.write(self._take_over)

    async def count(self) -> int:
        """The number of waiting reports."""
        self._waiting = Counter(await self._events.read(rows.count_waiting))
        self._all_waiting = self._waiting.total()
        return self._all_waiting

    async def next(self) -> list[MachineReport]:
        """The next reports, in order.

        A report that cannot be read waits for its key; once one under another key is behind it, it is skipped.
        """
        found = await self._readable()
        size, told = 0, list[MachineReport]()
        for one in found:
            size += len(msgspec.msgpack.encode(one))
            if told and size > MOST_BYTES:
                break
            told.append(one)
        self.has_more = len(told) < len(found) or len(found) == MOST_AT_ONCE
        return told

    async def _readable(self) -> list[MachineReport]:
        """The first piece of which something can be read."""
        after, unread, told = 0, 0, list[MachineReport]()
        while not told:
            found = await self._events.read(partial(rows.waiting, most=MOST_AT_ONCE, after=after))
            if not found:
                break
            told = [one for row in found if (one := self._told(row)) is not None]
            unread += len(found) - len(told)
            after = found[-1][0]
        if unread and not self._is_broken:
            log.error("Cannot send all data waiting for the primary: secret.key has changed")
        self._is_broken = unread > 0
        return told

    async def passed(self, last: int) -> None:
        """The primary has written down all up to this one."""
        await self._events.write(partial(rows.forget_waiting_until, last=last))
        self._passed = last
        await self.count()

    async def remove(self, order: RemovalOrder) -> None:
        """Forget what was said of a person, and of these visitors, who are to be removed, and what nobody can read."""
        after = 0
        while found := await self._events.read(
            partial(rows.waiting, most=MOST_AT_ONCE, site=order.site, after=after), seconds=60
        ):
            after = found[-1][0]
            for number, site, sealed in found:
                told = self._told((number, site, sealed))
                if told is None and not self._links.can_seal:
                    raise Unavailable(_("This machine cannot read its secret.key, so it cannot remove visitors"))
                left = None if told is None else _without(told.what, order)
                if left is None:
                    await self._events.write(partial(rows.forget_waiting, number=number))
                elif told is not None and left != told.what:
                    await self._events.write(partial(rows.change_waiting, number=number, said=self._sealed(left)))

    def _take_over(self, db: Connection) -> int:
        for site, counts in dropped_traffic.take_all(db).items():
            self._keep(db, site, DroppedReport(counts))
        return rows.newest_waiting(db)

    def _keep(self, db: Connection, site: int, what: IdentityReport | DroppedReport) -> None:
        rows.keep(db, site, self._sealed(what), self._clock.now())

    def _sealed(self, what: IdentityReport | DroppedReport) -> bytes:
        return self._seal.seal(msgspec.msgpack.encode(what), owner=_OWNER)

    def _told(self, row: tuple[int, int, bytes]) -> MachineReport | None:
        """The report in a row; None if it cannot be read."""
        number, site, sealed = row
        try:
            return MachineReport(number, site, _WHAT.decode(self._seal.open(sealed, owner=_OWNER)))
        except SealBroken:
            return None


def _without(what: IdentityReport | DroppedReport, order: RemovalOrder) -> IdentityReport | DroppedReport | None:
    """The rest of a report: nothing about a person who is removed, and all of another one but visitors
    who are removed."""
    if not isinstance(what, IdentityReport):
        return what
    if order.profile:
        return None if what.profile == order.profile else what
    gone = {visitor for visitor, since, until in order.stays if since <= what.at < until}
    return replace(what, visitors=[visitor for visitor in what.visitors if visitor not in gone])


_GIVEN = msgspec.json.Decoder(dict[str, str | int | float | bool | None])


class Inbox:
    """The `lock` is held while visitors are removed."""

    def __init__(self, events: Db, box_db: Db, links: ProfileLinks, lock: asyncio.Lock) -> None:
        self._events, self._box_db, self._links, self.lock = events, box_db, links, lock
        self._trouble: dict[int, str] = {}  # of a machine, that the log tells of

    async def write(self, machine: int, told: Sequence[MachineReport]) -> int:
        """Write down what this machine has told; up to which one this is done, 0 for none."""
        try:
            sites = frozenset(await self._box_db.read(rows.sites_in_use))
            last = await self._events.write(partial(self._write, machine=machine, told=told, sites=sites), adds=True)
        except (BoxError, SealBroken) as broken:
            if str(broken) != self._trouble.get(machine):
                log.error("Cannot store the messages of ingest machine %d: %s", machine, broken)
            self._trouble[machine] = str(broken)
            return 0
        self._trouble.pop(machine, None)
        return last

    def _write(self, db: Connection, *, machine: int, told: Sequence[MachineReport], sites: frozenset[int]) -> int:
        last = rows.last_told(db, machine)
        for one in told:
            if one.number <= last or one.site not in sites:
                continue
            if isinstance(one.what, DroppedReport):
                dropped_traffic.add(db, one.site, one.what.counts)
            else:
                self._identify(db, one.site, one.what)
        last = max(last, told[-1].number)
        rows.note_told(db, machine, last)
        return last

    def _identify(self, db: Connection, site: int, said: IdentityReport) -> None:
        given = VisitorIdentification(site, said.profile, frozenset(said.visitors), _GIVEN.decode(said.traits), said.at)
        try:
            self._links.identify(db, given)
        except (BadRequest, SealBroken) as wrong:
            # There are too many next to those that are known, or these cannot be read: no machine could know that. All
            # that waits behind them would wait for ever.
            if isinstance(wrong, SealBroken) and not self._links.can_seal:
                raise
            log.warning("Ignoring invalid traits from an ingest machine: %s", wrong)
            self._links.identify(db, replace(given, traits={}))
