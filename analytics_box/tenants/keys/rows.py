"""API keys in box.db. Every function takes a connection inside the caller's transaction."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys.rules import StoredKey

_COLUMNS = """
  digest, id, organization_id, name, start, type, description, scopes, resources, tags, ratelimit, enabled,
  created_at, updated_at, expires_at, revoked_at, last_used_at
"""
_JSON = ("scopes", "resources", "tags", "ratelimit")


class _KeyRow(Struct, frozen=True):
    """A row of api_keys; scopes, resources, tags and ratelimit are JSON."""

    digest: bytes
    id: str
    organization_id: str
    name: str
    start: str
    type: str
    description: str
    scopes: str
    resources: str
    tags: str
    ratelimit: str | None
    enabled: bool
    created_at: int
    updated_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None


def insert(db: Connection, record: StoredKey, digest: bytes) -> None:
    """Store a new key; of its secret only the SHA-256 digest is kept."""
    db.execute(
        """
        -- keys.insert
        insert into api_keys (digest, id, organization_id, name, start, type, description, scopes, resources, tags,
                              ratelimit, enabled, created_at, updated_at, expires_at, revoked_at, last_used_at)
        values (:digest, :id, :organization_id, :name, :start, :type, :description, :scopes, :resources, :tags,
                :ratelimit, :enabled, :created_at, :updated_at, :expires_at, :revoked_at, :last_used_at)
        """,
        _values(record, digest),
    )


def update(db: Connection, record: StoredKey, digest: bytes) -> None:
    """Store all of a key that can change. When it was last used is not touched."""
    db.execute(
        """
        -- keys.update
        update api_keys
        set digest = :digest, name = :name, start = :start, description = :description, scopes = :scopes,
            resources = :resources, tags = :tags, ratelimit = :ratelimit, enabled = :enabled,
            updated_at = :updated_at, expires_at = :expires_at, revoked_at = :revoked_at
        where id = :id
        """,
        _values(record, digest),
    )


def delete(db: Connection, key_id: str) -> None:
    db.execute("-- keys.delete\ndelete from api_keys where id = ?", (key_id,))


def note_use(db: Connection, used: Mapping[str, int]) -> None:
    """Store when keys were last used, in UTC ms by key id."""
    for key_id, instant in used.items():
        db.execute("-- keys.note_use\nupdate api_keys set last_used_at = ? where id = ?", (instant, key_id))


def everything(db: Connection) -> dict[bytes, StoredKey]:
    """All keys by the digest of their secret."""
    found = records.all_of(db, _KeyRow, f"-- keys.everything\nselect {_COLUMNS} from api_keys order by created_at, id")
    return {row.digest: _record(row) for row in found}


def by_id(db: Connection, key_id: str) -> tuple[bytes, StoredKey] | None:
    """The key with this id and the digest of its secret."""
    row = records.one_of(db, _KeyRow, f"-- keys.by_id\nselect {_COLUMNS} from api_keys where id = ?", (key_id,))
    return None if row is None else (row.digest, _record(row))


def of(db: Connection, organization_id: str) -> list[StoredKey]:
    """The keys of an organization, newest first."""
    statement = f"""
    -- keys.of
    select {_COLUMNS} from api_keys where organization_id = ? order by created_at desc, id
    """
    return [_record(row) for row in records.all_of(db, _KeyRow, statement, (organization_id,))]


def _values(record: StoredKey, digest: bytes) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(record)
    for name in _JSON:
        values[name] = None if values[name] is None else json.dumps(values[name])
    return {**values, "digest": digest, "enabled": int(record.enabled)}


def _record(row: _KeyRow) -> StoredKey:
    values = msgspec.structs.asdict(row)
    del values["digest"]
    for name in _JSON:
        values[name] = None if values[name] is None else json.loads(values[name])
    return msgspec.convert(values, StoredKey)
