"""Flags from a file and as a file, over RPC: `flags.import` and `flags.export`. A dry run plans the same and
stores nothing."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.file_queue import Existing, FileQueue, decode_json
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.flags import rows
from analytics_box.products.flags.access import FlagReach, reach, visible_scope
from analytics_box.products.flags.editing import change
from analytics_box.products.flags.editing import group_change as groups
from analytics_box.products.flags.editing.change import stored_scope
from analytics_box.products.flags.editing.messages import Environment, OwnedInput, clean_environment
from analytics_box.products.flags.flag import LONGEST_DESCRIPTION, Flag, FlagScope
from analytics_box.products.flags.flag import Status as FlagStatus
from analytics_box.products.flags.moving import flagd, flagd_writing, flagsmith, growthbook, launchdarkly, own, unleash
from analytics_box.products.flags.moving.planning import (
    FlagImportPlan,
    FlagImportTarget,
    PlannedFlag,
    plan_import,
)
from analytics_box.products.flags.moving.wanted import MOST_BYTES, Form, Source, SourceFile
from analytics_box.products.flags.saving import save
from analytics_box.resource.imports import ImportStatus, begin_import, count_statuses, program_of, read_rows
from analytics_box.resource.reach import check
from analytics_box.web.call import Call

_UNKNOWN: Final = (
    "This file does not contain flags. Send an Analytics Box export, Unleash, GrowthBook, LaunchDarkly, "
    "Flagsmith or flagd, and set source to one of them"
)
_READERS: Final[dict[Source, Callable[[Mapping[str, Any], str | None], SourceFile]]] = {
    "analytics-box": own.read_file,
    "unleash": unleash.read_file,
    "growthbook": growthbook.read_file,
    "launchdarkly": launchdarkly.read_file,
    "flagsmith": flagsmith.read_file,
    "flagd": flagd.read_file,
    "flagd-v3": flagd.read_v3,
}
_LOOKS: Final[tuple[tuple[Source, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("analytics-box", own.is_own),
    ("flagd", flagd.is_flagd),
    ("flagsmith", lambda given: "feature_states" in given),
    ("launchdarkly", launchdarkly.is_launchdarkly),
    ("unleash", unleash.is_unleash),
    ("growthbook", growthbook.is_growthbook),
)


def read_file(content: str, source: Source | None = None, environment: str | None = None) -> tuple[Source, SourceFile]:
    """The flags that a file defines in one of its environments, and the product it comes from. Raises BadRequest."""
    given = _mapping(content)
    found = source or program_of(given, _LOOKS, _UNKNOWN)
    reader = flagd.read_unsure if source is None and found == "flagd" else _READERS[found]
    return found, read_rows(reader, given, environment)


def format_json(value: object) -> str:
    """Indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def _mapping(content: str) -> dict[str, Any]:
    text = content.removeprefix("\ufeff")
    if not text.strip():
        raise BadRequest(_("The file is empty"))
    found = decode_json(text)
    if isinstance(found, list):
        is_launchdarkly = any(isinstance(one, dict) and "variations" in one for one in found)
        return {"items" if is_launchdarkly else "features": found}
    if not isinstance(found, dict):
        raise BadRequest(_("This file does not contain flags. It must be a JSON object"))
    return found


_PRODUCTS: Final[dict[Source, str]] = {
    "analytics-box": "a file",
    "unleash": "Unleash",
    "growthbook": "GrowthBook",
    "launchdarkly": "LaunchDarkly",
    "flagsmith": "Flagsmith",
    "flagd": "flagd",
    "flagd-v3": "flagd",
}


class OutdatedPlan(Exception):
    """Raised when flags of the scope have changed since the plan was made."""


