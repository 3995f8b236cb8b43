"""Making, changing and deleting flags: each verb writes its rows, a version and an audit entry in the caller's
transaction. Whoever calls one does so inside flags.saving, so that memory follows.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import Reach, check, existing
from analytics_box.products.flags.editing import dependencies
from analytics_box.products.flags.editing.draft import clean_environment, clean_key, started, updated
from analytics_box.products.flags.editing.messages import ChangedFlag, Copy, NewFlag
from analytics_box.products.flags.evaluation.checking import faults
from analytics_box.products.flags.flag import LARGEST_SCOPE, MOST_FLAGS, SUBJECT, Definition, Flag, Status
from analytics_box.products.flags.scope import Scope

Act = Literal["created", "updated", "deleted", "restored", "scheduled", "imported", "copied"]
MOST_VERSIONS: Final = 500  # of a flag: older ones go
_AUDITED: Final[Mapping[Act, audit.Action]] = {"created": "created", "deleted": "deleted"}  # all others are updates
_PLAIN: Final[frozenset[Act]] = frozenset(("created", "updated", "deleted"))  # what the entry's action says already
_COUNTED: Final = frozenset(("rules", "variants"))  # rules name people: the log, which nobody can erase, counts them
_LONG: Final = frozenset(("payload", "offValue"))
_SHORT: Final = 100  # characters of a text that the audit log repeats


class Changed(Struct, frozen=True):
    """A flag after a change.

    `inactive_dependencies` kept it inactive although somebody wanted it active; `dependents` are active flags that give
    nothing as long as this one is not active.
    """

    flag: Flag
    inactive_dependencies: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()


def create(db: Connection, own: Reach, given: NewFlag, *, by_sdk: bool = False) -> Changed:
    """A new flag; `by_sdk` one of the SDK routes, which draws as the wire has it. Raises Forbidden, BadRequest or
    Conflict.
    """
    check(db, own, "member")
    scope = known(db, own)
    check_room(scope)
    draft = blank(
        own,
        clean_key(given.key),
        started(given, by_sdk=by_sdk),
        environment=clean_environment(given.environment or None),
        user_id=given.userId,
    )
    if any(_same(draft, other) for other in scope.flags):
        raise Conflict.about("key", rows.TAKEN)
    return put(db, own, None, draft, scope, act="created", note=given.note)


def update(db: Connection, own: Reach, given: ChangedFlag, *, act: Act = "updated") -> Changed:
    """Another state of a flag; what is not given stays. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = expected(db, own, given.id, given.version)
    after = replace(before, definition=updated(before.definition, given))
    if not isinstance(given.environment, UnsetType):
        after = replace(after, environment=clean_environment(given.environment))
    return put(db, own, before, after, known(db, own), act=act, note=given.note)


def redefine(
    db: Connection,
    own: Reach,
    flag_id: str,
    definition: Definition,
    *,
    act: Act,
    note: str = "",
    version: int | None = None,
) -> Changed:
    """A flag with another definition as a whole. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = expected(db, own, flag_id, version)
    return put(db, own, before, replace(before, definition=definition), known(db, own), act=act, note=note)


def set_status(
    db: Connection, own: Reach, flag_id: str, status: Status, *, note: str = "", version: int | None = None
) -> Changed:
    """Activate, deactivate or archive a flag. Raises Forbidden, NotFound or Conflict."""
    return update(db, own, ChangedFlag(id=flag_id, status=status, note=note, version=version))


def copy(db: Connection, own: Reach, given: Copy) -> Changed:
    """The flag in another environment, inactive until somebody activates it. Raises Forbidden, NotFound, BadRequest or
    Conflict."""
    check(db, own, "member")
    source, scope = existing(db, own, given.id), known(db, own)
    environment = clean_environment(given.environment)
    if environment == source.environment:
        raise BadRequest.about("environment", "The flag is in this environment already")
    target = blank(
        own,
        source.key,
        replace(source.definition, status="inactive"),
        environment=environment,
        user_id=source.user_id,
    )
    before = next((other for other in scope.flags if _same(target, other)), None)
    if before is None:
        check_room(scope)
        return put(db, own, None, target, scope, act="copied", note=given.note)
    if not given.replace:
        raise Conflict.about("environment", "A flag with this key exists already in that environment")
    definition = replace(source.definition, status=before.definition.status)
    return put(db, own, before, replace(before, definition=definition), scope, act="copied", note=given.note)


def delete(db: Connection, own: Reach, flag_id: str, *, note: str = "", version: int | None = None) -> Changed:
    """The flag is archived and gone; its history stays for the days of `grace_days`.

    Raises Forbidden, NotFound or Conflict.
    """
    check(db, own, "member")
    before = expected(db, own, flag_id, version)
    gone = replace(before, definition=replace(before.definition, status="archived"), deleted_at=own.by.now)
    stored = record(db, own.by, before, gone, act="deleted", note=note)
    return Changed(stored, dependents=dependencies.dependents(before.key, _others(before, known(db, own))))


def undelete(db: Connection, own: Reach, flag_id: str, *, note: str = "") -> Changed:
    """A deleted flag is there again, inactive. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before, scope = rows.find(db, flag_id), known(db, own)
    if before is None or before.deleted_at is None or not own.covers(before):
        raise NotFound.of("flag", flag_id, "There is no deleted flag with this id")
    check_room(scope)
    back = replace(before, definition=replace(before.definition, status="inactive"), deleted_at=None)
    return put(db, own, before, back, scope, act="restored", note=note)


