"""Profiles and their visitors in events.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.clock import DAY
from analytics_box.base.store.db import Connection
from analytics_box.ingest.profile_rules import ProfileLink


def note(db: Connection, site: int, profile: int, now: int) -> None:
    """A person that was named exists from now on, if not before; that it was named again is noted once a day."""
    db.execute(
        """
        -- profile_rows.note
        insert into profiles (site, profile, created_at, updated_at) values (:site, :profile, :now, :now)
        on conflict (site, profile) do update set updated_at = :now where updated_at < :now - :day
        """,
        {"site": site, "profile": profile, "now": now, "day": DAY},
    )


def save(db: Connection, site: int, profile: int, *, traits: bytes | None, email: bytes | None, now: int) -> None:
    """Store a person's traits, replacing earlier ones."""
    db.execute(
        """
        -- profile_rows.save
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
        -- profile_rows.touch
        insert into profiles (site, profile, created_at, updated_at) values (:site, :profile, :now, :now)
        on conflict (site, profile) do update set updated_at = max(updated_at, :now)
        """,
        {"site": site, "profile": profile, "now": now},
    )


def link(db: Connection, site: int, new: ProfileLink) -> None:
    """Write a link down; of two at the same instant the later one told counts."""
    db.execute(
        """
        -- profile_rows.link
        insert into visitor_profiles (site, visitor, time, profile) values (?, ?, ?, ?)
        on conflict (site, visitor, time) do update set profile = excluded.profile
        """,
        (site, new.visitor, new.time, new.profile),
    )


def traits(db: Connection, site: int, profile: int) -> bytes | None:
    """The encrypted traits of a person."""
    row = db.execute(
        "-- profile_rows.traits\nselect traits from profiles where site = ? and profile = ?", (site, profile)
    ).fetchone()
    return row[0] if row and isinstance(row[0], bytes) else None


def links_of_visitor(db: Connection, site: int, visitor: int, time: int) -> tuple[list[ProfileLink], list[ProfileLink]]:
    """The visitor's nearest link at or before this time, and the nearest after it."""
    found: list[list[ProfileLink]] = []
    for condition, order in (("time <= ?", "desc"), ("time > ?", "asc")):
        rows = db.execute(
            f"""
            -- profile_rows.links_of_visitor
            select visitor, time, profile from visitor_profiles
            where site = ? and visitor = ? and {condition} order by time {order} limit 1
            """,
            (site, visitor, time),
        )
        found.append([_link(row) for row in rows.fetchall()])
    return found[0], found[1]


def _link(row: tuple[object, ...]) -> ProfileLink:
    visitor, time, profile = row
    return ProfileLink(int(str(visitor)), int(str(time)), int(str(profile)))
