"""Monitors from and to files, over RPC: `uptime.import` and `uptime.export`.

A dry run of an import answers the same without storing anything.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base import audit, plain_files
from analytics_box.base.errors import BoxError, Conflict, Forbidden
from analytics_box.base.file_queue import Existing, FileQueue
from analytics_box.base.identity import at_least
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.calls import reachable_monitors
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorChange, MonitorTools
from analytics_box.products.monitors.editing.shown import push_url
from analytics_box.products.monitors.monitor import Id
from analytics_box.products.monitors.moving import gatus, kuma, own, services
from analytics_box.products.monitors.moving import plan as moving_plan
from analytics_box.products.monitors.moving.histories import MonitorHistories
from analytics_box.products.monitors.moving.plan import (
    OWN_ID,
    MonitorImportPlan,
    PlannedImport,
    existing_monitors,
    in_order,
)
from analytics_box.products.monitors.moving.wanted import (
    Form,
    MonitorImportFile,
    MonitorImportItem,
    Source,
    WindowImportItem,
    parents_first,
)
from analytics_box.products.monitors.window import MaintenanceWindow, change_after
from analytics_box.products.monitors.windows import change as windows
from analytics_box.products.monitors.windows import messages
from analytics_box.resource.imports import ImportStatus, begin_import, count_statuses, program_of, read_rows
from analytics_box.resource.reach import Reach, check, reach, role_of
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

T = TypeVar("T")

_AT_ONCE: Final = 50  # monitors in one write or one look, so that others hardly wait
_READERS: Final[dict[Source, Callable[[dict[str, Any]], MonitorImportFile]]] = {
    "analytics-box": own.read_own,
    "uptime-kuma": kuma.read_kuma,
    "gatus": gatus.read_gatus,
    "uptimerobot": services.read_robot,
    "better-stack": services.read_better_stack,
    "healthchecks": services.read_healthchecks,
    "list": services.read_urls,
}
_LOOKS: Final[tuple[tuple[Source, Callable[[Mapping[str, Any]], bool]], ...]] = (
    ("uptime-kuma", lambda given: "monitorList" in given),
    ("gatus", lambda given: not given.keys().isdisjoint(("endpoints", "services", "external-endpoints"))),
    ("uptimerobot", services.is_robot),
    ("better-stack", services.is_better_stack),
    ("healthchecks", services.is_healthchecks),
    ("list", lambda given: "urls" in given),
    ("analytics-box", lambda given: "monitors" in given),
)


class ImportMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.import: the text of a file. `existing` says what becomes of monitors that are there already."""

    content: Annotated[str, Meta(max_length=plain_files.MOST_BYTES)]
    source: Source | None = None
    existing: Existing = "skip"
    dryRun: bool = False
    organizationId: Id | None = None


class MonitorRowOutcome(Struct, frozen=True, kw_only=True, rename="camel"):
    """The result for a monitor of the file, or the predicted one. Monitors are numbered from 1.

    `taken` are fields of another program's file that were imported, `notes` say what is not supported here.
    `isPaused`
    is true for a monitor that lost a decisive setting. `pushUrl` is the URL of a new push monitor.
    """

    row: int
    name: str
    status: ImportStatus
    url: str
    schedule_id: str
    is_paused: bool
    taken: tuple[str, ...]
    notes: tuple[str, ...]
    field: str
    error: str
    push_url: str | None = None


class WindowRowOutcome(Struct, frozen=True, kw_only=True):
    """The result for a maintenance window of the file, or the predicted one."""

    name: str
    status: ImportStatus
    error: str = ""


class MonitorImportAnswer(Struct, frozen=True, kw_only=True, rename="camel"):
    """Output of uptime.import. `notes` are about the file as a whole."""

    source: Source
    dry_run: bool
    total: int
    created: int
    updated: int
    unchanged: int
    existing: int
    failed: int
    monitors: list[MonitorRowOutcome]
    maintenances: list[WindowRowOutcome]
    notes: tuple[str, ...]


