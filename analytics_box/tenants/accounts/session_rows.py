"""Sign-in sessions in box.db. Every function takes a connection inside the caller's transaction. Times are UTC ms."""

from msgspec import Struct

from analytics_box.base.identity import DateFormat, Membership, Role, Theme, TimeFormat, WeekStart
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.tenancy.rules import read_resources


class SignInSession(Struct, frozen=True):
    """A sign-in session with its user and the user's role in the session's organization."""

    digest: bytes
    user_id: str
    organization_id: str
    created_at: int
    seen_at: int
    email: str
    time_zone: str
    theme: Theme
    date_format: DateFormat
    time_format: TimeFormat
    week_start: WeekStart
    role: Role
    is_administrator: bool


class AccountSession(Struct, frozen=True):
    """A session as its user sees it. `device` is in words; empty if unknown."""

    digest: bytes
    device: str
    created_at: int
    seen_at: int


def insert(db: Connection, *, digest: bytes, user_id: str, organization_id: str, device: str, now: int) -> None:
    db.execute(
        """
        -- sessions.insert
        insert into sessions (digest, user_id, organization_id, device, created_at, seen_at) values (?, ?, ?, ?, ?, ?)
        """,
        (digest, user_id, organization_id, device, now, now),
    )


def find(db: Connection, digest: bytes) -> SignInSession | None:
    """The sign-in behind a cookie's digest, whatever its age."""
    return records.one_of(
        db,
        SignInSession,
        """
        -- sessions.find
        select sessions.digest, sessions.user_id, sessions.organization_id, sessions.created_at, sessions.seen_at,
               users.email, users.time_zone, users.theme, users.date_format, users.time_format, users.week_start,
               members.role, users.is_administrator
        from sessions
        join users on users.id = sessions.user_id
        join members on members.user_id = sessions.user_id and members.organization_id = sessions.organization_id
        join organizations on organizations.id = sessions.organization_id and organizations.deleted_at is null
        where sessions.digest = ?
        """,
        (digest,),
    )


def find_with_memberships(db: Connection, digest: bytes) -> tuple[SignInSession | None, list[Membership]]:
    """The sign-in behind a cookie's digest, and all organizations of its user, the oldest membership first."""
    found = find(db, digest)
    if found is None:
        return None, []
    memberships = records.all_of(
        db,
        Membership,
        """
        -- sessions.find_with_memberships
        select members.organization_id, organizations.name, members.role, organizations.logo, members.resources
        from members
        join organizations on organizations.id = members.organization_id and organizations.deleted_at is null
        where members.user_id = ?
        order by members.created_at, members.organization_id
        """,
        (found.user_id,),
        decoded={"resources": read_resources},
    )
    return found, memberships


def set_organization(db: Connection, digest: bytes, organization_id: str) -> bool:
    """Turn a session to one of its user's organizations; whether it is one of them."""
    found = db.execute(
        """
        -- sessions.set_organization
        update sessions set organization_id = :organization_id
        where digest = :digest and exists (
          select 1 from members
          join organizations on organizations.id = members.organization_id and organizations.deleted_at is null
          where members.user_id = sessions.user_id and members.organization_id = :organization_id)
        returning 1
        """,
        {"organization_id": organization_id, "digest": digest},
    ).fetchall()
    return bool(found)


def of_user(db: Connection, user_id: str) -> list[AccountSession]:
    """All sessions of a user, the one seen last first, also those that have ended but are not swept yet."""
    return records.all_of(
        db,
        AccountSession,
        """
        -- sessions.of_user
        select digest, device, created_at, seen_at from sessions where user_id = ? order by seen_at desc, digest
        """,
        (user_id,),
    )


def touch(db: Connection, digest: bytes, now: int) -> None:
    db.execute("-- sessions.touch\nupdate sessions set seen_at = ? where digest = ?", (now, digest))


def delete(db: Connection, digest: bytes) -> None:
    db.execute("-- sessions.delete\ndelete from sessions where digest = ?", (digest,))


def delete_of_user(db: Connection, user_id: str, *, keep: bytes = b"") -> int:
    """End all sessions of a user but one; how many ended."""
    return len(
        db.execute(
            "-- sessions.delete_of_user\ndelete from sessions where user_id = ? and digest <> ? returning 1",
            (user_id, keep),
        ).fetchall()
    )


def delete_old(db: Connection, *, created_before: int, seen_before: int) -> None:
    db.execute(
        "-- sessions.delete_old\ndelete from sessions where created_at <= ? or seen_at <= ?",
        (created_before, seen_before),
    )
