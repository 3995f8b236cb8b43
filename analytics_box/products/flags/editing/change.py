"""Creating, changing and deleting flags: each function writes its rows, a version and an audit entry in the caller's
transaction. Callers use flags.saving, so that memory follows.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, ErrorDetail, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach, existing
from analytics_box.products.flags.editing.messages import (
    CopyFlag,
    CreateFlag,
    UpdateFlag,
    clean_environment,
    clean_key,
    new_definition,
    update_definition,
)
from analytics_box.products.flags.evaluation.checking import faults
from analytics_box.products.flags.flag import (
    LARGEST_SCOPE,
    MOST_FLAGS,
    SUBJECT,
    Flag,
    FlagDefinition,
    FlagScope,
    Status,
)
from analytics_box.products.flags.rows import FLAGS
from analytics_box.resource.fields import difference
from analytics_box.resource.reach import check


def needs(definition: FlagDefinition) -> tuple[str, ...]:
    """The keys that a flag needs, each once."""
    return tuple(dict.fromkeys((*definition.dependencies, *(one.key for one in definition.prerequisites))))


def check_there(definition: FlagDefinition, others: Iterable[Flag]) -> None:
    """Raises BadRequest if a flag needs one that is not among the `others` of its environment."""
    there = {other.key for other in others}
    wrong = [
        ErrorDetail(field, _("There is no flag {key} in this environment").format(key=key))
        for field, keys in (
            ("dependencies", definition.dependencies),
            ("prerequisites", [one.key for one in definition.prerequisites]),
        )
        for key in keys
        if key not in there
    ]
    if wrong:
        raise BadRequest(wrong[0].message, details=tuple(wrong))


def inactive(definition: FlagDefinition, others: Iterable[Flag]) -> tuple[str, ...]:
    """The keys that a flag needs and that are not active, so that it would give nothing."""
    active = {other.key for other in others if other.definition.status == "active"}
    return tuple(key for key in needs(definition) if key not in active)


def dependents(key: str, others: Iterable[Flag]) -> tuple[str, ...]:
    """The keys of active flags that need this one."""
    return tuple(
        dict.fromkeys(
            other.key for other in others if other.definition.status == "active" and key in needs(other.definition)
        )
    )


Act = Literal["created", "updated", "deleted", "restored", "scheduled", "imported", "copied"]
MOST_VERSIONS: Final = 500  # Older versions of a flag are removed.
_AUDITED: Final[Mapping[Act, audit.Action]] = {
    "created": "created",
    "deleted": "deleted",
}  # All other acts are updates.
_PLAIN: Final[frozenset[Act]] = frozenset(("created", "updated", "deleted"))  # The entry's action already says these.


class FlagChange(Struct, frozen=True):
    """A flag after a change.

    `inactive_dependencies` kept it inactive although it was to be activated; `dependents` are active flags that are off
    as long as this one is not active.
    """

    flag: Flag
    inactive_dependencies: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()


def create(db: Connection, own: FlagReach, given: CreateFlag, *, by_sdk: bool = False) -> FlagChange:
    """Create a flag; `by_sdk` for the SDK routes, which bucket by the wire's default. Raises Forbidden, BadRequest or
    Conflict.
    """
    check(db, own, "member")
    scope = stored_scope(db, own)
    check_room(scope)
    draft = blank(
        own,
        clean_key(given.key),
        new_definition(given, by_sdk=by_sdk),
        environment=clean_environment(given.environment or None),
        user_id=given.userId,
    )
    if any(_same(draft, other) for other in scope.flags):
        raise Conflict.about("key", rows.TAKEN)
    return store_flag(db, own, None, draft, scope, act="created", note=given.note)


def update(db: Connection, own: FlagReach, given: UpdateFlag, *, act: Act = "updated") -> FlagChange:
    """Update a flag; omitted fields do not change. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = existing_version(db, own, given.id, given.version)
    after = replace(before, definition=update_definition(before.definition, given))
    if not isinstance(given.environment, UnsetType):
        after = replace(after, environment=clean_environment(given.environment))
    return store_flag(db, own, before, after, stored_scope(db, own), act=act, note=given.note)


