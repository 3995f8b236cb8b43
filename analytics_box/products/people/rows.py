"""Profiles and their visitors in events.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Iterable

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.ingest.profile_rules import ProfileLink

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
    return [_link(row) for row in rows.fetchall()]


def _link(row: tuple[object, ...]) -> ProfileLink:
    visitor, time, profile = row
    return ProfileLink(int(str(visitor)), int(str(time)), int(str(profile)))
