"""API keys in box.db. Every function takes a connection inside the caller's transaction."""

import json

import apsw
from msgspec import Struct

from analytics_box.identity import Key
from analytics_box.store import records


def insert(db: apsw.Connection, key: Key, *, digest: bytes, created_at: int) -> None:
    """Store a new key; of its secret only the SHA-256 digest is kept."""
    db.execute(
        """
        -- keys.insert
        insert into api_keys (id, organization_id, name, start, digest, scopes, websites, created_at, expires_at)
        values (:id, :organization_id, :name, :start, :digest, :scopes, :websites, :created_at, :expires_at)
        """,
        {
            "id": key.id,
            "organization_id": key.organization_id,
            "name": key.name,
            "start": key.start,
            "digest": digest,
            "scopes": json.dumps(sorted(key.scopes)),
            "websites": None if key.websites is None else json.dumps(sorted(key.websites)),
            "created_at": created_at,
            "expires_at": key.expires_at,
        },
    )


class Stored(Struct, frozen=True):
    """A row of api_keys."""

    digest: bytes
    id: str
    organization_id: str
    name: str
    start: str
    scopes: str
    websites: str | None
    enabled: bool
    expires_at: int | None
    revoked_at: int | None


def everything(db: apsw.Connection) -> dict[bytes, Key]:
    """All keys by the digest of their secret."""
    stored = records.all_of(
        db,
        Stored,
        """
        -- keys.everything
        select digest, id, organization_id, name, start, scopes, websites, enabled, expires_at, revoked_at
        from api_keys
        """,
    )
    return {row.digest: _key(row) for row in stored}


def by_id(db: apsw.Connection, key_id: str) -> tuple[bytes, Key] | None:
    """The key with this id and the digest of its secret."""
    row = records.one_of(
        db,
        Stored,
        """
        -- keys.by_id
        select digest, id, organization_id, name, start, scopes, websites, enabled, expires_at, revoked_at
        from api_keys
        where id = ?
        """,
        (key_id,),
    )
    return None if row is None else (row.digest, _key(row))


def revoke(db: apsw.Connection, key_id: str, now: int) -> None:
    """Disable a key for good."""
    db.execute("-- keys.revoke\nupdate api_keys set enabled = 0, revoked_at = ? where id = ?", (now, key_id))


def _key(row: Stored) -> Key:
    return Key(
        id=row.id,
        organization_id=row.organization_id,
        name=row.name,
        start=row.start,
        scopes=frozenset(json.loads(row.scopes)),
        websites=None if row.websites is None else frozenset(json.loads(row.websites)),
        enabled=row.enabled,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
