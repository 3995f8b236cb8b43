"""A plan for importing flags and target groups from a file, required flags first. Nothing is stored."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, BoxError
from analytics_box.base.file_queue import Existing, keep_going
from analytics_box.base.translation import _
from analytics_box.products.flags.access import FlagReach
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing import group_change as groups
from analytics_box.products.flags.evaluation.checking import MOST_STEPS, TOO_MANY_STEPS, Load
from analytics_box.products.flags.evaluation.dependencies import depths_of
from analytics_box.products.flags.flag import (
    Flag,
    FlagDefinition,
    FlagScope,
    TargetGroup,
    clean_description,
    clean_group_name,
)
from analytics_box.products.flags.moving.conditions import groups_in, with_groups
from analytics_box.products.flags.moving.wanted import Source, SourceFile, SourceFlag, SourceGroup
from analytics_box.resource.imports import ImportStatus

T = TypeVar("T")


MOST_EFFORT: Final = 1_000_000  # flags, and needs of flags, that are looked at for a file: two seconds
_TOO_ENTANGLED: Final = "These flags have too many dependencies. Import them in several files"
_INACTIVE: Final = "The flag is inactive. Review and activate it"
_NO_OFF_VALUE: Final = "Its off value is left out, so no user gets it until then"


class TooEntangled(BadRequest):
    """Raised when planning a file would take too long."""


class PlannedFlag(Struct, frozen=True, kw_only=True):
    """The result that an import would have for a flag of a file: `flag` instead of `before`, None if it fails."""

    wanted: SourceFlag
    status: ImportStatus
    before: Flag | None = None
    flag: Flag | None = None
    notes: tuple[str, ...] = ()
    field: str = ""
    error: str = ""


class PlannedGroup(Struct, frozen=True, kw_only=True):
    """The result that an import would have for a target group of a file."""

    wanted: SourceGroup
    status: ImportStatus
    before: TargetGroup | None = None
    group: TargetGroup | None = None
    error: str = ""


class FlagImportPlan(Struct, frozen=True, kw_only=True):
    """The plan for importing a file into a scope of this revision. Flags and groups are in the order to
    store them in."""

    revision: int
    flags: list[PlannedFlag]
    groups: list[PlannedGroup]


class FlagImportTarget(Struct, frozen=True, kw_only=True):
    """The destination of a file's flags. Without `moves` they stay in the environment that the file names."""

    source: Source
    existing: Existing
    environment: str | None = None
    moves: bool = True


def plan_import(scope: FlagScope, own: FlagReach, file: SourceFile, target: FlagImportTarget) -> FlagImportPlan:
    """Plan the import of a file. Invalid parts fail, and the rest is planned as if the file did not have them.

    Raises TooEntangled.
    """
    planning = _Planning(scope, own, target)
    made = [planning.group(one) for one in file.groups]
    needs: dict[str, set[str]] = {}
    for one in file.flags:
        if one.definition is not None:
            needs.setdefault(one.key, set()).update(change.needs(one.definition))
    flags = _needed_first(file.flags, lambda one: one.key, needs)
    planning.begin_flags()
    return FlagImportPlan(revision=scope.revision, flags=[planning.flag(one) for one in flags], groups=made)


def _needed_first(listed: Iterable[T], name: Callable[[T], str], needs: Mapping[str, set[str]]) -> list[T]:
    """The items in their order, but after those that they need; items in circles are last."""
    depths = depths_of(needs)
    return sorted(listed, key=lambda one: depths.get(name(one), len(needs)))


