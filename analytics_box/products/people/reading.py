"""Profiles of a website for authorised readers and for filters of queries: found, listed, and with all their
activity.

Their traits are opened here and nowhere else.
"""

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from analytics_box.base.clock import iso
from analytics_box.base.facts import orders
from analytics_box.base.facts.event import METRICS, TIMINGS
from analytics_box.base.facts.tables import BY_NAME, PERSONAL
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.store.text_numbers import number_of
from analytics_box.ingest import profile_rules, profiles
from analytics_box.ingest.profile_rules import Traits, Value
from analytics_box.ingest.profiles import open_traits
from analytics_box.products.people import rows, rules, traces
from analytics_box.products.people.erasure import Erasures, subject_of_device, subject_of_person
from analytics_box.products.people.rows import StoredPerson
from analytics_box.products.people.rules import Holder
from analytics_box.products.people.traces import TraceRow, TraceSubject

log = logging.getLogger(__name__)

_KINDS = {1: "screen_view", 2: "custom", 3: "page_exit", 4: "measured"}
_METRICS = {number: name for name, number in {**TIMINGS, **METRICS}.items()}
_THERE = 1_000  # rows that are read in ClickHouse together
_END = 10**18 - 1  # no row there has a larger id
_INSTANTS = ("time", "session_started")


class ProfilePerson(Struct, frozen=True):
    """A profile of a website. Times are UTC ms. It is not `readable` if its traits were sealed with another key."""

    number: int
    profile_id: str
    created_at: int
    updated_at: int
    traits: Traits
    readable: bool = True

    @property
    def email(self) -> str:
        return profile_rules.email(self.traits)

    @property
    def display_name(self) -> str:
        return rules.display_name(self.traits)


class WalkPlace(NamedTuple):
    """The position of a walk through a person's traces."""

    table: str
    after: int


class Profiles(Struct, frozen=True):
    """The profiles of all websites, with what reading them needs."""

    events: Db
    seal: Seal
    erasures: Erasures

    async def listed(self, holder: Holder, search: str, *, limit: int, offset: int) -> list[ProfilePerson]:
        """Profiles of a website, the latest identified first; with a search those whose id begins with it, or whose
        e-mail address it is."""
        site = holder.site
        if search:
            email = self._digest(site, search.lower()) if "@" in search else None
            find = partial(rows.search, site=site, profile_id=search, email=email, limit=limit, offset=offset)
        else:
            find = partial(rows.newest, site=site, limit=limit, offset=offset)
        return [self._opened(site, stored) for stored in await self.events.read(find)]

    async def after(self, site: int, number: int, *, limit: int) -> list[ProfilePerson]:
        """Profiles of a website behind this one, by their numbers."""
        found = await self.events.read(partial(rows.after, site=site, number=number, limit=limit))
        return [self._opened(site, stored) for stored in found]

    async def find(self, holder: Holder, profile_id: str) -> ProfilePerson | None:
        """The profile with this id."""
        stored = await self.events.read(lambda db: rows.find(db, holder.site, profile_id))
        return self._opened(holder.site, stored) if stored is not None else None

    async def of_person(self, holder: Holder, person: ProfilePerson) -> TraceSubject:
        """The traces of a person."""
        return await self.events.read(lambda db: subject_of_person(db, holder.site, person.number))

    async def everything_of(self, holder: Holder, profile_id: str) -> tuple[ProfilePerson | None, TraceSubject] | None:
        """A person, with their traces on all machines; None if no machine knows the id.

        Raises Unavailable.
        """
        person = await self.find(holder, profile_id)
        if self.erasures.others is None:
            return None if person is None else (person, await self.of_person(holder, person))
        links = await self.erasures.others.links(holder.site, profile_id)
        if person is None and not links:
            return None
        return person, TraceSubject(holder.site, number_of(profile_id), tuple(rules.stays(links, 1)))

    def of_device(self, holder: Holder, client_id: str) -> TraceSubject:
        """The traces with this anonymousId."""
        return subject_of_device(self.erasures.salts.current(self.erasures.clock.now()), holder.site, client_id)

    async def traces(self, subject: TraceSubject) -> AsyncIterator[tuple[WalkPlace, list[dict[str, Any]]]]:
        """All that they did, readable, table by table and oldest first, a piece at a time."""
        for table in PERSONAL:
            async for found in self.traces_from(subject, WalkPlace(table, 0)):
                yield found

    async def traces_from(
        self, subject: TraceSubject, place: WalkPlace
    ) -> AsyncIterator[tuple[WalkPlace, list[dict[str, Any]]]]:
        """The rest of one table, a piece at a time, each with where it ends. Of several machines, all is in ClickHouse.

        Raises InClickHouse.
        """
        table, after = place
        beyond = self.erasures.beyond
        top = _END if beyond.is_shared else await self.events.read(partial(traces.newest, table=table))
        while after < top:
            floor = _END if beyond.is_shared else await beyond.floor(table)
            if after < floor:
                after, found = await self._elsewhere(subject, table, after, floor)
                yield WalkPlace(table, after), found
                continue
            until = after + traces.PIECE
            found = await self.events.read(partial(_readable, table=table, subject=subject, after=after, until=until))
            if await beyond.floor(table) > after:
                continue  # They were trimmed in the meantime.
            after = until
            yield WalkPlace(table, after), found

    async def _elsewhere(
        self, subject: TraceSubject, table: str, after: int, floor: int
    ) -> tuple[int, list[dict[str, Any]]]:
        """The next rows of those in ClickHouse, up to the floor, and up to which id they are. Raises InClickHouse."""
        stays = tuple((stay.visitor, stay.since, stay.until) for stay in subject.stays)
        person = orders.OfPerson(subject.site, subject.profile, stays)
        theirs = " or ".join(f"({condition})" for condition in person.conditions(table))
        beyond = self.erasures.beyond
        if not theirs or not (beyond.is_shared or await beyond.has_any(subject.site)):
            return floor, []
        columns = ("id", "session", *BY_NAME[table].names)
        where = f"id > {after} and ({theirs})"
        rows = await beyond.rows(table, columns, where, order="id", most=_THERE)
        found = [TraceRow(row[0], row[1], tuple(row[2:])) for row in rows]
        strings = traces.strings_of(table, found)
        names = await (
            beyond.texts(strings)
            if beyond.is_shared
            else self.events.read(partial(traces.strings_numbered, strings=strings))
        )
        return found[-1].id if len(found) == _THERE else floor, [readable(table, trace, names) for trace in found]

    def _opened(self, site: int, stored: StoredPerson) -> ProfilePerson:
        try:
            known, readable = profiles.open_traits(self.seal, site, stored.profile_id, stored.traits), True
        except SealBroken as broken:
            log.error("The profile of a visitor cannot be read: %s", broken)
            known, readable = {}, False
        return ProfilePerson(stored.number, stored.profile_id, stored.created_at, stored.updated_at, known, readable)

    def _digest(self, site: int, address: str) -> bytes | None:
        try:
            return profiles.email_digest(self.seal, site, address)
        except SealBroken:  # nothing was sealed yet, or with a key that is gone
            return None


