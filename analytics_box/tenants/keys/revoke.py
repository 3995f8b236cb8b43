"""Revoking an API key: the one change that cannot be undone (spec 3)."""

from msgspec.structs import replace

from analytics_box.base.acting import By
from analytics_box.base.identity import ApiKey
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys import change, rows, rules


def revoke(db: Connection, key_id: str, *, by: By, organization_id: str | None = None) -> tuple[bytes, ApiKey]:
    """Disable a key for good, with its audit entry; returns what the ring has to remember after the commit.

    Raises NotFound, also for a key of another organization than the given one, and Conflict for a revoked one.
    """
    digest, record = change.changeable(db, key_id, organization_id)
    revoked = replace(record, enabled=False, revoked_at=by.now, updated_at=by.now)
    rows.update(db, revoked, digest)
    change.note(db, revoked, "revoked", by=by)
    return digest, rules.key_of(revoked)