class _Planning:
    """The existing flags and groups, and those that the file has added so far."""

    def __init__(self, scope: FlagScope, own: FlagReach, target: FlagImportTarget) -> None:
        self._own = own
        self._target = target
        self._scope = scope
        self._groups = {one.id: one for one in scope.groups}
        self._group_ids = {one.name: one.id for one in scope.groups}
        self._ids: dict[str, str] = {}  # of target groups, by what the file calls them
        self._seen: set[tuple[str, str | None, str | None]] = set()
        self._flags = _Among(scope.flags)
        self._waiting: set[str] = set()  # keys of flags that were active and lost something, or need such a one
        self._loads: dict[str | None, Load] = {}  # by environment

    def group(self, wanted: SourceGroup) -> PlannedGroup:
        """Plan a target group: an existing group with its name is the same group."""
        keep_going()
        try:
            return self._group(wanted)
        except BoxError as refused:
            return PlannedGroup(wanted=wanted, status="failed", error=refused.message)

    def _group(self, wanted: SourceGroup) -> PlannedGroup:
        name = clean_group_name(wanted.name)
        values = {
            "name": name,
            "description": clean_description(wanted.description),
            "color": wanted.color.lower(),
            "rules": wanted.rules,
        }
        scope = replace(self._scope, groups=tuple(self._groups.values()))
        before = self._groups.get(self._group_ids.get(name, ""))
        status: ImportStatus = "created"
        if before is None:
            after = groups.draft_group(self._own, values, scope)
        else:
            after = groups.redraft_group(self._own, before, values, scope)
            status = "unchanged" if after == before else "updated"
            if status == "updated" and self._target.existing == "skip":
                status, after = "existing", before
        self._ids[wanted.ref] = after.id
        self._groups[after.id] = after
        self._group_ids[after.name] = after.id
        return PlannedGroup(wanted=wanted, status=status, before=before, group=after)

    def begin_flags(self) -> None:
        """Start with the flags: all target groups are planned."""
        for one in self._flags.all():
            self._count(one, 1)

    def flag(self, wanted: SourceFlag) -> PlannedFlag:
        """Plan a flag: an existing flag with its key in that environment, for that user, is the same flag."""
        keep_going()
        if wanted.definition is None:
            return PlannedFlag(
                wanted=wanted, status="failed", field=wanted.field, error=wanted.error, notes=wanted.notes
            )
        try:
            return self._flag(wanted, wanted.definition)
        except TooEntangled:
            raise
        except BoxError as refused:
            field = refused.details[0].field if refused.details else ""
            return PlannedFlag(wanted=wanted, status="failed", field=field, error=refused.message, notes=wanted.notes)

    def _flag(self, wanted: SourceFlag, definition: FlagDefinition) -> PlannedFlag:
        environment = self._target.environment if self._target.moves else wanted.environment
        identity = (wanted.key, environment, wanted.user_id)
        if identity in self._seen:
            raise BadRequest.about("key", _("The file contains this flag twice"))
        self._seen.add(identity)
        before = self._flags.find(*identity)
        if before is not None and self._target.existing == "skip":
            return PlannedFlag(wanted=wanted, status="existing", before=before, flag=before)
        definition = self._here(wanted, definition)
        if before is None:
            change.check_room(replace(self._scope, flags=self._flags.all()))
            after = change.blank(self._own, wanted.key, definition, environment=environment, user_id=wanted.user_id)
        else:
            after = replace(before, definition=definition)
            if after == before:
                notes = (*wanted.notes, *_plan_notes(wanted, change.FlagChange(before)))
                return PlannedFlag(wanted=wanted, status="unchanged", before=before, flag=before, notes=notes)
        near = replace(self._scope, flags=self._flags.near(after, before), groups=tuple(self._groups.values()))
        changed = change.settle(before, after, near)
        self._check_steps(before, changed.flag)
        self._flags.put(changed.flag)
        status: ImportStatus = "created" if before is None else "unchanged" if changed.flag == before else "updated"
        notes = (*wanted.notes, *_plan_notes(wanted, changed))
        return PlannedFlag(wanted=wanted, status=status, before=before, flag=changed.flag, notes=notes)

    def _check_steps(self, before: Flag | None, after: Flag) -> None:
        """Raises BadRequest if evaluating all flags of an environment would take too long."""
        if before is not None:
            self._count(before, -1)
        self._count(after, 1)
        if self._loads[after.environment].steps > MOST_STEPS:
            self._count(after, -1)
            if before is not None:
                self._count(before, 1)
            raise BadRequest.about("rules", TOO_MANY_STEPS)

    def _count(self, flag: Flag, sign: int) -> None:
        if flag.environment not in self._loads:
            self._loads[flag.environment] = Load(self._groups.values())
        self._loads[flag.environment].add(flag.definition, sign)

    def _here(self, wanted: SourceFlag, definition: FlagDefinition) -> FlagDefinition:
        """The definition with the target groups of this box, inactive where something was lost."""
        known = self._known({*groups_in(definition.rules), *definition.targetGroupIds})
        waits = self._waits(wanted, definition)
        if waits:
            self._waiting.add(wanted.key)
        return replace(
            definition,
            status="inactive" if wanted.decides and definition.status == "active" else definition.status,
            offValue=None if waits else definition.offValue,  # which all users would get until then
            rules=with_groups(definition.rules, known),
            targetGroupIds=tuple(known[one] for one in definition.targetGroupIds),
        )

    def _waits(self, wanted: SourceFlag, definition: FlagDefinition) -> bool:
        """Whether a user has to review an active flag first, or another one of the file that it needs."""
        return definition.status == "active" and (
            wanted.decides or not self._waiting.isdisjoint(change.needs(definition))
        )

    def _known(self, names: Iterable[str]) -> Mapping[str, str]:
        """The ids of target groups that the file names. Raises BadRequest."""
        missing = next((name for name in names if name not in self._ids), None)
        if missing is not None:
            raise BadRequest.about("rules", _("There is no target group {missing}").format(missing=missing))
        return {name: self._ids[name] for name in names}


