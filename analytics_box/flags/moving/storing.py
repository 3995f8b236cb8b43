"""What becomes of the flags of a file: stored one by one in the caller's transaction, whoever is needed first."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.errors import BadRequest, BoxError, Conflict
from analytics_box.flags import rows
from analytics_box.flags.access import Reach, check
from analytics_box.flags.editing import change, dependencies
from analytics_box.flags.evaluation.prerequisites import depths_of
from analytics_box.flags.flag import LONGEST_DESCRIPTION, MOST_FLAGS, Definition, Flag
from analytics_box.flags.groups import change as groups
from analytics_box.flags.groups.messages import ChangedGroup, NewGroup
from analytics_box.flags.moving.conditions import groups_in, with_groups
from analytics_box.flags.moving.wanted import Existing, File, Source, Wanted, WantedGroup
from analytics_box.flags.scope import Scope
from analytics_box.store.db import Connection

T = TypeVar("T")

Status = Literal["created", "updated", "unchanged", "existing", "failed"]

_INACTIVE: Final = "It is inactive; look at it and activate it"
_PRODUCTS: Final[dict[Source, str]] = {
    "analytics-box": "a file",
    "unleash": "Unleash",
    "growthbook": "GrowthBook",
    "launchdarkly": "LaunchDarkly",
    "flagd": "flagd",
    "flagd-v3": "flagd",
}


class StoredFlag(Struct, frozen=True, kw_only=True):
    """What became of a flag of a file. `flag` is None for one that cannot be."""

    wanted: Wanted
    status: Status
    flag: Flag | None = None
    notes: tuple[str, ...] = ()
    field: str = ""
    error: str = ""


class StoredGroup(Struct, frozen=True, kw_only=True):
    """What became of a target group of a file."""

    name: str
    status: Status
    notes: tuple[str, ...] = ()
    error: str = ""


class Target(Struct, frozen=True, kw_only=True):
    """Where the flags of a file go. Without `moves` they stay in the environment that the file says."""

    source: Source
    existing: Existing
    environment: str | None = None
    moves: bool = True


def store(db: Connection, own: Reach, file: File, target: Target) -> tuple[list[StoredFlag], list[StoredGroup]]:
    """Store what a file wants, and say what became of it, in the order of the file. Raises Forbidden.

    What is refused leaves nothing behind, and the rest is stored.
    """
    check(db, own, "member")
    rows.touch(db, own.scope, own.by.now)  # or what is stored first would not be seen by what comes behind it
    storing = _Storing(db, own, target)
    inside = {one.ref: groups_in(one.rules) for one in file.groups}
    made = [storing.group(one) for one in _needed_first(file.groups, lambda one: one.ref, inside)]
    needs: dict[str, set[str]] = {}
    for one in file.flags:
        if one.definition is not None:
            needs.setdefault(one.key, set()).update(dependencies.needs(one.definition))
    done = [storing.flag(one) for one in _needed_first(file.flags, lambda one: one.key, needs)]
    return sorted(done, key=lambda one: one.wanted.number), made


def _needed_first(listed: Iterable[T], name: Callable[[T], str], needs: Mapping[str, set[str]]) -> list[T]:
    """The same in their order, but none before those that it needs; those in circles are last."""
    depths = depths_of(needs)
    return sorted(listed, key=lambda one: depths.get(name(one), len(needs)))


class _Storing:
    """Keeps what is there, so that nothing is read anew for each flag."""

    def __init__(self, db: Connection, own: Reach, target: Target) -> None:
        self._db = db
        self._own = own
        self._target = target
        self._scope: Scope = change.known(db, own)
        self._groups: dict[str, str] = {}  # ids by what the file calls them
        self._seen: set[tuple[str, str | None, str | None]] = set()

    def group(self, wanted: WantedGroup) -> StoredGroup:
        """What becomes of a target group: one of that name is the same one."""
        try:
            with self._db:  # a savepoint of its own
                status = self._group(wanted)
        except BoxError as refused:
            return StoredGroup(name=wanted.name, status="failed", notes=wanted.notes, error=refused.message)
        if status in {"created", "updated"}:
            self._scope = change.known(self._db, self._own)
        return StoredGroup(name=wanted.name, status=status, notes=wanted.notes)

    def _group(self, wanted: WantedGroup) -> Status:
        rules = with_groups(wanted.rules, self._known(groups_in(wanted.rules)))
        name = " ".join(wanted.name.split())
        there = next((one for one in self._scope.groups if one.name == name), None)
        if there is None:
            given = NewGroup(name=name, description=wanted.description, color=wanted.color, rules=rules)
            self._groups[wanted.ref] = groups.create(self._db, self._own, given).id
            return "created"
        self._groups[wanted.ref] = there.id
        same = (there.description, there.color, there.rules) == (wanted.description, wanted.color.lower(), rules)
        if same or self._target.existing == "skip":
            return "unchanged" if same else "existing"
        changed = ChangedGroup(id=there.id, description=wanted.description, color=wanted.color, rules=rules)
        groups.update(self._db, self._own, changed)
        return "updated"

    def flag(self, wanted: Wanted) -> StoredFlag:
        """What becomes of a flag: one of that key in that environment, for that user, is the same one."""
        if wanted.definition is None:
            return _failed(wanted, wanted.error, wanted.field)
        try:
            with self._db:  # a savepoint of its own
                stored = self._flag(wanted, wanted.definition)
        except BoxError as refused:
            return _failed(wanted, refused.message, refused.details[0].field if refused.details else "")
        return stored

    def _flag(self, wanted: Wanted, definition: Definition) -> StoredFlag:
        target = self._target
        environment = target.environment if target.moves else wanted.environment
        identity = (wanted.key, environment, wanted.user_id)
        if identity in self._seen:
            raise BadRequest.about("key", "The file has this flag twice")
        self._seen.add(identity)
        before = next((one for one in self._scope.flags if _identity(one) == identity), None)
        if before is not None and target.existing == "skip":
            return StoredFlag(wanted=wanted, status="existing", flag=before)
        if before is None and len(self._scope.flags) >= MOST_FLAGS:
            raise Conflict(f"There may be {MOST_FLAGS:,} flags; delete one first")
        definition = self._here(wanted, definition)
        after = (
            change.blank(self._own, wanted.key, definition, environment=environment, user_id=wanted.user_id)
            if before is None
            else replace(before, definition=definition)
        )
        note = "; ".join((f"From {_PRODUCTS[target.source]}", *wanted.notes))[:LONGEST_DESCRIPTION]
        changed = change.put(self._db, self._own, before, after, self._scope, act="imported", note=note)
        flags = [one for one in self._scope.flags if one.id != changed.flag.id]
        self._scope = replace(self._scope, flags=(*flags, changed.flag))
        status: Status = "created" if before is None else "unchanged" if changed.flag == before else "updated"
        return StoredFlag(
            wanted=wanted, status=status, flag=changed.flag, notes=(*wanted.notes, *_said(wanted, changed))
        )

    def _here(self, wanted: Wanted, definition: Definition) -> Definition:
        """The definition with the target groups of this box, inactive where something was lost."""
        known = self._known({*groups_in(definition.rules), *definition.targetGroupIds})
        status = "inactive" if wanted.decides and definition.status == "active" else definition.status
        return replace(
            definition,
            status=status,
            rules=with_groups(definition.rules, known),
            targetGroupIds=tuple(known[one] for one in definition.targetGroupIds),
        )

    def _known(self, names: Iterable[str]) -> Mapping[str, str]:
        """The ids of target groups that the file names. Raises BadRequest."""
        missing = next((name for name in names if name not in self._groups), None)
        if missing is not None:
            raise BadRequest.about("rules", f"The target group {missing} is not there")
        return {name: self._groups[name] for name in names}


def _said(wanted: Wanted, changed: change.Changed) -> Iterable[str]:
    definition = wanted.definition
    if wanted.decides and definition is not None and definition.status == "active":
        yield _INACTIVE
    if changed.inactive_dependencies:
        yield f"It is inactive, because it needs {', '.join(changed.inactive_dependencies)}, which is not active"
    if changed.dependents:
        yield f"Active flags need it: {', '.join(changed.dependents)}"


def _failed(wanted: Wanted, error: str, field: str) -> StoredFlag:
    return StoredFlag(wanted=wanted, status="failed", field=field, error=error, notes=wanted.notes)


def _identity(flag: Flag) -> tuple[str, str | None, str | None]:
    return flag.key, flag.environment, flag.user_id