def put(
    db: Connection, own: Reach, before: Flag | None, after: Flag, scope: Scope, *, act: Act, note: str = ""
) -> Changed:
    """Store another state of a flag of this scope, or a new one for a `before` of None, if it can be as it says.

    What would be active and needs a flag that is not active stays inactive. Raises BadRequest or Conflict.
    """
    settled = settle(before, after, scope)
    changed = replace(settled, flag=record(db, own.by, before, settled.flag, act=act, note=note))
    check_size(db, own)
    return changed


def settle(before: Flag | None, after: Flag, scope: Scope) -> Changed:
    """What would become of a flag that is put among those of a scope; nothing is stored. Raises BadRequest."""
    others = _others(after, scope)
    found = faults(after.key, after.definition, others, scope.groups)
    if found:
        raise BadRequest(found[0].message, details=tuple(found))
    news = _news(before, after)
    dependencies.check_there(news, others)
    lacking: tuple[str, ...] = ()
    if after.definition.status == "active" and (_activated(before) or dependencies.needs(news)):
        lacking = dependencies.inactive(after.definition, others)
        if lacking:
            after = replace(after, definition=replace(after.definition, status="inactive"))
    needing: tuple[str, ...] = ()
    if before is not None and before.definition.status == "active":
        if after.environment != before.environment:
            needing = dependencies.dependents(before.key, _others(before, scope))
        elif after.definition.status != "active":
            needing = dependencies.dependents(after.key, others)
    return Changed(after, lacking, needing)


def check_size(db: Connection, own: Reach) -> None:
    """Raises Conflict where all flags of a scope together are larger than they may be."""
    if rows.bytes_of(db, own.scope)[0] > LARGEST_SCOPE:
        raise Conflict(f"All flags together can have up to {LARGEST_SCOPE:,} bytes; shrink or delete one first")


def record(db: Connection, by: By, before: Flag | None, after: Flag, *, act: Act, note: str = "") -> Flag:
    """Store a state of a flag with its version and its audit entry; the flag as it is stored.

    A state that changes nothing leaves no trace. Raises Conflict for a key that is taken.
    """
    if before is None:
        rows.insert(db, after)
        changes: dict[str, object] = {}
    else:
        changes = difference(before, after)
        if not changes:
            return before
        after = replace(after, version=before.version + 1, updated_at=max(by.now, before.updated_at + 1))
        rows.update(db, after)
    rows.insert_version(db, after, action=act, actor=by.actor, note=note, keep=MOST_VERSIONS)
    how = {} if act in _PLAIN else {"how": act}
    detail = {"key": after.key, **how, **({"note": note} if note else {}), **changes}
    audit.record(db, by, after.organization_id, _AUDITED.get(act, "updated"), SUBJECT, after.id, detail)
    return after


def difference(before: Flag, after: Flag) -> dict[str, object]:
    """What two states of a flag differ in, for the audit log: no rule, because rules name people."""
    found: dict[str, object] = {}
    for name in ("environment", "deleted_at"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            found[name.replace("_at", "")] = {"before": _plain(name, old), "after": _plain(name, new)}
    for name in Definition.__struct_fields__:
        old, new = getattr(before.definition, name), getattr(after.definition, name)
        if old != new:
            found[name] = {"before": _plain(name, old), "after": _plain(name, new)}
    return found


def blank(
    own: Reach, key: str, definition: Definition, *, environment: str | None = None, user_id: str | None = None
) -> Flag:
    """A flag that is not stored yet."""
    return Flag(
        id=ids.new_id(),
        organization_id=own.organization_id,
        website_id=own.website_id,
        key=key,
        definition=definition,
        environment=environment,
        user_id=user_id,
        created_by=own.by.actor,
        created_at=own.by.now,
        updated_at=own.by.now,
    )


def check_room(scope: Scope) -> None:
    """Raises Conflict where there may be no flag more."""
    if len(scope.flags) >= MOST_FLAGS:
        raise Conflict.full("flags", MOST_FLAGS, f"There may be {MOST_FLAGS} flags; delete one first")


def expected(db: Connection, own: Reach, flag_id: str, version: int | None) -> Flag:
    """The living flag, if it is of this version. Raises NotFound or Conflict."""
    found = existing(db, own, flag_id)
    if version is not None and version != found.version:
        raise Conflict.about("version", f"Somebody changed this flag meanwhile: it is at version {found.version} now")
    return found


def known(db: Connection, own: Reach) -> Scope:
    """The flags and groups of a scope as they are in this transaction."""
    return rows.scope(db, own.scope) or Scope(own.scope, own.organization_id, own.website_id)


def _others(flag: Flag, scope: Scope) -> Sequence[Flag]:
    """The other flags of its environment."""
    return [other for other in scope.flags if other.environment == flag.environment and other.id != flag.id]


def _same(flag: Flag, other: Flag) -> bool:
    return (flag.key, flag.environment, flag.user_id) == (other.key, other.environment, other.user_id)


def _activated(before: Flag | None) -> bool:
    return before is None or before.definition.status != "active"


def _news(before: Flag | None, after: Flag) -> Definition:
    """Of a definition only the needs that were not there before, which have to exist."""
    if before is None or before.environment != after.environment:
        return after.definition
    old = before.definition
    return replace(
        after.definition,
        dependencies=tuple(key for key in after.definition.dependencies if key not in old.dependencies),
        prerequisites=tuple(one for one in after.definition.prerequisites if one not in old.prerequisites),
    )


def _plain(name: str, value: Any) -> object:
    """A value for the audit log."""
    if name in _COUNTED:
        return len(value)
    if name in _LONG:
        is_short = name == "offValue" and isinstance(value, bool | int | float | str) and len(str(value)) <= _SHORT
        return value if value is None or is_short else "(value)"
    return value != 0 and value is not None if name == "deleted_at" else msgspec.to_builtins(value)