class _Among:
    """Flags with their dependencies: for a flag only those matter that it needs, or that need it, directly or
    indirectly.

    Looking at all of a thousand flags for each of a thousand takes ten seconds.
    """

    def __init__(self, flags: Iterable[Flag]) -> None:
        self._by_id: dict[str, Flag] = {}
        self._by_key: dict[tuple[str, str | None], dict[str, Flag]] = {}
        self._wanted_by: dict[tuple[str, str | None], set[str]] = {}
        self._needs: dict[str, frozenset[str]] = {}  # by id
        self._effort = 0
        for one in flags:
            self.put(one)

    def all(self) -> tuple[Flag, ...]:
        """Every one."""
        return tuple(self._by_id.values())

    def put(self, flag: Flag) -> None:
        """A new flag, or another state of one."""
        self._by_id[flag.id] = flag
        self._by_key.setdefault((flag.key, flag.environment), {})[flag.id] = flag
        self._needs[flag.id] = needs = frozenset(change.needs(flag.definition))
        for key in needs:
            self._wanted_by.setdefault((key, flag.environment), set()).add(flag.id)

    def find(self, key: str, environment: str | None, user_id: str | None) -> Flag | None:
        """The flag of this key in an environment, for a user."""
        return next((one for one in self._by_key.get((key, environment), {}).values() if one.user_id == user_id), None)

    def near(self, flag: Flag, before: Flag | None) -> tuple[Flag, ...]:
        """The flags that matter for this state of a flag: those that it needs and that need it, and, if it could close
        a circle or make a chain too long, those that these need. Raises BadRequest if a file takes too long.
        """
        found = {one.id: one for one in (*self._needed(flag), *self._needing(flag))}
        if before is None or _needs_more(before.definition, flag.definition):
            if self._wanted_by.get((flag.key, flag.environment)):
                found |= self._by_key.get((flag.key, flag.environment), {})
                found |= self._reached(flag, self._needed) | self._reached(flag, self._needing)
            else:  # No later flag needs it.
                found |= self._reached(flag, self._needed_strictly)
        self._count(found.values())
        return tuple(found.values())

    def _count(self, flags: Iterable[Flag]) -> None:
        self._effort += sum(1 + len(self._needs[one.id]) for one in flags)
        if self._effort > MOST_EFFORT:
            raise TooEntangled(_TOO_ENTANGLED)

    def _reached(self, flag: Flag, step: Callable[[Flag], Iterable[Flag]]) -> dict[str, Flag]:
        found: dict[str, Flag] = {}
        left = [flag]
        while left:
            for one in step(left.pop()):
                if one.id not in found:
                    found[one.id] = one
                    left.append(one)
        return found

    def _needed(self, flag: Flag) -> Iterable[Flag]:
        for key in change.needs(flag.definition):
            yield from self._by_key.get((key, flag.environment), {}).values()

    def _needed_strictly(self, flag: Flag) -> Iterable[Flag]:
        for key in {one.key for one in flag.definition.prerequisites}:
            yield from self._by_key.get((key, flag.environment), {}).values()

    def _needing(self, flag: Flag) -> Iterable[Flag]:
        for flag_id in self._wanted_by.get((flag.key, flag.environment), ()):
            yield self._by_id[flag_id]


def _needs_more(before: FlagDefinition, after: FlagDefinition) -> bool:
    """Whether a flag needs others that it did not need before, or needs them more strictly."""
    more = set(change.needs(after)).difference(change.needs(before))
    strictly = {one.key for one in after.prerequisites}.difference(one.key for one in before.prerequisites)
    return bool(more or strictly)


def _plan_notes(wanted: SourceFlag, changed: change.FlagChange) -> Iterable[str]:
    definition = wanted.definition
    if wanted.decides and definition is not None and definition.status == "active":
        yield _INACTIVE if definition.offValue is None else f"{_INACTIVE}. {_NO_OFF_VALUE}"
    if changed.inactive_dependencies:
        yield f"It is inactive, because it needs {', '.join(changed.inactive_dependencies)}, which is not active"
    if changed.dependents:
        yield f"Active flags need it: {', '.join(changed.dependents)}"
