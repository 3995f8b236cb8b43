"""The audit log: every administrative change, append-only (spec 6.2). Nothing is written per request."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Literal

import msgspec

from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection

Action = Literal["created", "updated", "rotated", "revoked", "deleted"]
Detail = dict[str, object]

# The entry itself has the id and the time.
_NEVER: Final = frozenset(("id", "created_at", "updated_at"))


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
    db.execute(
        """
        -- audit.record
        insert into audit (time, organization_id, actor, action, subject, subject_id, detail)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        (by.now, organization_id, by.actor, action, subject, subject_id, json.dumps(dict(detail or {}))),
    )


def difference(
    before: msgspec.Struct,
    after: msgspec.Struct,
    fields: Collection[str] | None = None,
    *,
    without: Collection[str] = (),
    shown: Mapping[str, Callable[[Any], object]] = {},
    names: Mapping[str, str] = {},
) -> Detail:
    """The changed fields between two states of a resource, each with its values before and after.

    `fields` are those of `before` unless given, but for those in `without`. `shown` replaces a value that the log must
    not have: `bool` for a secret, `len` for a list that names people. `names` are the names of fields in the log, if
    they differ.
    """
    found: Detail = {}
    for field in before.__struct_fields__ if fields is None else fields:
        old, new = getattr(before, field), getattr(after, field)
        if old != new and field not in _NEVER and field not in without:
            show: Callable[[Any], object] = shown.get(field, msgspec.to_builtins)
            found[names.get(field, field)] = {"before": show(old), "after": show(new)}
    return found


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
