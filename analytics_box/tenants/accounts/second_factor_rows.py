"""Second factors and recovery codes in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Iterable

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection


class SecondFactor(Struct, frozen=True):
    """A user's second factor. `secret` is sealed; `step` is the latest one whose code was used. Times are UTC ms."""

    user_id: str
    secret: bytes
    step: int
    created_at: int
    confirmed_at: int | None


def find(db: Connection, user_id: str) -> SecondFactor | None:
    """A user's second factor, confirmed or not."""
    return records.one_of(
        db,
        SecondFactor,
        """
        -- second_factor.find
        select user_id, secret, step, created_at, confirmed_at from second_factors where user_id = ?
        """,
        (user_id,),
    )


def replace(db: Connection, found: SecondFactor) -> None:
    db.execute(
        """
        -- second_factor.replace
        insert into second_factors (user_id, secret, step, created_at, confirmed_at) values (?, ?, ?, ?, ?)
        on conflict (user_id) do update
        set secret = excluded.secret, step = excluded.step, created_at = excluded.created_at,
            confirmed_at = excluded.confirmed_at
        """,
        (found.user_id, found.secret, found.step, found.created_at, found.confirmed_at),
    )


def delete(db: Connection, user_id: str) -> None:
    """Forget a user's second factor and recovery codes."""
    db.execute("-- second_factor.delete\ndelete from recovery_codes where user_id = ?", (user_id,))
    db.execute("-- second_factor.delete\ndelete from second_factors where user_id = ?", (user_id,))


def delete_unconfirmed(db: Connection, *, made_before: int) -> None:
    """Forget secrets that no app has shown a code of."""
    db.execute(
        """
        -- second_factor.delete_unconfirmed
        delete from second_factors where confirmed_at is null and created_at <= ?
        """,
        (made_before,),
    )


def use_step(db: Connection, user_id: str, step: int) -> None:
    """Codes of this step and of earlier ones stop working."""
    db.execute("-- second_factor.use_step\nupdate second_factors set step = ? where user_id = ?", (step, user_id))


def replace_codes(db: Connection, user_id: str, digests: Iterable[bytes]) -> None:
    """Replace all recovery codes of a user."""
    db.execute("-- second_factor.replace_codes\ndelete from recovery_codes where user_id = ?", (user_id,))
    for digest in digests:
        db.execute(
            "-- second_factor.replace_codes\ninsert into recovery_codes (digest, user_id) values (?, ?)",
            (digest, user_id),
        )


def use_code(db: Connection, user_id: str, digest: bytes, now: int) -> bool:
    """Use up a recovery code; False where it is not one of the user's, or was used before."""
    found = db.execute(
        """
        -- second_factor.use_code
        update recovery_codes set used_at = ? where digest = ? and user_id = ? and used_at is null returning 1
        """,
        (now, digest, user_id),
    ).fetchone()
    return found is not None


def codes_left(db: Connection, user_id: str) -> int:
    """The number of unused recovery codes."""
    found = db.execute(
        "-- second_factor.codes_left\nselect count(*) from recovery_codes where user_id = ? and used_at is null",
        (user_id,),
    ).fetchone()
    return int(str(found[0])) if found is not None else 0
