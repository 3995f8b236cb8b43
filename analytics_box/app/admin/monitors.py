"""The commands `monitor …`: the procedures of monitors, called by the command line."""

import msgspec
from msgspec import Struct

from analytics_box.app.admin.asking import acting_in, organization_of
from analytics_box.app.admin.given.monitors import (
    ExportedMonitors,
    Fields,
    ImportedMonitors,
    MadeMonitor,
    NamedMonitor,
    SomeMonitors,
)
from analytics_box.base import errors
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import calls
from analytics_box.products.monitors.editing.messages import CreateMonitor
from analytics_box.products.monitors.editing.shown import MonitorAnswer
from analytics_box.products.monitors.list_calls import MonitorPage, list_page
from analytics_box.products.monitors.messages import MonitorId
from analytics_box.products.monitors.moving.export_calls import ExportMonitors, MonitorExportAnswer, export
from analytics_box.products.monitors.moving.import_calls import ImportMonitors, MonitorImportAnswer, import_monitors
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.web.call import Call, Parts

_PAGE = 100


class AddedMonitor(Struct, frozen=True):
    """A new monitor. `pushUrl` is where a push goes to; it is told only once."""

    monitor: MonitorAnswer
    pushUrl: str | None


async def monitor_list(parts: Parts, given: SomeMonitors) -> list[MonitorAnswer]:
    """monitor list. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    found: list[MonitorAnswer] = []
    while len(found) < given.limit:
        page = await list_page(
            call,
            MonitorPage(
                limit=min(_PAGE, given.limit - len(found)),
                offset=len(found),
                search=given.search,
                tags=(given.tag,) if given.tag is not None else (),
                state=given.state,
                sort="state",
            ),
        )
        found += page.items
        if not page.has_more:
            break
    return found


async def monitor_add(parts: Parts, given: MadeMonitor) -> AddedMonitor:
    """monitor add. Raises BadRequest, NotFound or Conflict."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    made = await calls.create_schedule(call, _message(given.fields))
    return AddedMonitor(await calls.get_schedule(call, MonitorId(made.schedule_id)), made.push_url)


async def monitor_pause(parts: Parts, given: NamedMonitor) -> MonitorAnswer:
    """monitor pause. Raises NotFound or BadRequest."""
    call, wanted = _call_for_monitor(parts, given.monitor)
    await calls.pause_schedule(call, wanted)
    return await calls.get_schedule(call, wanted)


async def monitor_resume(parts: Parts, given: NamedMonitor) -> MonitorAnswer:
    """monitor resume. Raises NotFound or BadRequest."""
    call, wanted = _call_for_monitor(parts, given.monitor)
    await calls.resume_schedule(call, wanted)
    return await calls.get_schedule(call, wanted)


async def monitor_export(parts: Parts, given: ExportedMonitors) -> MonitorExportAnswer:
    """monitor export. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    return await export(call, ExportMonitors(given.format, given.secrets))


async def monitor_import(parts: Parts, given: ImportedMonitors) -> MonitorImportAnswer:
    """monitor import: each monitor succeeds or fails by itself. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    return await import_monitors(call, ImportMonitors(given.content, given.source, given.existing, given.dry_run))


def _call_for_monitor(parts: Parts, given: str) -> tuple[Call, MonitorId]:
    """A call in the organization of this monitor, and the monitor. Raises NotFound or BadRequest."""
    known = {each.id for each in parts[OrganizationDirectory].all()}
    own = [one for one in parts[Monitors].all() if one.organization_id in known]
    found = [one for one in own if one.id == given] or [one for one in own if given in {one.url, one.name}]
    if not found:
        raise errors.NotFound(f"There is no monitor {given}; name it by its id, its URL or its name")
    if len(found) > 1:
        ids = ", ".join(one.id for one in found[:10])
        raise errors.BadRequest(f"Several monitors are called {given}; name one by its id: {ids}")
    return acting_in(parts, found[0].organization_id), MonitorId(found[0].id)


def _message(fields: Fields) -> CreateMonitor:
    """The message of uptime.createSchedule. Raises BadRequest."""
    try:
        return msgspec.convert(fields, CreateMonitor)
    except msgspec.ValidationError as wrong:
        raise errors.BadRequest(str(wrong).replace(" - at `$.", ": `").replace("`$`", "the monitor")) from wrong
