"""Links that set a new password, in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts.rules import User


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
