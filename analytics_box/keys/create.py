"""Making an API key: the one verb of this room that other rooms call."""

import apsw

from analytics_box import audit, ids
from analytics_box.identity import Key, Scope
from analytics_box.keys import rows, rules


def create(
    db: apsw.Connection,
    *,
    organization_id: str,
    name: str,
    scopes: tuple[Scope, ...],
    websites: tuple[str, ...] | None,
    actor: str,
    now: int,
) -> tuple[Key, str]:
    """Store a new key with its audit entry; returns it with the secret, which is not kept anywhere."""
    key, secret = rules.new_key(
        key_id=ids.new_id(), organization_id=organization_id, name=name, scopes=scopes, websites=websites
    )
    rows.insert(db, key, digest=ids.digest(secret), created_at=now)
    audit.record(
        db,
        now=now,
        organization_id=organization_id,
        actor=actor,
        action="created",
        subject="api_key",
        subject_id=key.id,
        detail={"name": name, "start": key.start, "scopes": sorted(scopes)},
    )
    return key, secret
