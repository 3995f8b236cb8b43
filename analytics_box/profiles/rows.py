"""People and their links in events.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Iterable

from msgspec import Struct

from analytics_box.clock import DAY
from analytics_box.profiles.rules import Link
from analytics_box.store.db import Connection

_MOST_NAMED_ALIKE = 1_000


class Stored(Struct, frozen=True):
    """A person's row. `traits` are sealed; None where none were ever said. Times are UTC ms."""

    number: int
    profile_id: str
    created_at: int
    updated_at: int
    traits: bytes | None


_SELECT = """
    select profiles.profile, strings.value, profiles.created_at, profiles.updated_at, profiles.traits
    from profiles join strings on strings.id = profiles.profile
"""


def _stored(row: tuple[object, ...]) -> Stored:
    number, profile_id, created_at, updated_at, traits = row
    return Stored(
        int(str(number)),
        str(profile_id),
        int(str(created_at)),
        int(str(updated_at)),
        traits if isinstance(traits, bytes) else None,
    )


# Writing


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
    """What is known of a person from now on."""
    db.execute(
        """
        -- profiles.save
        insert into profiles (site, profile, created_at, updated_at, traits, email)
        values (:site, :profile, :now, :now, :traits, :email)
        on conflict (site, profile) do update set updated_at = :now, traits = :traits, email = :email
        """,
        {"site": site, "profile": profile, "now": now, "traits": traits, "email": email},
    )


def touch(db: Connection, site: int, profile: int, now: int) -> None:
    """A person was identified again, with nothing new to say."""
    db.execute(
        """
        -- profiles.touch
        insert into profiles (site, profile, created_at, updated_at) values (:site, :profile, :now, :now)
        on conflict (site, profile) do update set updated_at = :now
        """,
        {"site": site, "profile": profile, "now": now},
    )


def link(db: Connection, site: int, new: Link) -> None:
    """Write a link down; of two at the same instant the later one told counts."""
    db.execute(
        """
        -- profiles.link
        insert into visitor_profiles (site, visitor, time, profile) values (?, ?, ?, ?)
        on conflict (site, visitor, time) do update set profile = excluded.profile
        """,
        (site, new.visitor, new.time, new.profile),
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


def remove_site(db: Connection, site: int) -> None:
    """Forget everybody of a website that is gone."""
    db.execute("-- profiles.remove_site\ndelete from profiles where site = ?", (site,))
    db.execute("-- profiles.remove_site\ndelete from visitor_profiles where site = ?", (site,))
    db.execute("-- profiles.remove_site\ndelete from erasures where site = ?", (site,))


# Reading


def traits(db: Connection, site: int, profile: int) -> bytes | None:
    """What is known of a person, sealed."""
    row = db.execute(
        "-- profiles.traits\nselect traits from profiles where site = ? and profile = ?", (site, profile)
    ).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def find(db: Connection, site: int, profile_id: str) -> Stored | None:
    """The person with this id."""
    row = db.execute(
        f"-- profiles.find\n{_SELECT} where profiles.site = ? and profiles.profile = "
        "(select id from strings where value = ?)",
        (site, profile_id),
    ).fetchone()
    return _stored(row) if row else None


def newest(db: Connection, *, site: int, limit: int, offset: int) -> list[Stored]:
    """People of a website, the latest identified first."""
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
    return [_stored(row) for row in rows.fetchall()]


def search(db: Connection, *, site: int, profile_id: str, email: bytes | None, limit: int, offset: int) -> list[Stored]:
    """People whose id begins with this text, or whose e-mail address has this digest."""
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
    return [_stored(row) for row in rows.fetchall()]


def count(db: Connection, site: int) -> int:
    """How many people a website knows."""
    row = db.execute("-- profiles.count\nselect count(*) from profiles where site = ?", (site,)).fetchone()
    return int(str(row[0])) if row else 0


def links_of_visitor(db: Connection, site: int, visitor: int, time: int) -> tuple[list[Link], list[Link]]:
    """The visitor's nearest link at or before this time, and the nearest after it."""
    found: list[list[Link]] = []
    for condition, order in (("time <= ?", "desc"), ("time > ?", "asc")):
        rows = db.execute(
            f"""
            -- profiles.links_of_visitor
            select visitor, time, profile from visitor_profiles
            where site = ? and visitor = ? and {condition} order by time {order} limit 1
            """,
            (site, visitor, time),
        )
        found.append([_link(row) for row in rows.fetchall()])
    return found[0], found[1]


def links_around(db: Connection, site: int, profile: int) -> list[Link]:
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


def _link(row: tuple[object, ...]) -> Link:
    visitor, time, profile = row
    return Link(int(str(visitor)), int(str(time)), int(str(profile)))
