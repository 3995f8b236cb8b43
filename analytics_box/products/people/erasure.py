"""Removing a person or a device for good (GDPR): who they are, what they did, how it was said.

An erasure is written down first and done then, in small pieces, so that events which arrive hardly wait; after a crash
it goes on where it was. When it is done, nothing that was acknowledged before is left: no row, no session to be
continued, and no string that only these rows had. What arrives later is new.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec import Struct

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.clock import Clock
from analytics_box.base.errors import InClickHouse
from analytics_box.base.facts import orders
from analytics_box.base.facts.event import LASTS
from analytics_box.base.facts.tables import PERSONAL
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.ingest.live import LiveSessions, visitor_key
from analytics_box.ingest.profile_rules import ProfileLink
from analytics_box.ingest.profiles import ProfileLinks
from analytics_box.ingest.visitors import SaltFile, Salts, by_client_id
from analytics_box.products.people import rows, rules, traces
from analytics_box.products.people.rows import Erasure
from analytics_box.products.people.rules import FIRST, LAST, Holder, Stay
from analytics_box.products.people.traces import TraceRow, TraceSubject
from analytics_box.query.engines.beyond import Beyond

log = logging.getLogger(__name__)

MOST_PASSES = 10  # through all tables, should the person go on being identified as further visitors

Progress = Callable[[str], None]  # told before each piece of work, for tests that stop there


class ErasureDone(Struct, frozen=True):
    """An erasure that is done here. The audit log knows it by its id once it is `complete`: it is not as long as
    ClickHouse, which is away, has a part that is only there, or another machine has not removed its part."""

    id: str
    removed: int
    complete: bool = True


class Others(Protocol):
    """Other machines that take events of the same websites."""

    async def links(self, site: int, profile_id: str) -> list[ProfileLink]:
        """The links of all visitors that any machine knows as this person: the profile 1 is the person, 0 another one.
        Raises
        Unavailable.
        """

    async def order(self, site: int, profile_id: str, stays: Sequence[Stay], erasure: str) -> None:
        """Have all machines remove a person, if one is named, and these visitors, as a part of this erasure. It will be
        done, whatever happens. Raises Unavailable."""

    async def have_removed(self, erasure: str) -> bool:
        """Whether nothing is left of what they had to remove for this erasure, which is looked for in ClickHouse."""


class Erasures(Struct):
    """All that removing people needs. Where there are `others`, these remove first what they have."""

    events: Db
    box_db: Db
    profile_links: ProfileLinks
    strings: Strings
    live: LiveSessions
    salts: SaltFile
    clock: Clock
    lock: asyncio.Lock
    beyond: Beyond
    progress: Progress = lambda _: None
    others: Others | None = None

    async def person(self, holder: Holder, profile_id: str, actor: str) -> ErasureDone | None:
        """Remove a person with all that they did as any visitor; None if the id is unknown.

        Raises Unavailable where it cannot be found out now what other machines know.
        """
        stays, erasure_id = tuple[Stay, ...](), ids.new_id()
        if self.others is not None:
            known = await self.events.read(partial(_stays_here, site=holder.site, profile_id=profile_id))
            links = await self.others.links(holder.site, profile_id)
            if known is None and not links:
                return None
            stays = tuple(sorted({*(known or ()), *rules.stays(links, 1)}))
            await self.others.order(holder.site, profile_id, stays, erasure_id)
        new = partial(_erasure, erasure_id, holder, actor=actor)
        begin = partial(self._begin_person, site=holder.site, profile_id=profile_id, stays=stays, new=new)
        return await self._erase(begin)

    async def device(self, holder: Holder, client_id: str, actor: str) -> ErasureDone:
        """Remove what came with this anonymousId: its ids of today and yesterday, and the one that lasts.

        Older daily ids can no longer be found by it, since their salts are gone. Raises Unavailable as `person` does.
        """
        subject = subject_of_device(self.salts.current(self.clock.now()), holder.site, client_id)
        erasure = _erasure(ids.new_id(), holder, subject, actor=actor)
        if self.others is not None:
            await self.others.order(holder.site, "", subject.stays, erasure.id)
        done = await self._erase(partial(self._begun, erasure=erasure))
        assert done is not None  # noqa: S101  a device can always be looked for
        return done

    async def ordered(self, site: int, profile_id: str, stays: Sequence[tuple[int, int, int]]) -> ErasureDone | None:
        """Remove a person that another machine removes, by the id that the website gave, and these visitors."""
        return await self._erase(partial(self._begin_ordered, site=site, profile_id=profile_id, stays=stays))

    async def are_under_way(self) -> bool:
        """Whether a removal is in progress."""
        return bool(await self.events.read(rows.under_way))

    async def resume(self) -> None:
        """Complete all erasures that were broken off, or waited for ClickHouse or for other machines."""
        if self.others is not None:
            await self.others.have_removed("")  # what was ordered for an erasure that a crash kept from being begun
        for erasure_id in await self.events.read(rows.under_way):
            if not await self.beyond.has_removed(erasure_id) or not await self._others_have_removed(erasure_id):
                continue
            async with self.lock:
                erasure = await self.events.read(partial(rows.find_erasure, erasure_id=erasure_id))
                if erasure is not None:
                    await self._finish(erasure)

    async def _others_have_removed(self, erasure_id: str) -> bool:
        return self.others is None or await self.others.have_removed(erasure_id)

    async def _erase(self, begin: Callable[[Connection], Erasure | None]) -> ErasureDone | None:
        """Record it and do it, to the end even if the caller is gone."""

        async def whole() -> ErasureDone | None:
            async with self.lock:
                erasure = await self.events.write(begin)
                return await self._finish(erasure) if erasure is not None else None

        return await asyncio.shield(whole())

    def _begin_person(
        self,
        db: Connection,
        *,
        site: int,
        profile_id: str,
        stays: tuple[Stay, ...],
        new: Callable[[TraceSubject], Erasure],
    ) -> Erasure | None:
        """Remove the person's traits immediately, and store the rest of the erasure to be done."""
        if not stays and rows.find(db, site, profile_id) is None:
            return None
        return self._begun(db, new(_subject(db, site, profile_id, stays)))

    def _begun(self, db: Connection, erasure: Erasure) -> Erasure:
        rows.insert_erasure(db, erasure, self.clock.now())
        if erasure.subject.profile > 0:
            rows.note_progress(db, erasure.id, 0, {traces.STRINGS: [erasure.subject.profile]})
        self._forget(db, erasure.subject)
        return erasure

    def _begin_ordered(
        self, db: Connection, *, site: int, profile_id: str, stays: Sequence[tuple[int, int, int]]
    ) -> Erasure:
        told = tuple(Stay(*stay) for stay in stays)
        subject = _subject(db, site, profile_id, told) if profile_id else TraceSubject(site, 0, told)
        return self._begun(db, Erasure(ids.new_id(), subject, "", "", ""))

    def _forget(self, db: Connection, subject: TraceSubject) -> None:
        """Delete a person's profile, in the database and in memory."""
        visitors = {stay.visitor for stay in subject.stays}
        if subject.profile:
            rows.remove(db, subject.site, subject.profile)
        else:
            rows.remove_visitors(db, subject.site, visitors)
        self.profile_links.forget(subject.site, subject.profile, visitors)

    async def _finish(self, erasure: Erasure) -> ErasureDone:
        """Do what is written down. One at a time: the caller holds the lock."""
        for _ in range(MOST_PASSES):
            if await self._pass(erasure):
                break
            erasure = await self._fresh(erasure)
        if not await self.beyond.has_removed(erasure.id):
            return await self._waits(erasure)
        try:
            await self._sweep(erasure)
        except InClickHouse:
            return await self._waits(erasure)
        if not await self._others_have_removed(erasure.id):
            return await self._waits(erasure)
        erasure = await self._fresh(erasure)
        self.progress("audit")
        if erasure.organization_id:  # what another machine ordered is in its audit log
            await self.box_db.write(partial(_record, erasure=erasure, now=self.clock.now()))
        self.progress("finish")
        await self.events.write(lambda db: rows.finish(db, erasure.id))
        log.info("Removal %s is complete: %d rows", erasure.id, erasure.removed)
        return ErasureDone(erasure.id, erasure.removed)

    async def _waits(self, erasure: Erasure) -> ErasureDone:
        """The result of an erasure that waits for ClickHouse or for other machines."""
        log.warning("Removal %s is done on this machine and waits for ClickHouse or other machines", erasure.id)
        return ErasureDone(erasure.id, (await self._fresh(erasure)).removed, complete=False)

    async def _fresh(self, erasure: Erasure) -> Erasure:
        found = await self.events.read(lambda db: rows.find_erasure(db, erasure.id))
        return found or erasure

    async def _pass(self, erasure: Erasure) -> bool:
        """Walk through all tables once; whether that was all.

        The newest row of a table waits for the end, so that no row that arrives before gets the id of a removed one.
        """
        tops = {}
        for table in PERSONAL:
            top = await self.events.read(partial(traces.newest, table=table))
            tops[table] = top - 1
            for after in range(await self.beyond.floor(table), top - 1, traces.PIECE):
                until = min(after + traces.PIECE, top - 1)
                found = await self.events.read(
                    partial(_find, table=table, subject=erasure.subject, after=after, until=until)
                )
                if found:
                    self.progress(table)
                    await self.events.write(partial(self._remove, erasure=erasure, table=table, found=found))
        self.progress("settle")
        return await self.events.write(partial(self._settle, erasure=erasure, tops=tops))

    def _settle(self, db: Connection, *, erasure: Erasure, tops: dict[str, int]) -> bool:
        """Remove rows that arrived in the meantime, and return whether that is all.

        If the person was identified in further visitors since, these are also stored to be erased.
        """
        subject = erasure.subject
        for table, top in tops.items():
            found = traces.find(db, table, subject, top)
            if found:
                self._remove(db, erasure=erasure, table=table, found=found)
        links = rows.links_around(db, subject.site, subject.profile) if subject.profile else []
        further = set(rules.stays(links, subject.profile)) - set(subject.stays)
        self._forget(db, subject)
        if (subject.profile or subject.stays) and (further or not orders.is_open(db, erasure.id)):
            stays = tuple((stay.visitor, stay.since, stay.until) for stay in sorted(further.union(subject.stays)))
            orders.note(db, orders.OfPerson(subject.site, subject.profile, stays, erasure.id))
        if further:
            rows.widen(db, erasure.id, sorted(further.union(subject.stays)))
        return not further

    def _remove(self, db: Connection, *, erasure: Erasure, table: str, found: Sequence[TraceRow]) -> None:
        """Remove rows, and end their sessions: what comes next begins new ones."""
        sessions = {trace.session for trace in found} - {0}
        rows.note_progress(db, erasure.id, len(found), traces.references_of(db, table, found))
        rows.note_progress(db, erasure.id, 0, traces.take_replaced(db, erasure.subject.site, sessions))
        traces.remove(db, table, found)
        self.live.drop(sessions)
        visitors = {stay.visitor for stay in erasure.subject.stays}
        self.live.forget_waiting([visitor_key(erasure.subject.site, visitor) for visitor in visitors])

    async def _sweep(self, erasure: Erasure) -> None:
        """Remove the strings, and the combinations of strings, that no row has."""
        for kind in traces.KINDS:
            left = await self.events.read(partial(rows.numbers_of, erasure_id=erasure.id, kind=kind))
            tops = {}
            for table in traces.tables_of(kind):
                top = await self.events.read(partial(traces.newest, table=table))
                tops[table] = top - 1
                floor = await self.beyond.floor(table)
                for until in range(top - 1, floor, -traces.PIECE):  # the newest first: they have what is common
                    if not left:
                        break
                    after = max(until - traces.PIECE, 0)
                    look = partial(traces.used, kind=kind, table=table, numbers=left, after=after, until=until)
                    left = left - await self.events.read(look)
            if kind == traces.STRINGS:
                left = left - await self.beyond.used(left)
            self.progress(kind)
            await self.events.write(partial(self._remove_unused, erasure=erasure, kind=kind, tops=tops, left=left))

    def _remove_unused(
        self, db: Connection, *, erasure: Erasure, kind: str, tops: dict[str, int], left: set[int]
    ) -> None:
        for table, top in tops.items():
            left = left - traces.used(db, kind, table, left, top)
        if kind == traces.STRINGS:
            rows.mark_emptied(db, erasure.id)
            left = left - traces.used_elsewhere(db, left)
            self.strings.forget({*traces.strings_numbered(db, left).values()})
        else:
            self.strings.forget_together(kind, left)
        traces.remove_unused(db, kind, left)
        rows.forget(db, erasure.id, kind)


