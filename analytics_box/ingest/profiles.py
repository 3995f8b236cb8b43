"""Profiles as identify and events name them. Used by the writer thread alone.

What is known of a person is sealed before it reaches the database. The memory here only saves look-ups: it may forget
anything at any time.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.facts.event import Event, Fact
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.store.strings import Strings
from analytics_box.ingest import profile_rules as rules
from analytics_box.ingest.profile_rules import Given, ProfileLink, Traits


def note(db: Connection, site: int, profile: int, now: int) -> None:
    """A person that was named exists from now on, if not before; that it was named again is noted once a day."""
    db.execute(
        """
        -- profiles.note
        insert into profiles (site, profile, created_at, updated_at) values (:site, :profile, :now, :now)
        on conflict (site, profile) do update set updated_at = :now where updated_at < :now - :day
        """,
        {"site": site, "profile": profile, "now": now, "day": DAY},
    )


def save(db: Connection, site: int, profile: int, *, traits: bytes | None, email: bytes | None, now: int) -> None:
    """Store a person's traits, replacing earlier ones."""
    db.execute(
        """
        -- profiles.save
        insert into profiles (site, profile, created_at, updated_at, traits, email)
        values (:site, :profile, :now, :now, :traits, :email)
        on conflict (site, profile) do update set
          updated_at = max(updated_at, :now), traits = :traits, email = :email
        """,
        {"site": site, "profile": profile, "now": now, "traits": traits, "email": email},
    )


def touch(db: Connection, site: int, profile: int, now: int) -> None:
    """A person was identified again, with nothing new to say."""
    db.execute(
        """
        -- profiles.touch
        insert into profiles (site, profile, created_at, updated_at) values (:site, :profile, :now, :now)
        on conflict (site, profile) do update set updated_at = max(updated_at, :now)
        """,
        {"site": site, "profile": profile, "now": now},
    )


def link(db: Connection, site: int, new: ProfileLink) -> None:
    """Write a link down; of two at the same instant the later one told counts."""
    db.execute(
        """
        -- profiles.link
        insert into visitor_profiles (site, visitor, time, profile) values (?, ?, ?, ?)
        on conflict (site, visitor, time) do update set profile = excluded.profile
        """,
        (site, new.visitor, new.time, new.profile),
    )


def traits(db: Connection, site: int, profile: int) -> bytes | None:
    """The encrypted traits of a person."""
    row = db.execute(
        "-- profiles.traits\nselect traits from profiles where site = ? and profile = ?", (site, profile)
    ).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def links_of_visitor(db: Connection, site: int, visitor: int, time: int) -> tuple[list[ProfileLink], list[ProfileLink]]:
    """The visitor's nearest link at or before this time, and the nearest after it."""
    found: list[list[ProfileLink]] = []
    for condition, order in (("time <= ?", "desc"), ("time > ?", "asc")):
        rows = db.execute(
            f"""
            -- profiles.links_of_visitor
            select visitor, time, profile from visitor_profiles
            where site = ? and visitor = ? and {condition} order by time {order} limit 1
            """,
            (site, visitor, time),
        )
        found.append(msgspec.convert(rows.fetchall(), list[ProfileLink]))
    return found[0], found[1]


CAPACITY = 50_000
_TRAITS = msgspec.json.Decoder(Traits)


class VisitorIdentification(Struct, frozen=True):
    """An identification of a visitor. `visitors` are the visitor's ids: today's, yesterday's or the lasting one.

    `perhaps` is the lasting id if the client did not say whether its id is anonymized, as SDKs leave it out.
    """

    site: int
    profile_id: str
    visitors: frozenset[int]
    traits: Given
    now: int
    perhaps: int = 0


