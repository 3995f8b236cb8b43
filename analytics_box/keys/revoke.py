"""Revoking an API key: the one change that cannot be undone (spec 3)."""

from msgspec.structs import replace

from analytics_box import audit
from analytics_box.errors import Conflict, NotFound
from analytics_box.identity import Key
from analytics_box.keys import rows
from analytics_box.store.db import Connection


def revoke(db: Connection, key_id: str, *, actor: str, now: int) -> tuple[bytes, Key]:
    """Disable a key for good, with its audit entry; returns what the ring has to remember after the commit.

    Raises NotFound, and Conflict for a key that is revoked already.
    """
    found = rows.by_id(db, key_id)
    if found is None:
        raise NotFound("There is no API key with this id")
    digest, key = found
    if key.revoked_at is not None:
        raise Conflict("This API key is revoked already")
    rows.revoke(db, key_id, now)
    audit.record(
        db,
        now=now,
        organization_id=key.organization_id,
        actor=actor,
        action="revoked",
        subject="api_key",
        subject_id=key.id,
        detail={"name": key.name, "start": key.start},
    )
    return digest, replace(key, enabled=False, revoked_at=now)