def redefine(
    db: Connection,
    own: FlagReach,
    flag_id: str,
    definition: FlagDefinition,
    *,
    act: Act,
    note: str = "",
    version: int | None = None,
) -> FlagChange:
    """A flag with another definition as a whole. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before = existing_version(db, own, flag_id, version)
    return store_flag(
        db, own, before, replace(before, definition=definition), stored_scope(db, own), act=act, note=note
    )


def set_status(
    db: Connection, own: FlagReach, flag_id: str, status: Status, *, note: str = "", version: int | None = None
) -> FlagChange:
    """Activate, deactivate or archive a flag. Raises Forbidden, NotFound or Conflict."""
    check(db, own, "member")
    before = existing_version(db, own, flag_id, version)
    after = replace(before, definition=replace(before.definition, status=status))
    return store_flag(db, own, before, after, stored_scope(db, own), act="updated", note=note)


def copy(db: Connection, own: FlagReach, given: CopyFlag) -> FlagChange:
    """Copy a flag to another environment, inactive until a user activates it. Raises Forbidden, NotFound, BadRequest or
    Conflict.
    """
    check(db, own, "member")
    source, scope = existing(db, own, given.id), stored_scope(db, own)
    environment = clean_environment(given.environment)
    if environment == source.environment:
        raise BadRequest.about("environment", _("The flag is already in this environment"))
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
        return store_flag(db, own, None, target, scope, act="copied", note=given.note)
    if not given.replace:
        raise Conflict.about("environment", _("A flag with this key already exists in that environment"))
    definition = replace(source.definition, status=before.definition.status)
    return store_flag(db, own, before, replace(before, definition=definition), scope, act="copied", note=given.note)


def delete(db: Connection, own: FlagReach, flag_id: str, *, note: str = "", version: int | None = None) -> FlagChange:
    """Archive and delete a flag; its history is kept for `grace_days` days.

    Raises Forbidden, NotFound or Conflict.
    """
    check(db, own, "member")
    before = existing_version(db, own, flag_id, version)
    gone = replace(before, definition=replace(before.definition, status="archived"), deleted_at=own.by.now)
    stored = record(db, own.by, before, gone, act="deleted", note=note)
    return FlagChange(stored, dependents=dependents(before.key, _others(before, stored_scope(db, own))))


def undelete(db: Connection, own: FlagReach, flag_id: str, *, note: str = "") -> FlagChange:
    """A deleted flag is there again, inactive. Raises Forbidden, NotFound, BadRequest or Conflict."""
    check(db, own, "member")
    before, scope = FLAGS.find(db, flag_id), stored_scope(db, own)
    if before is None or before.deleted_at is None or not own.covers(before):
        raise NotFound.of("flag", flag_id, _("There is no deleted flag with this id"))
    check_room(scope)
    back = replace(before, definition=replace(before.definition, status="inactive"), deleted_at=None)
    return store_flag(db, own, before, back, scope, act="restored", note=note)


def store_flag(
    db: Connection, own: FlagReach, before: Flag | None, after: Flag, scope: FlagScope, *, act: Act, note: str = ""
) -> FlagChange:
    """Store another state of a flag of this scope, or a new flag for a `before` of None, if it is valid.

    An active flag that needs an inactive one stays inactive. Raises BadRequest or Conflict.
    """
    settled = settle(before, after, scope)
    changed = replace(settled, flag=record(db, own.by, before, settled.flag, act=act, note=note))
    check_size(db, own)
    return changed


def settle(before: Flag | None, after: Flag, scope: FlagScope) -> FlagChange:
    """The result of adding a flag to its scope or changing it; nothing is stored. Raises BadRequest."""
    others = _others(after, scope)
    found = faults(after.key, after.definition, others, scope.groups)
    if found:
        raise BadRequest(found[0].message, details=tuple(found))
    news = _news(before, after)
    check_there(news, others)
    lacking: tuple[str, ...] = ()
    if after.definition.status == "active" and (_was_inactive(before) or needs(news)):
        lacking = inactive(after.definition, others)
        if lacking:
            after = replace(after, definition=replace(after.definition, status="inactive"))
    needing: tuple[str, ...] = ()
    if before is not None and before.definition.status == "active":
        if after.environment != before.environment:
            needing = dependents(before.key, _others(before, scope))
        elif after.definition.status != "active":
            needing = dependents(after.key, others)
    return FlagChange(after, lacking, needing)


def check_size(db: Connection, own: FlagReach) -> None:
    """Raises Conflict if all flags of a scope together are too large."""
    if rows.bytes_of(db, own.scope)[0] > LARGEST_SCOPE:
        raise Conflict(
            _("All flags together can have up to {largest:,} bytes. Reduce or delete one first").format(
                largest=LARGEST_SCOPE
            )
        )


def record(db: Connection, by: By, before: Flag | None, after: Flag, *, act: Act, note: str = "") -> Flag:
    """Store a state of a flag with its version and its audit entry; the flag as it is stored.

    A state that changes nothing leaves no trace. Raises Conflict for a key that is taken.
    """
    if before is None:
        FLAGS.insert(db, after)
        changes: dict[str, object] = {}
    else:
        changes = _difference(before, after)
        if not changes:
            return before
        after = replace(after, version=before.version + 1, updated_at=max(by.now, before.updated_at + 1))
        FLAGS.update(db, after)
    rows.insert_version(db, after, action=act, actor=by.actor, note=note, keep=MOST_VERSIONS)
    how = {} if act in _PLAIN else {"how": act}
    detail = {"key": after.key, **how, **({"note": note} if note else {}), **changes}
    audit.record(db, by, after.organization_id, _AUDITED.get(act, "updated"), SUBJECT, after.id, detail)
    return after


def _difference(before: Flag, after: Flag) -> audit.Detail:
    own = audit.difference(
        before, after, ("environment", "deleted_at"), shown={"deleted_at": bool}, names={"deleted_at": "deleted"}
    )
    return own | difference(before.definition, after.definition)


def blank(
    own: FlagReach, key: str, definition: FlagDefinition, *, environment: str | None = None, user_id: str | None = None
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


def check_room(scope: FlagScope) -> None:
    """Raises Conflict if the scope cannot have another flag."""
    if len(scope.flags) >= MOST_FLAGS:
        raise Conflict.full(
            "flags", MOST_FLAGS, _("There may be {most} flags; delete one first").format(most=MOST_FLAGS)
        )


def existing_version(db: Connection, own: FlagReach, flag_id: str, version: int | None) -> Flag:
    """The living flag, if it is of this version. Raises NotFound or Conflict."""
    found = existing(db, own, flag_id)
    if version is not None and version != found.version:
        raise Conflict.about(
            "version", _("This flag has been changed. It is now at version {version} now").format(version=found.version)
        )
    return found


def stored_scope(db: Connection, own: FlagReach) -> FlagScope:
    """The flags and groups of a scope as they are in this transaction."""
    return rows.scope(db, own.scope) or FlagScope(own.scope, own.organization_id, own.website_id)


def _others(flag: Flag, scope: FlagScope) -> Sequence[Flag]:
    """The other flags of its environment."""
    return [other for other in scope.flags if other.environment == flag.environment and other.id != flag.id]


def _same(flag: Flag, other: Flag) -> bool:
    return (flag.key, flag.environment, flag.user_id) == (other.key, other.environment, other.user_id)


def _was_inactive(before: Flag | None) -> bool:
    return before is None or before.definition.status != "active"


def _news(before: Flag | None, after: Flag) -> FlagDefinition:
    """Of a definition only the needs that were not there before, which have to exist."""
    if before is None or before.environment != after.environment:
        return after.definition
    old = before.definition
    return replace(
        after.definition,
        dependencies=tuple(key for key in after.definition.dependencies if key not in old.dependencies),
        prerequisites=tuple(one for one in after.definition.prerequisites if one not in old.prerequisites),
    )
