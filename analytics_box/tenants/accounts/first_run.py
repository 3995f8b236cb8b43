"""The one-time setup link of a box without users (security: first run)."""

from analytics_box.base import ids
from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts import rows, rules
from analytics_box.tenants.accounts.rules import User


def new_link(db: Connection, *, base_url: str, now: int) -> str | None:
    """A new setup link, which revokes older ones; None once there is an account."""
    if rows.any_user(db):
        return None
    token = ids.new_token()
    rows.replace_setup_token(db, ids.digest(token), now)
    return f"{base_url}/setup?token={token}"


def is_over(db: Connection) -> bool:
    """Whether there is an account."""
    return rows.any_user(db)


def finish(db: Connection, user: User, *, zone_is_chosen: bool) -> None:
    """Store the first user; the setup link is void from now on."""
    rows.insert_user(db, user, zone_is_chosen=zone_is_chosen)
    rows.delete_setup_tokens(db)


def is_valid(db: Connection, token: str, now: int) -> bool:
    """Whether this token opens the setup page: the newest one, for 24 hours, while there is no user."""
    made_at = rows.setup_token_made_at(db, ids.digest(token))
    return made_at is not None and now - made_at < rules.SETUP_LIFE and not rows.any_user(db)
