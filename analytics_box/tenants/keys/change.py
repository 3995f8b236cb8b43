"""Creating, changing, rotating, revoking and deleting an API key, each with its audit entry in the same transaction."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.identity import Scope
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.tenants.keys import rules
from analytics_box.tenants.keys.ring import KEYS
from analytics_box.tenants.keys.rules import StoredKey

_AUDITED = ("name", "description", "enabled", "scopes", "resources", "tags", "ratelimit", "expires_at")


def create(
    db: Connection,
    *,
    organization_id: str,
    name: str,
    scopes: tuple[Scope, ...],
    websites: tuple[str, ...] | None,
    by: By,
) -> tuple[StoredKey, str]:
    """Store a plain new key: these scopes on these websites, or on all (None). Return it with its secret."""
    values = {"name": name, "scopes": scopes, "resources": rules.resources_for(scopes, websites)}
    key, secret = draft(organization_id, values, now=by.now)
    key = rules.check(key, known=websites or (), now=by.now)
    store(db, key, by=by)
    return key, secret


def draft(organization_id: str, values: Mapping[str, Any], *, now: int) -> tuple[StoredKey, str]:
    """A new key with these values, and its secret."""
    key, secret = rules.new_key(organization_id, key_id=ids.new_id(), now=now)
    return replace(key, **values), secret


def store(db: Connection, key: StoredKey, *, by: By) -> None:
    """Store a checked new key."""
    detail = {"scopes": key.scopes, "resources": key.resources, "expires_at": key.expires_at}
    KEYS.create(db, by, key.organization_id, key, detail)


def update(
    db: Connection,
    key_id: str,
    edit: Callable[[StoredKey], StoredKey],
    *,
    organization_id: str,
    by: By,
) -> StoredKey:
    """Store what `edit` makes of a key. Raises NotFound, Conflict for a revoked key, and what `edit` raises."""
    before = changeable(db, key_id, organization_id)
    after = replace(edit(before), updated_at=by.now)
    changed = audit.difference(before, after, _AUDITED)
    if not changed:
        return before
    KEYS.update(db, after)
    KEYS.record(db, by, organization_id, "updated", after, {"changed": changed})
    return after


def rotate(db: Connection, key_id: str, *, organization_id: str, by: By) -> tuple[StoredKey, str]:
    """Give a key a new secret, which is returned and not stored. Raises NotFound, and Conflict for a revoked key."""
    before = changeable(db, key_id, organization_id)
    secret = ids.new_key_secret()
    start = secret[: rules.START_LENGTH]
    rotated = replace(before, digest=ids.digest(secret), start=start, updated_at=by.now)
    KEYS.update(db, rotated)
    KEYS.record(db, by, organization_id, "rotated", rotated, {"start_before": before.start})
    return rotated, secret


def revoke(db: Connection, key_id: str, *, organization_id: str, by: By) -> StoredKey:
    """Disable a key permanently. Raises NotFound, and Conflict for a revoked key."""
    before = changeable(db, key_id, organization_id)
    revoked = replace(before, enabled=False, revoked_at=by.now, updated_at=by.now)
    KEYS.update(db, revoked)
    KEYS.record(db, by, organization_id, "revoked", revoked)
    return revoked


def delete(db: Connection, key_id: str, *, organization_id: str, by: By) -> None:
    """Delete a key. Raises NotFound."""
    key = find(db, key_id, organization_id)
    KEYS.remove(db, by, organization_id, key)


def find(db: Connection, key_id: str, organization_id: str) -> StoredKey:
    """The key of an organization with this id. Raises NotFound."""
    key = KEYS.find(db, key_id)
    if key is None or key.organization_id != organization_id:
        raise NotFound.of("apiKey", key_id)
    return key


def changeable(db: Connection, key_id: str, organization_id: str) -> StoredKey:
    """Find a key that can be changed. Raises NotFound, and Conflict for a revoked key."""
    key = find(db, key_id, organization_id)
    if key.revoked_at is not None:
        raise Conflict(_("This API key is revoked. Create a new one"))
    return key
