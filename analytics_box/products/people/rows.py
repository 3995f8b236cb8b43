"""Profiles, their visitors, and erasures under way, in events.db.

Every function takes a connection inside the caller's transaction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.ingest.profile_rules import ProfileLink
from analytics_box.products.people.rules import Stay
from analytics_box.products.people.traces import TraceSubject

_MOST_NAMED_ALIKE = 1_000


class StoredPerson(Struct, frozen=True):
    """A person's row. `traits` are sealed; None if none were ever sent. Times are UTC ms."""

    number: int
    profile_id: str
    created_at: int
    updated_at: int
    traits: bytes | None


_SELECT = """
    select profiles.profile, strings.value, profiles.created_at, profiles.updated_at, profiles.traits
    from profiles join strings on strings.id = profiles.profile
"""


def _stored_person(row: tuple[object, ...]) -> StoredPerson:
    number, profile_id, created_at, updated_at, traits = row
    return StoredPerson(
        int(str(number)),
        str(profile_id),
        int(str(created_at)),
        int(str(updated_at)),
        traits if isinstance(traits, bytes) else None,
    )


def remove(db: Connection, site: int, profile: int) -> None:
    """Forget a person and who they were among the visitors."""
    db.execute("-- profiles.remove\ndelete from profiles where site = ? and profile = ?", (site, profile))
    db.execute("-- profiles.remove\ndelete from visitor_profiles where site = ? and profile = ?", (site, profile))


def remove_visitors(db: Connection, site: int, visitors: Iterable[int]) -> None:
    """Forget who these visitors were."""
    db.executemany(
        "-- profiles.remove_visitors\ndelete from visitor_profiles where site = ? and visitor = ?",
        [(site, visitor) for visitor in visitors],
    )


def find(db: Connection, site: int, profile_id: str) -> StoredPerson | None:
    """The person with this id."""
    row = db.execute(
        f"-- profiles.find\n{_SELECT} where profiles.site = ? and profiles.profile = "
        "(select id from strings where value = ?)",
        (site, profile_id),
    ).fetchone()
    return _stored_person(row) if row else None


def number(db: Connection, profile_id: str) -> int | None:
    """The number of a profile id, whether or not the person is known; None if no text has one."""
    row = db.execute("-- profiles.number\nselect id from strings where value = ?", (profile_id,)).fetchone()
    return int(str(row[0])) if row else None


def after(db: Connection, *, site: int, number: int, limit: int) -> list[StoredPerson]:
    """Profiles of a website behind this one, by their numbers."""
    found = db.execute(
        f"""
        -- profiles.after
        {_SELECT} where profiles.site = ? and profiles.profile > ? order by profiles.profile limit ?
        """,
        (site, number, limit),
    )
    return [_stored_person(row) for row in found.fetchall()]


def newest(db: Connection, *, site: int, limit: int, offset: int) -> list[StoredPerson]:
    """Profiles of a website, the latest identified first."""
    rows = db.execute(
        f"""
        -- profiles.newest
        {_SELECT}
        where profiles.site = ?
        order by profiles.updated_at desc, profiles.profile
        limit ? offset ?
        """,
        (site, limit, offset),
    )
    return [_stored_person(row) for row in rows.fetchall()]


def search(
    db: Connection, *, site: int, profile_id: str, email: bytes | None, limit: int, offset: int
) -> list[StoredPerson]:
    """Profiles whose id begins with this text, or whose e-mail address has this digest."""
    rows = db.execute(
        f"""
        -- profiles.search
        {_SELECT}
        where profiles.site = :site and profiles.profile in (
          select id from (
            select strings.id from strings
            where value >= :profile_id and value < :profile_id || char(1114111)
              and exists (select 1 from profiles where site = :site and profile = strings.id)
            limit :most
          )
          union
          select profile from profiles where site = :site and email = :email
        )
        order by profiles.updated_at desc, profiles.profile
        limit :limit offset :offset
        """,
        {
            "site": site,
            "profile_id": profile_id,
            "email": email,
            "most": _MOST_NAMED_ALIKE,
            "limit": limit,
            "offset": offset,
        },
    )
    return [_stored_person(row) for row in rows.fetchall()]


