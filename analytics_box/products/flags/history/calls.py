"""The history of flags over RPC, with its messages. Keys need manage:flags."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.access import find_flag, visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.shown import FlagChangeAnswer, flag_change_answer
from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, Flag, FlagDefinition, FlagScope
from analytics_box.products.flags.history import reading, words
from analytics_box.products.flags.history.difference import DefinitionChange, Kind
from analytics_box.products.flags.history.rows import Version
from analytics_box.products.flags.saving import save
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call

Id = Annotated[str, Meta(min_length=1, max_length=255)]
Number = Annotated[int, Meta(ge=1)]


class WhichHistory(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of flags.history: the newest versions, of those older than `before`."""

    flagId: Id
    before: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class OneVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a version of a flag."""

    flagId: Id
    version: Number


class TwoVersions(Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """Input of flags.diff: the changes from one version to another, in either direction."""

    flagId: Id
    from_: Number
    to: Number


class RestoreFlag(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of flags.restore. `current` is the version that the caller knows; if the flag is another by now, nothing
    is done."""

    flagId: Id
    version: Number
    note: Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)] = ""
    current: Number | None = None


class DefinitionChangeAnswer(Struct, frozen=True):
    """A change. `item` identifies the part: a variant's or a flag's key, the number of a rule.

    `text` describes it in a line.
    """

    field: str
    kind: Kind
    item: str
    before: Any
    after: Any
    text: str


class FlagVersionAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """A version with its actor, time and reason, and the changes since the one before that is kept.

    `actorName`, a person's email address or a key's name, is visible to people only, not to API keys.
    """

    version: int
    key: str
    environment: str | None
    action: str
    actor: str
    actor_name: str | None
    note: str
    at: datetime
    changes: tuple[DefinitionChangeAnswer, ...]


class FlagHistoryAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Answer of flags.history: the newest first."""

    flag_id: str
    versions: tuple[FlagVersionAnswer, ...]
    has_more: bool


class WholeVersion(FlagVersionAnswer, frozen=True, kw_only=True, rename="camel"):
    """A version with all that the flag decided by; fields that are as in a new flag are left out."""

    definition: FlagDefinition


class FlagDifferenceAnswer(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Answer of flags.diff."""

    from_: int
    to: int
    changes: tuple[DefinitionChangeAnswer, ...]


async def get_history(call: Call, given: WhichHistory) -> FlagHistoryAnswer:
    """flags.history: list a flag's versions with author and note, newest first. Raises NotFound."""
    flag = await visible_flag(call, given.flagId)
    found, more = await call.read(lambda db: reading.history(db, flag.id, before=given.before, limit=given.limit))
    groups = _groups(call, flag)
    versions = tuple(FlagVersionAnswer(**_fields(call, one, changes, groups)) for one, changes in found)
    return FlagHistoryAnswer(flag_id=flag.id, versions=versions, has_more=more)


async def get_version(call: Call, given: OneVersion) -> WholeVersion:
    """flags.version: get a version of a flag. Raises NotFound."""
    flag = await visible_flag(call, given.flagId)
    one, changes = await call.read(lambda db: reading.version(db, flag.id, given.version))
    return WholeVersion(**_fields(call, one, changes, _groups(call, flag)), definition=one.definition)


async def diff(call: Call, given: TwoVersions) -> FlagDifferenceAnswer:
    """flags.diff: compare two versions of a flag. Raises NotFound."""
    flag = await visible_flag(call, given.flagId)
    found = await call.read(lambda db: reading.between(db, flag.id, given.from_, given.to))
    return FlagDifferenceAnswer(from_=given.from_, to=given.to, changes=_changes(found, _groups(call, flag)))


async def restore(call: Call, given: RestoreFlag) -> FlagChangeAnswer:
    """flags.restore: restore a version of a flag as a new version. Raises Forbidden, NotFound, BadRequest or Conflict.

    Key and environment do not change.
    """
    own, _ = find_flag(call, given.flagId)

    note = given.note or words.of_version(given.version)

    def work(db: Connection) -> change.FlagChange:
        definition = reading.existing(db, given.flagId, given.version).definition
        return change.redefine(db, own, given.flagId, definition, act="restored", note=note, version=given.current)

    done = await save(call.parts, own.scope, work, adds=True)
    scope = call.parts[Flags].scope(own.scope) or FlagScope(own.scope, own.organization_id, own.website_id)
    return flag_change_answer(done, scope)


def _groups(call: Call, flag: Flag) -> dict[str, str]:
    scope = call.parts[Flags].scope(flag.scope)
    return {group.id: group.name for group in scope.groups} if scope is not None else {}


def _fields(call: Call, one: Version, changes: Iterable[DefinitionChange], groups: Mapping[str, str]) -> dict[str, Any]:
    return {
        "version": one.version,
        "key": one.key,
        "environment": one.environment,
        "action": one.action,
        "actor": one.actor,
        "actor_name": one.actor_name or None if call.identity.person is not None else None,
        "note": one.note,
        "at": date(one.at),
        "changes": _changes(changes, groups),
    }


def _changes(changes: Iterable[DefinitionChange], groups: Mapping[str, str]) -> tuple[DefinitionChangeAnswer, ...]:
    return tuple(
        DefinitionChangeAnswer(each.field, each.kind, each.item, each.before, each.after, words.line(each, groups))
        for each in changes
    )
