"""Users, organizations, members, sign-in sessions and setup tokens in box.db.

Every function takes a connection inside the caller's transaction.
"""

import apsw
from msgspec import Struct

from analytics_box.accounts.rules import Organization, User
from analytics_box.identity import Role
from analytics_box.store import records


class SignIn(Struct, frozen=True):
    """A sign-in session with its user and the user's role in the session's organization."""

    digest: bytes
    user_id: str
    organization_id: str
    created_at: int
    seen_at: int
    email: str
    time_zone: str
    role: Role


def insert_organization(db: apsw.Connection, organization: Organization) -> None:
    db.execute(
        """
        -- accounts.insert_organization
        insert into organizations (id, name, slug, plan, site, created_at)
        values (?, ?, ?, ?, ?, ?)
        """,
        (
            organization.id,
            organization.name,
            organization.slug,
            organization.plan,
            organization.site,
            organization.created_at,
        ),
    )


def insert_user(db: apsw.Connection, user: User) -> None:
    db.execute(
        """
        -- accounts.insert_user
        insert into users (id, email, password, time_zone, is_administrator, created_at)
        values (?, ?, ?, ?, ?, ?)
        """,
        (user.id, user.email, user.password, user.time_zone, int(user.is_administrator), user.created_at),
    )


def insert_member(db: apsw.Connection, *, organization_id: str, user_id: str, role: str, now: int) -> None:
    db.execute(
        """
        -- accounts.insert_member
        insert into members (organization_id, user_id, role, created_at) values (?, ?, ?, ?)
        """,
        (organization_id, user_id, role, now),
    )


def organizations(db: apsw.Connection) -> list[Organization]:
    """All organizations, oldest first."""
    return records.all_of(
        db,
        Organization,
        """
        -- accounts.organizations
        select id, name, slug, plan, site, created_at from organizations order by created_at, id
        """,
    )


def user_by_email(db: apsw.Connection, email: str) -> User | None:
    return records.one_of(
        db,
        User,
        """
        -- accounts.user_by_email
        select id, email, password, time_zone, is_administrator, created_at from users where email = ?
        """,
        (email,),
    )


def any_user(db: apsw.Connection) -> bool:
    """Whether the box has been set up."""
    return db.execute("-- accounts.any_user\nselect 1 from users limit 1").fetchone() is not None


def first_organization_of(db: apsw.Connection, user_id: str) -> str | None:
    """The organization that a new session of this user starts on."""
    found = db.execute(
        """
        -- accounts.first_organization_of
        select organization_id from members where user_id = ? order by created_at, organization_id limit 1
        """,
        (user_id,),
    ).fetchone()
    return None if found is None else str(found[0])


def set_time_zone(db: apsw.Connection, user_id: str, time_zone: str) -> None:
    db.execute("-- accounts.set_time_zone\nupdate users set time_zone = ? where id = ?", (time_zone, user_id))


def insert_session(db: apsw.Connection, *, digest: bytes, user_id: str, organization_id: str, now: int) -> None:
    db.execute(
        """
        -- accounts.insert_session
        insert into sessions (digest, user_id, organization_id, created_at, seen_at) values (?, ?, ?, ?, ?)
        """,
        (digest, user_id, organization_id, now, now),
    )


def session(db: apsw.Connection, digest: bytes) -> SignIn | None:
    """The sign-in behind a cookie's digest, whatever its age."""
    return records.one_of(
        db,
        SignIn,
        """
        -- accounts.session
        select sessions.digest, sessions.user_id, sessions.organization_id, sessions.created_at, sessions.seen_at,
               users.email, users.time_zone, members.role
        from sessions
        join users on users.id = sessions.user_id
        join members on members.user_id = sessions.user_id and members.organization_id = sessions.organization_id
        where sessions.digest = ?
        """,
        (digest,),
    )


def touch_session(db: apsw.Connection, digest: bytes, now: int) -> None:
    db.execute("-- accounts.touch_session\nupdate sessions set seen_at = ? where digest = ?", (now, digest))


def delete_session(db: apsw.Connection, digest: bytes) -> None:
    db.execute("-- accounts.delete_session\ndelete from sessions where digest = ?", (digest,))


def delete_old_sessions(db: apsw.Connection, *, created_before: int, seen_before: int) -> None:
    db.execute(
        """
        -- accounts.delete_old_sessions
        delete from sessions where created_at < ? or seen_at < ?
        """,
        (created_before, seen_before),
    )


def replace_setup_token(db: apsw.Connection, digest: bytes, now: int) -> None:
    """Only one setup link works at a time: the newest."""
    db.execute("-- accounts.replace_setup_token\ndelete from setup_tokens")
    db.execute(
        "-- accounts.replace_setup_token\ninsert into setup_tokens (digest, created_at) values (?, ?)", (digest, now)
    )


def setup_token_made_at(db: apsw.Connection, digest: bytes) -> int | None:
    """When this setup link was made, in UTC ms; None where it was not, or no longer works."""
    found = db.execute(
        "-- accounts.setup_token_made_at\nselect created_at from setup_tokens where digest = ?", (digest,)
    ).fetchone()
    return None if found is None else int(str(found[0]))


def delete_setup_tokens(db: apsw.Connection) -> None:
    db.execute("-- accounts.delete_setup_tokens\ndelete from setup_tokens")
