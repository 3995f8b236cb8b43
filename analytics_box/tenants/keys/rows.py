"""API keys in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Mapping
from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.resource.table import Table
from analytics_box.tenants.keys.rules import StoredKey

# Of a secret, only its SHA-256 digest is stored.
KEYS: Final = Table("api_keys", StoredKey)


def everything(db: Connection) -> list[StoredKey]:
    """All keys, oldest first."""
    return KEYS.all(db, "true order by created_at, id")


def note_use(db: Connection, used: Mapping[str, int]) -> None:
    """Store when keys were last used, in UTC ms by key id."""
    for key_id, instant in used.items():
        db.execute("-- keys.note_use\nupdate api_keys set last_used_at = ? where id = ?", (instant, key_id))
