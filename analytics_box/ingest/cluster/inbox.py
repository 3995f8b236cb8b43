"""Reports of ingest machines (cluster.outbox), stored by this primary without repeats.

They are accepted only from a machine that has the newest mirror: that one knows which websites are gone, has carried
out
all orders to remove people, and has none of theirs any more. A promoted primary may not know a website in a report:
then the report is skipped.
"""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import SealBroken
from analytics_box.ingest import dropped
from analytics_box.ingest.cluster import rows
from analytics_box.ingest.cluster.messages import DroppedReport, IdentityReport, MachineReport
from analytics_box.ingest.profiles import ProfileLinks, VisitorIdentification

log = logging.getLogger(__name__)

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
                dropped.add(db, one.site, one.what.counts)
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
