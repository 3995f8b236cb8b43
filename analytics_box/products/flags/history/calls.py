"""The history of flags over RPC. Keys need manage:flags."""

from collections.abc import Iterable, Mapping
from typing import Any

from analytics_box.base.store.db import Connection
from analytics_box.products.flags.access import find_flag, visible_flag
from analytics_box.products.flags.directory import Flags
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing.shown import FlagChangeAnswer, flag_change_answer
from analytics_box.products.flags.flag import Flag
from analytics_box.products.flags.history import reading, words
from analytics_box.products.flags.history.difference import DefinitionChange
from analytics_box.products.flags.history.messages import (
    DefinitionChangeAnswer,
    FlagDifferenceAnswer,
    FlagHistoryAnswer,
    FlagVersionAnswer,
    OneVersion,
    RestoreFlag,
    TwoVersions,
    WhichHistory,
    WholeVersion,
)
from analytics_box.products.flags.history.rows import Version
from analytics_box.products.flags.saving import save
from analytics_box.products.flags.scope import FlagScope
from analytics_box.tenants.tenancy.messages import date
from analytics_box.web.call import Call


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
