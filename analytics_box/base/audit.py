"""The audit log: every administrative change, append-only (spec 6.2). Nothing is written per request."""

import json
from collections.abc import Mapping
from typing import Literal

from analytics_box.base.acting import By
from analytics_box.base.differences import Detail, difference
from analytics_box.base.store.db import Connection

__all__ = ("Action", "Detail", "difference", "has", "record")

Action = Literal["created", "updated", "rotated", "revoked", "deleted"]


def record(
    db: Connection,
    by: By,
    organization_id: str | None,
    action: Action,
    subject: str,
    subject_id: str,
    detail: Mapping[str, object] | None = None,
) -> None:
    """Write one entry inside the caller's transaction.

    `subject` is the kind of thing, `detail` what changed or what the thing is called now; it never holds a secret.
    """
    said = dict(detail or {})
    if by.tool:
        said["tool"] = by.tool
    db.execute(
        """
        -- audit.record
        insert into audit (time, organization_id, actor, action, subject, subject_id, detail)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        (by.now, organization_id, by.actor, action, subject, subject_id, json.dumps(said)),
    )


def has(db: Connection, organization_id: str, subject: str, subject_id: str) -> bool:
    """Whether this organization has an entry about this thing, for work that may be done twice after a crash."""
    found = db.execute(
        """
        -- audit.has
        select 1 from audit where organization_id = ? and subject = ? and subject_id = ? limit 1
        """,
        (organization_id, subject, subject_id),
    )
    return found.fetchone() is not None