class ProfileLinks:
    """Writes profiles and which visitor belongs to which. Its memory follows commits and rollbacks of events.db."""

    def __init__(self, strings: Strings, seal: Seal, clock: Clock) -> None:
        self._strings = strings
        self._seal = seal
        self._clock = clock
        # The newest link of (site, visitor); the (site, profile) that are known.
        self._newest: BoundedCache[tuple[int, int], ProfileLink] = BoundedCache(CAPACITY)
        self._known: BoundedCache[tuple[int, int], bool] = BoundedCache(CAPACITY)
        self._day = 0
        # The (site, visitor) ids in use that last.
        self._lasting: BoundedCache[tuple[int, int], bool] = BoundedCache(CAPACITY)
        self._learned: list[tuple[int, int]] = []  # keys of either

    def identify(self, db: Connection, said: VisitorIdentification) -> None:
        """Write down what was said, with what was known before. Raises BadRequest or SealBroken."""
        profile = self._strings.number(db, said.profile_id)
        if said.traits:
            self._learn_traits(db, said, profile)
        else:
            touch(db, said.site, profile, said.now)
        for visitor in self.visitors(said):
            self._link(db, said.site, ProfileLink(visitor, said.now, profile))

    def visitors(self, said: VisitorIdentification) -> frozenset[int]:
        """The visitor ids of an identification, as far as those in use are known."""
        return said.visitors | ({said.perhaps} if (said.site, said.perhaps) in self._lasting else frozenset())

    @property
    def can_seal(self) -> bool:
        """Whether there is a key for what is kept of people, be it another one than before."""
        try:
            self._seal.seal(b"", owner="")
        except SealBroken:
            return False
        return True

    def note(self, db: Connection, facts: Sequence[Fact]) -> None:
        """Link the visitors of facts that say who they are; remember which ids last, so that identify knows."""
        for fact in facts:
            if fact.visitor and fact.visitor == fact.yesterday:
                key = fact.site, fact.visitor
                if not self._lasting.get(key):
                    self._lasting.put(key, value=True)
            if not fact.profile or (isinstance(fact, Event) and fact.bot):
                continue
            self._look_again_each_day()
            profile = self._strings.named(db, fact.profile)
            if not profile:  # over budget
                continue
            self._know(db, fact.site, profile)
            for visitor in {fact.visitor, fact.yesterday} - {0}:
                self._link(db, fact.site, ProfileLink(visitor, fact.time, profile))

    def forget(self, site: int, profile: int, visitors: Iterable[int] = ()) -> None:
        """A person, or who these visitors were, was removed from the database."""
        self._known.drop((site, profile))
        gone = {(site, visitor) for visitor in visitors}
        gone |= {key for key, link in self._newest.items() if key[0] == site and link.profile == profile}
        for key in gone:
            self._newest.drop(key)

    def mark(self) -> int:
        return len(self._learned)

    def undo(self, mark: int) -> None:
        for key in self._learned[mark:]:
            self._newest.drop(key)
            self._known.drop(key)
        del self._learned[mark:]

    def committed(self) -> None:
        self._learned.clear()

    def _learn_traits(self, db: Connection, said: VisitorIdentification, profile: int) -> None:
        sealed = traits(db, said.site, profile)
        known = open_traits(self._seal, said.site, said.profile_id, sealed)
        merged = rules.merge(known, said.traits)
        address = rules.email(merged)
        sealed = seal_traits(self._seal, said.site, said.profile_id, merged)
        email = email_digest(self._seal, said.site, address) if address else None
        save(db, said.site, profile, traits=sealed, email=email, now=said.now)

    def _look_again_each_day(self) -> None:
        """Discard the cache daily: rows may have been removed since, and a person named each day must not expire
        (retention).
        """
        day = utc_day(self._clock.now())
        if day != self._day:
            self._day = day
            self._newest.clear()
            self._known.clear()

    def _know(self, db: Connection, site: int, profile: int) -> None:
        if (site, profile) not in self._known:
            note(db, site, profile, self._clock.now())
            self._known.put((site, profile), value=True)
            self._learned.append((site, profile))

    def _link(self, db: Connection, site: int, new: ProfileLink) -> None:
        newest = self._newest.get((site, new.visitor))
        if newest is not None and newest.profile == new.profile and newest.time <= new.time:
            return
        earlier, later = links_of_visitor(db, site, new.visitor, new.time)
        written = rules.next_link(earlier, later, new)
        if written is not None:
            link(db, site, written)
        if not later:
            self._newest.put((site, new.visitor), written or earlier[0])
            self._learned.append((site, new.visitor))


def seal_traits(seal: Seal, site: int, profile_id: str, traits: Traits) -> bytes:
    """The traits of a person, encrypted for storage."""
    return seal.seal(msgspec.json.encode(traits), owner=_owner(site, profile_id))


def open_traits(seal: Seal, site: int, profile_id: str, sealed: bytes | None) -> Traits:
    """The traits of a person, decrypted. Raises SealBroken."""
    return _TRAITS.decode(seal.open(sealed, owner=_owner(site, profile_id))) if sealed is not None else {}


def email_digest(seal: Seal, site: int, address: str) -> bytes:
    """The digest that finds a person by their email address, in lower case. Raises SealBroken."""
    return seal.digest(address, owner=f"profile e-mail {site}")


def _owner(site: int, profile_id: str) -> str:
    return f"profile {site} {profile_id}"
