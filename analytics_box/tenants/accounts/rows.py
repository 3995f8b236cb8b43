"""Users, sign-in sessions, setup links and password links in box.db. Times are UTC ms.

Every function takes a connection inside the caller's transaction.
"""

from msgspec import Struct

from analytics_box.base.identity import DateFormat, Membership, Role, Theme, TimeFormat, WeekStart
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts.rules import User
from analytics_box.tenants.tenancy.rules import read_resources


def insert_user(db: Connection, user: User, *, zone_is_chosen: bool = False) -> None:
    """With `zone_is_chosen` no browser's time zone takes the place of the user's."""
    db.execute(
        """
        -- accounts.insert_user
        insert into users (id, email, password, time_zone, zone_is_chosen, is_administrator, created_at, name)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            user.id,
            user.email,
            user.password,
            user.time_zone,
            int(zone_is_chosen),
            int(user.is_administrator),
            user.created_at,
            user.name,
        ),
    )


def user_by_email(db: Connection, email: str) -> User | None:
    return records.one_of(
        db,
        User,
        """
        -- accounts.user_by_email
        select id, email, password, time_zone, is_administrator, created_at, name from users where email = ?
        """,
        (email,),
    )


def any_user(db: Connection) -> bool:
    """Whether the box has been set up."""
    return db.execute("-- accounts.any_user\nselect 1 from users limit 1").fetchone() is not None


def first_organization_of(db: Connection, user_id: str) -> str | None:
    """The organization that a new session of this user starts on."""
    found = db.execute(
        """
        -- accounts.first_organization_of
        select members.organization_id
        from members
        join organizations on organizations.id = members.organization_id and organizations.deleted_at is null
        where members.user_id = ?
        order by members.created_at, members.organization_id limit 1
        """,
        (user_id,),
    ).fetchone()
    return None if found is None else str(found[0])


def follow_time_zone(db: Connection, user_id: str, time_zone: str) -> None:
    """Take over the browser's time zone, unless the user has chosen one."""
    db.execute(
        """
        -- accounts.follow_time_zone
        update users set time_zone = ? where id = ? and zone_is_chosen = 0 and time_zone <> ?
        """,
        (time_zone, user_id, time_zone),
    )


def name_of(db: Connection, user_id: str) -> str:
    """The name of a user; empty if unknown."""
    found = db.execute("-- accounts.name_of\nselect name from users where id = ?", (user_id,)).fetchone()
    return "" if found is None else str(found[0])


def set_name(db: Connection, user_id: str, name: str) -> None:
    db.execute("-- accounts.set_name\nupdate users set name = ? where id = ?", (name, user_id))


def set_password(db: Connection, user_id: str, password: str) -> None:
    """`password` is an Argon2 hash."""
    db.execute("-- accounts.set_password\nupdate users set password = ? where id = ?", (password, user_id))


def replace_setup_token(db: Connection, digest: bytes, now: int) -> None:
    """Only one setup link works at a time: the newest."""
    db.execute("-- accounts.replace_setup_token\ndelete from setup_tokens")
    db.execute(
        "-- accounts.replace_setup_token\ninsert into setup_tokens (digest, created_at) values (?, ?)", (digest, now)
    )


def setup_token_made_at(db: Connection, digest: bytes) -> int | None:
    """The creation time of this setup link, in UTC ms; None if it does not exist or is no longer valid."""
    found = db.execute(
        "-- accounts.setup_token_made_at\nselect created_at from setup_tokens where digest = ?", (digest,)
    ).fetchone()
    return None if found is None else int(str(found[0]))


def delete_old_setup_tokens(db: Connection, *, made_before: int) -> None:
    db.execute(
        "-- accounts.delete_old_setup_tokens\ndelete from setup_tokens where created_at <= ?",
        (made_before,),
    )


def delete_setup_tokens(db: Connection) -> None:
    db.execute("-- accounts.delete_setup_tokens\ndelete from setup_tokens")


def insert(db: Connection, *, digest: bytes, user_id: str, now: int, expires_at: int, by_mail: bool) -> None:
    """Add a link. Others of the user go on working, because a stranger may have asked for this one."""
    db.execute(
        """
        -- resets.insert
        insert into password_resets (digest, user_id, created_at, expires_at, by_mail) values (?, ?, ?, ?, ?)
        """,
        (digest, user_id, now, expires_at, int(by_mail)),
    )


def user_of(db: Connection, digest: bytes, *, now: int) -> User | None:
    """The user of this link while it is valid."""
    return records.one_of(
        db,
        User,
        """
        -- resets.user_of
        select users.id, users.email, users.password, users.time_zone, users.is_administrator, users.created_at,
               users.name
        from password_resets
        join users on users.id = password_resets.user_id
        where password_resets.digest = ? and password_resets.expires_at > ?
        """,
        (digest, now),
    )


def is_by_mail(db: Connection, digest: bytes) -> bool:
    """Whether only the account's mailbox has this link."""
    found = db.execute(
        "-- resets.is_by_mail\nselect by_mail from password_resets where digest = ?", (digest,)
    ).fetchone()
    return found is not None and bool(found[0])


def delete_of_user(db: Connection, user_id: str) -> None:
    db.execute("-- resets.delete_of_user\ndelete from password_resets where user_id = ?", (user_id,))


def delete_ended(db: Connection, *, now: int) -> None:
    db.execute("-- resets.delete_ended\ndelete from password_resets where expires_at <= ?", (now,))


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


def insert_session(db: Connection, *, digest: bytes, user_id: str, organization_id: str, device: str, now: int) -> None:
    db.execute(
        """
        -- sessions.insert
        insert into sessions (digest, user_id, organization_id, device, created_at, seen_at) values (?, ?, ?, ?, ?, ?)
        """,
        (digest, user_id, organization_id, device, now, now),
    )


def find_session(db: Connection, digest: bytes) -> SignInSession | None:
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
    found = find_session(db, digest)
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


def sessions_of_user(db: Connection, user_id: str) -> list[AccountSession]:
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


def touch_session(db: Connection, digest: bytes, now: int) -> None:
    db.execute("-- sessions.touch\nupdate sessions set seen_at = ? where digest = ?", (now, digest))


def delete_session(db: Connection, digest: bytes) -> None:
    db.execute("-- sessions.delete\ndelete from sessions where digest = ?", (digest,))


def delete_sessions_of_user(db: Connection, user_id: str, *, keep: bytes = b"") -> int:
    """End all sessions of a user but one; how many ended."""
    return len(
        db.execute(
            "-- sessions.delete_of_user\ndelete from sessions where user_id = ? and digest <> ? returning 1",
            (user_id, keep),
        ).fetchall()
    )


def delete_old_sessions(db: Connection, *, created_before: int, seen_before: int) -> None:
    db.execute(
        "-- sessions.delete_old\ndelete from sessions where created_at <= ? or seen_at <= ?",
        (created_before, seen_before),
    )
