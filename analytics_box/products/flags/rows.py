"""Flags and target groups in box.db. Every function takes a connection inside the caller's transaction.

A flag of a website names no organization: the website's is its own, also after the website went to another one.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.flag import Flag, FlagScope, TargetGroup
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.table import Table

TAKEN: Final = "A flag with this key already exists in this environment"
GROUP_TAKEN: Final = "A target group with this name exists already"

_OWNER: Final = "coalesce(organization_id, (select w.organization_id from websites w where w.id = website_id))"
_OWNED: Final = {"organization_id": (_OWNER, "iif(:website_id is null, :organization_id, null)")}
FLAGS: Final = Table("flags", Flag, sql=_OWNED, conflicts={"flags_by_key": ("key", TAKEN)})
# Entries of the audit log are without rules, because rules name people.
GROUPS: Final = AuditedTable(
    "target_groups",
    TargetGroup,
    "target group",
    "targetGroup",
    about=lambda group: {"name": group.name},
    sql=_OWNED,
    conflicts={"target_groups.name": ("name", GROUP_TAKEN)},
)
_SCOPES: Final = f"select id, {_OWNER}, website_id, revision, updated_at from flag_scopes"
_IN_ORDER: Final = "order by key, environment, user_id, created_at, id"
_OF_VERSION: Final = 200  # Bytes of a version in addition to its texts.


def everything(db: Connection) -> list[FlagScope]:
    """All scopes of the box with their living flags and their target groups."""
    flags: dict[str, list[Flag]] = {}
    for flag in FLAGS.all(db, f"deleted_at is null {_IN_ORDER}"):
        flags.setdefault(flag.scope, []).append(flag)
    groups: dict[str, list[TargetGroup]] = {}
    for group in GROUPS.all(db, "true order by name, id"):
        groups.setdefault(group.scope, []).append(group)
    return [
        _scope(row, flags.get(str(row[0]), ()), groups.get(str(row[0]), ()))
        for row in db.execute(f"-- flags.everything\n{_SCOPES}").fetchall()
    ]


def scope(db: Connection, scope_id: str) -> FlagScope | None:
    """A website's or an organization's living flags and target groups; None if it never had any."""
    row = db.execute(f"-- flags.scope\n{_SCOPES} where id = ?", (scope_id,)).fetchone()
    if row is None:
        return None
    flags = FLAGS.all(db, f"scope = ? and deleted_at is null {_IN_ORDER}", scope_id)
    return _scope(row, flags, GROUPS.all(db, "scope = ? order by name, id", scope_id))


def revision(db: Connection, scope_id: str) -> int:
    """The revision of a website's or an organization's flags; 0 if it never had any."""
    row = db.execute("-- flags.revision\nselect revision from flag_scopes where id = ?", (scope_id,)).fetchone()
    return int(row[0]) if row is not None else 0


def touch(db: Connection, scope_id: str, now: int) -> None:
    """Record a change of the scope. Each change has its own instant, even if the clock stands still.

    Does nothing for an id of neither a website nor an organization.
    """
    db.execute(
        """
        -- flags.touch
        insert into flag_scopes (id, organization_id, website_id, revision, updated_at)
        select id, null, id, 1, :now from websites where id = :id
        union all
        select id, id, null, 1, :now from organizations where id = :id
        on conflict (id) do update set revision = revision + 1, updated_at = max(updated_at + 1, excluded.updated_at)
        """,
        {"id": scope_id, "now": now},
    )


def scopes_of(db: Connection, organization_id: str) -> list[str]:
    """The ids of the scopes of an organization and of its websites, including deleted ones."""
    found = db.execute(f"-- flags.scopes_of\nselect id from flag_scopes where {_OWNER} = ?", (organization_id,))
    return [str(scope_id) for (scope_id,) in found.fetchall()]


def bytes_of(db: Connection, scope_id: str) -> tuple[int, int]:
    """The size in bytes of the JSON of a scope's living flags, and of its target groups."""
    flags = "select sum(octet_length(definition)) from flags where scope = :id and deleted_at is null"
    groups = "select sum(octet_length(rules)) from target_groups where scope = :id"
    ((of_flags, of_groups),) = db.execute(
        f"-- flags.bytes_of\nselect ({flags}), ({groups})", {"id": scope_id}
    ).fetchall()
    return int(of_flags or 0), int(of_groups or 0)


def remove_deleted_before(db: Connection, instant: int) -> int:
    """Remove flags that were deleted at this instant or earlier, with their history. Return their number."""
    db.execute("-- flags.remove_deleted_before\ndelete from flags where deleted_at <= ?", (instant,))
    return int(db.changes())


def insert_version(db: Connection, flag: Flag, *, action: str, actor: str, note: str, keep: int) -> None:
    """Add the new state of a flag to its history, which keeps the newest `keep` versions."""
    db.execute(
        """
        -- flags.insert_version
        insert into flag_versions (flag_id, version, key, environment, definition, action, actor, note, at)
        values (:id, :version, :key, :environment, :definition, :action, :actor, :note, :updated_at)
        """,
        {
            **{name: getattr(flag, name) for name in ("id", "version", "key", "environment", "updated_at")},
            **{"action": action, "actor": actor, "note": note},
            "definition": msgspec.json.encode(flag.definition).decode(),
        },
    )
    db.execute(
        "-- flags.insert_version\ndelete from flag_versions where flag_id = ? and version <= ?",
        (flag.id, flag.version - keep),
    )


def surplus(db: Connection, scope_id: str, most_bytes: int, least: int) -> list[int]:
    """The ids of the oldest versions of a scope's flags, including deleted ones, beyond a total of `most_bytes`; of
    each flag the `least` latest are always kept. The query may take half a second.
    """
    size = f"octet_length(one.definition) + octet_length(one.note) + {_OF_VERSION}"
    of_scope = "flag_versions as one join flags on flags.id = one.flag_id where flags.scope = ?"
    ((size_of_all,),) = db.execute(f"-- flags.surplus\nselect sum({size}) from {of_scope}", (scope_id,)).fetchall()
    if int(size_of_all or 0) <= most_bytes:
        return []
    found = db.execute(
        f"""
        -- flags.surplus
        select number from (
          select one.number as number, row_number() over (partition by one.flag_id order by one.version desc) as nth,
                 sum({size}) over (order by one.number desc) as size
          from {of_scope}
        )
        where nth > ? and size > ?
        order by number
        """,
        (scope_id, least, most_bytes),
    )
    return [int(number or 0) for (number,) in found.fetchall()]


def remove_versions(db: Connection, numbers: Sequence[int]) -> None:
    """Remove the versions with these ids."""
    db.executemany("-- flags.remove_versions\ndelete from flag_versions where number = ?", [(one,) for one in numbers])


def _scope(row: Sequence[Any], flags: Sequence[Flag], groups: Sequence[TargetGroup]) -> FlagScope:
    scope_id, organization_id, website_id, revision, updated_at = row
    return FlagScope(scope_id, organization_id, website_id, revision, updated_at, tuple(flags), tuple(groups))
