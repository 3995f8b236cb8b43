"""API keys in box.db. Every function takes a connection inside the caller's transaction."""

import json

import apsw

from analytics_box.identity import Key


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


def everything(db: apsw.Connection) -> dict[bytes, Key]:
    """All keys by the digest of their secret."""
    rows = db.execute(
        """
        -- keys.everything
        select digest, id, organization_id, name, start, scopes, websites, enabled, expires_at, revoked_at
        from api_keys
        """
    ).fetchall()
    return {digest: _key(*row) for digest, *row in rows}


def _key(
    key_id: str,
    organization_id: str,
    name: str,
    start: str,
    scopes: str,
    websites: str | None,
    enabled: int,
    expires_at: int | None,
    revoked_at: int | None,
) -> Key:
    return Key(
        id=key_id,
        organization_id=organization_id,
        name=name,
        start=start,
        scopes=frozenset(json.loads(scopes)),
        websites=None if websites is None else frozenset(json.loads(websites)),
        enabled=bool(enabled),
        expires_at=expires_at,
        revoked_at=revoked_at,
    )