def _readable(db: Connection, *, table: str, subject: TraceSubject, after: int, until: int) -> list[dict[str, Any]]:
    found = traces.find(db, table, subject, after, until)
    names = traces.strings_numbered(db, traces.strings_of(table, found))
    return [readable(table, trace, names) for trace in found]


def readable(table: str, trace: TraceRow, names: Mapping[int, str]) -> dict[str, Any]:
    """A row as people read it: texts instead of their numbers, times in UTC, and nothing that says nothing."""
    strings = set(BY_NAME[table].strings)
    row: dict[str, Any] = {}
    for column, value in zip(BY_NAME[table].names, trace.values, strict=True):
        if column in strings:
            row[column] = names.get(value, "")
        elif column in _INSTANTS:
            row[column] = iso(value) if value else ""
        elif column == "kind":
            row[column] = _KINDS[value]
        elif column == "metric":
            row[column] = _METRICS.get(value, value)
        elif column == "properties":
            row[column] = json.loads(value) if value else ""
        elif column in {"visitor", "session"}:
            row[column] = str(value) if value else ""
        elif column != "site":
            row[column] = value
    return {column: value for column, value in row.items() if value != ""}


class EncryptedTraits:
    """The traits of people, searched one by one: they are encrypted, so no database can search them."""

    def __init__(self, events: Db, seal: Seal) -> None:
        self._events = events
        self._seal = seal

    async def having(self, site: int, trait: str, matches: Callable[[str], bool]) -> tuple[str, ...]:
        """The profile ids of the people whose trait, as text, matches. Raises SealBroken or DeadlineExceeded."""

        def look(db: Connection) -> tuple[str, ...]:
            found = []
            for profile_id, sealed in _sealed_traits(
                db, site
            ):  # read as they are looked at, so that the deadline holds
                value = open_traits(self._seal, site, profile_id, sealed).get(trait)
                if value is not None and matches(_text(value)):
                    found.append(profile_id)
            return tuple(found)

        return await self._events.read(look, long=True)


def _sealed_traits(db: Connection, site: int) -> Iterator[tuple[str, bytes]]:
    rows = db.execute(
        """
        -- reading.sealed
        select strings.value, traits from profiles join strings on strings.id = profile
        where site = ? and traits is not null
        """,
        (site,),
    )
    return ((str(name), sealed) for name, sealed in rows if isinstance(sealed, bytes))


def _text(value: Value) -> str:
    """A trait as filters see it: true and false in lower case, whole numbers without a fraction."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
