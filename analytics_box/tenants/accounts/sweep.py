"""Removal of expired account data, now and then, inside the caller's transaction."""

from analytics_box.base.store.db import Connection
from analytics_box.tenants.accounts import reset_rows, rows, rules, second_factor_rows
from analytics_box.tenants.accounts import session_rows as sessions


def sweep(db: Connection, now: int) -> None:
    """Delete ended sessions, expired links, and second factors that were begun and never confirmed."""
    sessions.delete_old(db, created_before=now - rules.SESSION_LIFE, seen_before=now - rules.SESSION_IDLE)
    reset_rows.delete_ended(db, now=now)
    rows.delete_old_setup_tokens(db, made_before=now - rules.SETUP_LIFE)
    second_factor_rows.delete_unconfirmed(db, made_before=now - rules.UNCONFIRMED_LIFE)