async def import_monitors(call: Call, given: ImportMonitors) -> MonitorImportAnswer:
    """uptime.import: import monitors from a file of this box (JSON or YAML), of another product, or a list of URLs.
    Raises Forbidden, RateLimited, or BadRequest for another file.

    Each monitor succeeds or fails on its own, with notes on what is lost.
    """
    acting = reach(call, given.organizationId)
    await begin_import(call, acting, "monitor")
    queue = call.parts[FileQueue]
    source, file = await queue.run(call.identity.holder, read_import, given.content, given.source)
    plan = MonitorImportPlan(
        existing_monitors(call.parts, acting), acting, call.parts[MonitorTools].fence_of(acting), given.existing
    )
    planned, done = await queue.run(call.identity.holder, _plan_items, plan, file.monitors)
    for some in (planned[first : first + _AT_ONCE] for first in range(0, len(planned), _AT_ONCE)):
        done += some if given.dryRun else await _store_items(call, acting, some)
    if not given.dryRun:
        for one in done:
            if one.monitor is not None and one.wanted.history is not None:
                await call.parts[MonitorHistories].add(one.monitor, one.wanted.history)
    listed = await _windows(call, acting, plan.ids, file.windows, given)
    notes = await _alert_notes(call, acting, file, done, dry=given.dryRun)
    rows = [_row(call, one, dry=given.dryRun) for one in sorted(done, key=lambda one: one.wanted.number)]
    return MonitorImportAnswer(
        source=source,
        dry_run=given.dryRun,
        total=len(rows),
        monitors=rows,
        maintenances=listed,
        notes=(*file.notes, *notes),
        **count_statuses(rows),
    )


def read_import(content: str, source: Source | None) -> tuple[Source, MonitorImportFile]:
    """The contents of a file, and the program that wrote it. Raises BadRequest."""
    given = services.read_list(content) or plain_files.read_mapping(content)
    unknown = _("This file does not contain monitors, monitorList or endpoints")
    found = source or program_of(given, _LOOKS, unknown)
    return found, read_rows(_READERS[found], given)


def _plan_items(
    plan: MonitorImportPlan, wanted: Sequence[MonitorImportItem]
) -> tuple[list[PlannedImport], list[PlannedImport]]:
    """The plan for the monitors of a file, and for those that cannot be, because their parents are in a
    circle."""
    ordered, circles = in_order(wanted)
    return [plan.of(one) for one in ordered], circles


async def _store_items(call: Call, acting: Reach, planned: list[PlannedImport]) -> list[PlannedImport]:
    """Store these; whatever runs monitors follows."""
    tools = call.parts[MonitorTools]
    done, changes = await call.write(lambda db: _store_all(db, tools, acting, planned))
    for changed in changes:
        call.parts[Monitors].remember(changed.monitor, readable=changed.readable)
    return done


def _store_all(
    db: Connection, tools: MonitorTools, acting: Reach, planned: list[PlannedImport]
) -> tuple[list[PlannedImport], list[MonitorChange]]:
    """Store planned monitors and return the result of each. A refused one leaves nothing behind."""
    done, changes = [], []
    left = change.room(db, tools, acting)
    for one in planned:
        try:
            if one.status == "created" and not left:
                raise Conflict(change.full(tools))  # others made some since
            with db:  # its own savepoint
                changed = _store(db, tools, acting, one)
            left -= one.status == "created"
        except BoxError as refused:
            field = refused.details[0].field if refused.details else ""
            done.append(replace(one, status="failed", monitor=None, field=field, error=refused.message))
            continue
        if changed is not None:
            changes.append(changed)
            one = replace(one, monitor=changed.monitor)  # noqa: PLW2901  with its number
        done.append(one)
    return done, changes


def _store(db: Connection, tools: MonitorTools, acting: Reach, one: PlannedImport) -> MonitorChange | None:
    if one.monitor is not None and one.status == "created":
        return MonitorChange(change.add(db, tools, acting, one.monitor))
    if one.change is not None and one.status == "updated":
        return change.update(db, tools, acting, one.change)
    return None


async def _windows(
    call: Call, acting: Reach, known: dict[str, str], wanted: Sequence[WindowImportItem], given: ImportMonitors
) -> list[WindowRowOutcome]:
    """The results for windows; existing windows do not change."""
    there = list(call.parts[Monitors].windows(acting.organization_id))
    ids, names = {one.id for one in there}, {one.name for one in there}
    shown = []
    for one in wanted:
        if one.ref in ids or one.given.name.strip() in names:
            shown.append(WindowRowOutcome(name=one.given.name, status="existing"))
            continue
        shown.append(await _window(call, acting, known, one, given))
        if shown[-1].status == "created" and not given.dryRun:
            ids.add(one.ref)
            names.add(one.given.name.strip())
    return shown