def links_around(db: Connection, site: int, profile: int) -> list[ProfileLink]:
    """All links of the visitors who were this person at any time."""
    rows = db.execute(
        """
        -- profiles.links_around
        select visitor, time, profile from visitor_profiles
        where site = :site
          and visitor in (select visitor from visitor_profiles where site = :site and profile = :profile)
        order by visitor, time
        """,
        {"site": site, "profile": profile},
    )
    return msgspec.convert(rows.fetchall(), list[ProfileLink])


class Erasure(Struct, frozen=True):
    """A person or a device that is being removed, on whose behalf, and how many rows are gone so far."""

    id: str
    subject: TraceSubject
    website_id: str
    organization_id: str
    actor: str
    removed: int = 0


def insert_erasure(db: Connection, erasure: Erasure, now: int) -> None:
    """From now on this erasure will be done, whatever happens to the box."""
    subject = erasure.subject
    db.execute(
        """
        -- erasures.insert
        insert into erasures (id, site, website_id, organization_id, actor, profile, visitors, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            erasure.id,
            subject.site,
            erasure.website_id,
            erasure.organization_id,
            erasure.actor,
            subject.profile,
            json.dumps(subject.stays),
            now,
        ),
    )


def find_erasure(db: Connection, erasure_id: str) -> Erasure | None:
    """The erasure with this id, as long as it is under way."""
    row = db.execute(
        """
        -- erasures.find
        select site, profile, visitors, website_id, organization_id, actor, removed from erasures where id = ?
        """,
        (erasure_id,),
    ).fetchone()
    if row is None:
        return None
    site, profile, visitors, website_id, organization_id, actor, removed = row
    stays = tuple(Stay(*stay) for stay in json.loads(str(visitors)))
    subject = TraceSubject(int(str(site)), int(str(profile)), stays)
    return Erasure(erasure_id, subject, str(website_id), str(organization_id), str(actor), int(str(removed)))


def under_way(db: Connection) -> list[str]:
    """The ids of all erasures under way, oldest first."""
    rows = db.execute("-- erasures.under_way\nselect id from erasures order by created_at, id")
    return [str(row[0]) for row in rows.fetchall()]


def widen(db: Connection, erasure_id: str, stays: Sequence[Stay]) -> None:
    """The subject turned out to have been in more visitors."""
    db.execute("-- erasures.widen\nupdate erasures set visitors = ? where id = ?", (json.dumps(stays), erasure_id))


def note_progress(db: Connection, erasure_id: str, removed: int, numbers: Mapping[str, Iterable[int]]) -> None:
    """Record removed rows, and numbers, by kind, that may have lost their last use."""
    db.execute("-- erasures.note\nupdate erasures set removed = removed + ? where id = ?", (removed, erasure_id))
    db.executemany(
        "-- erasures.note\ninsert or ignore into erasure_numbers (erasure, kind, number) values (?, ?, ?)",
        [(erasure_id, kind, number) for kind, found in numbers.items() for number in found],
    )


def numbers_of(db: Connection, erasure_id: str, kind: str) -> set[int]:
    """The strings, or combinations of this kind, that may have lost their last use."""
    rows = db.execute(
        "-- erasures.numbers\nselect number from erasure_numbers where erasure = ? and kind = ?", (erasure_id, kind)
    )
    return {int(str(row[0])) for row in rows.fetchall()}


def forget(db: Connection, erasure_id: str, kind: str) -> None:
    """Forget numbers that have been checked. Removed ones may soon belong to others."""
    db.execute("-- erasures.forget\ndelete from erasure_numbers where erasure = ? and kind = ?", (erasure_id, kind))


def mark_emptied(db: Connection, erasure_id: str) -> None:
    """Nothing is left to be found, and the numbers of its visitors may soon be those of others."""
    db.execute("-- erasures.emptied\nupdate erasures set profile = 0, visitors = '[]' where id = ?", (erasure_id,))


def finish(db: Connection, erasure_id: str) -> None:
    """Nothing is left to do."""
    db.execute("-- erasures.finish\ndelete from erasures where id = ?", (erasure_id,))