def subject_of_person(db: Connection, site: int, profile: int) -> TraceSubject:
    """The traces of this person, as known now."""
    return TraceSubject(site, profile, tuple(rules.stays(rows.links_around(db, site, profile), profile)))


def _subject(db: Connection, site: int, profile_id: str, stays: tuple[Stay, ...]) -> TraceSubject:
    """The traces of a person, as this machine and others know them. Rows that name another person are excluded, even if
    this
    machine does not know the person.
    """
    profile = rows.number(db, profile_id)
    if profile is None:
        return TraceSubject(site, traces.UNKNOWN, stays)
    own = subject_of_person(db, site, profile)
    return TraceSubject(site, profile, tuple(sorted({*own.stays, *stays})))


def _stays_here(db: Connection, *, site: int, profile_id: str) -> tuple[Stay, ...] | None:
    """The visitors that a person was as this machine knows; None if it does not know the person."""
    known = rows.find(db, site, profile_id)
    return None if known is None else subject_of_person(db, site, known.number).stays


def subject_of_device(salts: Salts, site: int, client_id: str) -> TraceSubject:
    """The traces with this anonymousId: under the salts that exist, or as an id that lasts.

    Early development versions stored such an id as an even one if it was seen on a single day only.
    """
    visitors = {by_client_id(salt, site, client_id) for salt in (b"", salts.today, salts.yesterday)}
    visitors.add(by_client_id(b"", site, client_id) & ~LASTS)
    return TraceSubject(site, 0, tuple(Stay(visitor, FIRST, LAST) for visitor in sorted(visitors)))


def _erasure(erasure_id: str, holder: Holder, subject: TraceSubject, *, actor: str) -> Erasure:
    return Erasure(erasure_id, subject, holder.website_id, holder.organization_id, actor)


def _find(db: Connection, *, table: str, subject: TraceSubject, after: int, until: int) -> list[TraceRow]:
    return traces.find(db, table, subject, after, until)


def _record(db: Connection, *, erasure: Erasure, now: int) -> None:
    """Write the audit entry, once. It has the number of removed rows, not the person's name."""
    if audit.has(db, erasure.organization_id, "person", erasure.id):
        return
    audit.record(
        db,
        By(erasure.actor, now),
        erasure.organization_id,
        "deleted",
        "person",
        erasure.id,
        {**({"website": erasure.website_id} if erasure.website_id else {}), "rowsRemoved": erasure.removed},
    )