async def _window(
    call: Call, acting: Reach, known: dict[str, str], wanted: WindowImportItem, given: ImportMonitors
) -> WindowRowOutcome:
    """The result for a new window."""
    monitors = call.parts[Monitors]
    name = wanted.given.name
    covers = wanted.given.covers
    ids = tuple(known.get(ref, ref) for ref in covers.monitor_ids)
    message = replace(wanted.given, covers=replace(covers, monitor_ids=ids))
    try:
        if given.dryRun:
            messages.check_window(windows.draft_window(acting, message, wanted.ref), call.now)
        else:
            window_id = wanted.ref if monitors.window(wanted.ref) is None and OWN_ID.match(wanted.ref) else ""
            made: MaintenanceWindow = await call.write(
                lambda db: windows.create(db, monitors, acting, message, window_id=window_id)
            )
            monitors.remember_window(made)
    except BoxError as refused:
        return WindowRowOutcome(name=name, status="failed", error=refused.message)
    return WindowRowOutcome(name=name, status="created")


async def _alert_notes(
    call: Call, acting: Reach, file: MonitorImportFile, done: Sequence[PlannedImport], *, dry: bool
) -> list[str]:
    """Create alert rules for the notifications of a file whose channels exist; a note on each."""
    if not file.notifications:
        return []
    by_notification: dict[str, list[str]] = {}
    for one in done:
        if one.monitor is not None:
            for ref in one.wanted.notifications:
                by_notification.setdefault(ref, []).append(one.monitor.id)
    tools = call.parts[ChannelTools]
    may = call.identity.may_act_for_organization("manage:config")

    def follow(db: Connection) -> list[str]:
        creates = may and at_least(role_of(db, acting.organization_id, acting.by), "admin")
        return [
            moving_plan.follow(db, tools, acting, one, by_notification.get(one.ref, ()), creates=creates, dry=dry)
            for one in file.notifications
        ]

    return await (call.read if dry else call.write)(follow)


def _row(call: Call, one: PlannedImport, *, dry: bool) -> MonitorRowOutcome:
    monitor, is_new = one.monitor, one.status == "created"
    token = monitor.secrets.token if monitor is not None else ""
    return MonitorRowOutcome(
        row=one.wanted.number,
        name=one.wanted.name,
        status=one.status,
        url=monitor.url if monitor is not None and not (dry and is_new and token) else "",
        schedule_id=monitor.id if monitor is not None and not (dry and is_new) else "",
        is_paused=monitor.is_paused if monitor is not None else False,
        taken=one.wanted.taken,
        notes=one.notes,
        field=one.field,
        error=one.error,
        push_url=push_url(token, call.parts.settings) if token and is_new and not dry else None,
    )


_TYPES: Final[dict[Form, str]] = {"yaml": "application/yaml", "json": "application/json"}


class ExportMonitors(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of uptime.export. With `secrets` the file has headers, bodies, passwords and tokens, too: keep it safe."""

    format: Form = "yaml"
    secrets: bool = False
    organizationId: Id | None = None


class MonitorExportAnswer(Struct, frozen=True):
    """The monitors of an organization as the text of a file, and how many they are."""

    type: str
    content: str
    monitors: int


async def export(call: Call, given: ExportMonitors) -> MonitorExportAnswer:
    """uptime.export: export monitors and current maintenance windows in the format of uptime.import. Raises Forbidden.

    Secrets are included only for admins and keys with `write:monitors`; the audit log records it.
    """
    acting = reach(call, given.organizationId)
    if given.secrets:
        if call.identity.key is not None and "write:monitors" not in call.identity.key.scopes:
            raise Forbidden(_("An export with secrets requires a key with write:monitors"))
        await call.write(lambda db: _note(db, acting))
    oldest_first = sorted(await reachable_monitors(call, acting.organization_id), key=lambda one: one.number)
    by_id = {one.id: one for one in oldest_first}
    found, _rest = parents_first(oldest_first, lambda one: by_id.get(one.parent_id or ""))
    windows = [
        one for one in call.parts[Monitors].windows(acting.organization_id) if change_after(one, call.now) is not None
    ]
    domains = {site.id: site.domain for site in call.parts[Directory].of(acting.organization_id)}
    write = plain_files.to_yaml if given.format == "yaml" else plain_files.to_json
    work = partial(own.export_values, found, windows, domains, secrets=given.secrets)
    content = await asyncio.to_thread(lambda: write(work()))
    return MonitorExportAnswer(_TYPES[given.format], content, len(found))


def _note(db: Connection, acting: Reach) -> None:
    """Write down that someone has the secrets. Raises Forbidden for those who may not."""
    check(db, acting, "admin")
    audit.record(db, acting.by, acting.organization_id, "created", "monitor_export", acting.organization_id)