def store(db: Connection, own: FlagReach, plan: FlagImportPlan, source: Source) -> None:
    """Store all of it. Raises Forbidden, Conflict where flags would be too large together, or OutdatedPlan."""
    check(db, own, "member")
    if rows.revision(db, own.scope) != plan.revision:
        raise OutdatedPlan
    for one in plan.groups:
        if one.group is not None and one.status in {"created", "updated"}:
            groups.store_group(db, own, one.before, one.group)
    for each in plan.flags:
        if each.flag is not None and each.status in {"created", "updated"}:
            note = "; ".join((f"From {_PRODUCTS[source]}", *each.wanted.notes))[:LONGEST_DESCRIPTION]
            change.record(db, own.by, each.before, each.flag, act="imported", note=note)
    change.check_size(db, own)


_TRIES: Final = 3
_EarlierSource = Annotated[Source | None, Meta(extra_json_schema={"deprecated": True})]


class ImportFlags(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.import: the text of a file. `source` is the program that wrote it; if it is not given, the file
    tells. `format` is an earlier name of the same field.

    Flags go to `environment`; those of a file of this box stay in theirs unless it is given. `sourceEnvironment` is the
    one of the file that is read, where it has several. `existing` says what becomes of flags and target groups that
    are there already.
    """

    content: Annotated[str, Meta(max_length=MOST_BYTES)]
    source: Source | None = None
    format: _EarlierSource = None
    environment: Environment | None = None
    sourceEnvironment: Environment | None = None
    existing: Existing = "skip"
    dryRun: bool = False


class FlagRow(Struct, frozen=True, kw_only=True):
    """The result of importing a flag of the file, or of a dry run. Flags are counted from 1.

    `notes` list the differences here. A flag that lost something that decides its outcomes is inactive.
    """

    row: int
    key: str
    environment: str | None
    status: ImportStatus
    flagId: str | None
    flagStatus: FlagStatus | None
    notes: tuple[str, ...]
    field: str
    error: str


class GroupRow(Struct, frozen=True, kw_only=True):
    """The result of importing a target group of the file, or of a dry run."""

    name: str
    status: ImportStatus
    notes: tuple[str, ...]
    error: str


class FlagImportAnswer(Struct, frozen=True, kw_only=True):
    """Output of flags.import. `format` is an earlier name of `source`.

    `inactive` are those new or changed flags that lost something and wait to be looked at; `notes` are about the file
    as a whole.
    """

    source: Source
    format: Annotated[Source, Meta(extra_json_schema={"deprecated": True})]
    dryRun: bool
    sourceEnvironment: str | None
    total: int
    created: int
    updated: int
    unchanged: int
    existing: int
    failed: int
    inactive: int
    flags: list[FlagRow]
    targetGroups: list[GroupRow]
    notes: tuple[str, ...]


async def import_flags(call: Call, given: ImportFlags) -> FlagImportAnswer:
    """flags.import: import flags from a file of this box, Unleash, GrowthBook, LaunchDarkly, Flagsmith or flagd.

    Everything is stored in one transaction. Flags that are refused are skipped.
    """
    if given.source is not None and given.format not in {None, given.source}:
        raise BadRequest.about("source", _("Send either source or format"))
    own = reach(call, given.websiteId, given.organizationId)
    await begin_import(call, own, "flag")
    environment = clean_environment(given.environment)
    source, file = await call.parts[FileQueue].run(
        call.identity.holder, read_file, given.content, given.source or given.format, given.sourceEnvironment
    )
    target = FlagImportTarget(
        source=source,
        existing=given.existing,
        environment=environment,
        moves=source != "analytics-box" or given.environment is not None,
    )
    if source == "analytics-box" and target.moves:
        _check_one_environment(file)
    return _import_answer(given, source, file, await _carried_out(call, own, file, target, dry=given.dryRun))


async def _carried_out(
    call: Call, own: FlagReach, file: SourceFile, target: FlagImportTarget, *, dry: bool
) -> FlagImportPlan:
    """Plan in a thread, then store; plan again if flags have changed in the meantime. Raises Conflict."""
    for _try in range(_TRIES):
        scope = await call.read(lambda db: stored_scope(db, own))
        plan = await call.parts[FileQueue].run(call.identity.holder, plan_import, scope, own, file, target)
        if dry:
            return plan
        try:
            await save(call.parts, own.scope, partial(_store, own, plan, target.source), adds=True)
        except OutdatedPlan:
            continue
        return plan
    raise Conflict(_("The flags were changed at the same time. Import the file again"))


def _store(own: FlagReach, plan: FlagImportPlan, source: Source, db: Connection) -> None:
    store(db, own, plan, source)


def _check_one_environment(file: SourceFile) -> None:
    names = {one.environment for one in file.flags}
    if len(names) > 1:
        listed = ", ".join(sorted(name or '""' for name in names))
        raise BadRequest.about(
            "sourceEnvironment", _("The file has several environments. Select one: {listed}").format(listed=listed)
        )


def _import_answer(given: ImportFlags, source: Source, file: SourceFile, plan: FlagImportPlan) -> FlagImportAnswer:
    flags = sorted(plan.flags, key=lambda one: one.wanted.number)
    return FlagImportAnswer(
        source=source,
        format=source,
        dryRun=given.dryRun,
        sourceEnvironment=file.chosen,
        total=len(flags),
        inactive=sum(one.wanted.decides and one.status in {"created", "updated"} for one in flags),
        flags=[_row(one, dry=given.dryRun) for one in flags],
        targetGroups=[
            GroupRow(name=one.wanted.name, status=one.status, notes=one.wanted.notes, error=one.error)
            for one in plan.groups
        ],
        notes=file.notes,
        **count_statuses(flags),
    )


def _row(one: PlannedFlag, *, dry: bool) -> FlagRow:
    flag = one.flag
    return FlagRow(
        row=one.wanted.number,
        key=one.wanted.key,
        environment=flag.environment if flag is not None else one.wanted.environment,
        status=one.status,
        flagId=None if flag is None or (dry and one.status == "created") else flag.id,
        flagStatus=None if flag is None else flag.definition.status,
        notes=one.notes,
        field=one.field,
        error=one.error,
    )


class ExportFlags(OwnedInput, frozen=True, kw_only=True):
    """Input of flags.export. An `environment` of null means flags of none; without it, flags of all environments.

    The format analytics-box keeps everything; flagd has one environment, and lists what it cannot express.
    """

    format: Form = "analytics-box"
    environment: Environment | UnsetType | None = UNSET


class ExportedFlag(Struct, frozen=True):
    """The parts of a flag that a file cannot express."""

    key: str
    notes: tuple[str, ...]


class FlagExportAnswer(Struct, frozen=True, kw_only=True):
    """Flags as the text of a file, their number, and what the file cannot express."""

    type: str
    content: str
    flags: int
    notes: list[ExportedFlag]


async def export(call: Call, given: ExportFlags) -> FlagExportAnswer:
    """flags.export: export all flags and target groups of a website or organization. Raises Forbidden, NotFound, or
    BadRequest."""
    scope = await visible_scope(call, given.websiteId, given.organizationId)
    flags = list(scope.flags)
    if given.environment is not UNSET:
        wanted = clean_environment(given.environment)
        flags = [one for one in flags if one.environment == wanted]
    elif given.format == "flagd" and len({one.environment for one in flags}) > 1:
        raise BadRequest.about("environment", _("Select the environment to export. A flagd file has one environment"))
    written, notes = await asyncio.to_thread(_file_content, given.format, flags, scope)
    return FlagExportAnswer(
        type="application/json",
        content=format_json(written),
        flags=len(flags),
        notes=[ExportedFlag(key, said) for key, said in notes],
    )


def _file_content(form: Form, flags: list[Flag], scope: FlagScope) -> tuple[Any, list[tuple[str, tuple[str, ...]]]]:
    """Plain values of a file, and what it cannot express, by flag."""
    if form == "flagd":
        return flagd_writing.build_file(flags, scope.groups)
    return own.build_file(flags, scope.groups), []
