"""Changing, rotating and deleting an API key, each with its audit entry in the same transaction."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys import rows, rules
from analytics_box.tenants.keys.rules import StoredKey

_AUDITED = ("name", "description", "enabled", "scopes", "resources", "tags", "ratelimit", "expires_at")


def update(
    db: Connection,
    key_id: str,
    edit: Callable[[StoredKey], StoredKey],
    *,
    organization_id: str,
    by: By,
) -> tuple[bytes, StoredKey]:
    """Store what `edit` makes of a key; returns the digest of its secret and the new record.

    Raises NotFound, Conflict for a revoked key, and what `edit` raises.
    """
    digest, before = changeable(db, key_id, organization_id)
    after = replace(edit(before), updated_at=by.now)
    changed = audit.difference(before, after, _AUDITED)
    if changed:
        rows.update(db, after, digest)
        note(db, after, "updated", by=by, detail={"changed": changed})
    return digest, after if changed else before


def rotate(db: Connection, key_id: str, *, organization_id: str, by: By) -> tuple[StoredKey, str]:
    """Give a key a new secret; returns the key and the secret, which is not kept anywhere.

    Raises NotFound, and Conflict for a revoked key.
    """
    _, record = changeable(db, key_id, organization_id)
    secret = ids.new_key_secret()
    rotated = replace(record, start=secret[: rules.START_LENGTH], updated_at=by.now)
    rows.update(db, rotated, ids.digest(secret))
    note(db, rotated, "rotated", by=by, detail={"start_before": record.start})
    return rotated, secret


def delete(db: Connection, key_id: str, *, organization_id: str, by: By) -> None:
    """Remove a key; only the audit log still knows of it. Raises NotFound."""
    _, record = find(db, key_id, organization_id)
    rows.delete(db, key_id)
    note(db, record, "deleted", by=by)


def find(db: Connection, key_id: str, organization_id: str | None) -> tuple[bytes, StoredKey]:
    """The key with this id, of this organization if one is given. Raises NotFound."""
    found = rows.by_id(db, key_id)
    if found is None or organization_id not in {None, found[1].organization_id}:
        raise NotFound.of("apiKey", key_id)
    return found


def changeable(db: Connection, key_id: str, organization_id: str | None) -> tuple[bytes, StoredKey]:
    """Find a key that may be changed. Raises NotFound, and Conflict for a revoked key."""
    digest, record = find(db, key_id, organization_id)
    if record.revoked_at is not None:
        raise Conflict("This API key is revoked. Create a new one")
    return digest, record


def note(
    db: Connection,
    record: StoredKey,
    action: audit.Action,
    *,
    by: By,
    detail: Mapping[str, object] | None = None,
) -> None:
    """The audit entry of a change. It names the key by the start of its secret."""
    audit.record(
        db,
        by,
        record.organization_id,
        action,
        "api_key",
        record.id,
        {"name": record.name, "start": record.start, **(detail or {})},
    )
