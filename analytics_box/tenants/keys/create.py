"""Making an API key: the one verb of this room that other rooms call."""

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.identity import ApiKey, Scope
from analytics_box.base.store.db import Connection
from analytics_box.tenants.keys import rows, rules


def create(
    db: Connection,
    *,
    organization_id: str,
    name: str,
    scopes: tuple[Scope, ...],
    websites: tuple[str, ...] | None,
    by: By,
) -> tuple[ApiKey, str]:
    """Store a plain new key: these scopes on these websites, or on all (None); see create_as."""
    wanted = rules.KeyDefinition(name=name, scopes=scopes, resources=rules.resources_for(scopes, websites))
    wanted = rules.check(wanted, known=websites or (), now=by.now)
    return create_as(db, wanted, organization_id=organization_id, by=by)


def create_as(db: Connection, wanted: rules.KeyDefinition, *, organization_id: str, by: By) -> tuple[ApiKey, str]:
    """Store a checked new key with its audit entry; returns it with the secret, which is not kept anywhere."""
    record, secret = rules.new_record(wanted, key_id=ids.new_id(), organization_id=organization_id, now=by.now)
    rows.insert(db, record, ids.digest(secret))
    audit.record(
        db,
        by,
        organization_id,
        "created",
        "api_key",
        record.id,
        {
            "name": record.name,
            "start": record.start,
            "scopes": record.scopes,
            "resources": record.resources,
            "expires_at": record.expires_at,
        },
    )
    return rules.key_of(record), secret
