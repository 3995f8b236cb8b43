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
from analytics_box.products.monitors.editing.messages import NewMonitor
from analytics_box.products.monitors.editing.shown import ScheduleShown
from analytics_box.products.monitors.list_calls import MonitorPage, paginated
from analytics_box.products.monitors.messages import OneSchedule
from analytics_box.products.monitors.moving.export_calls import ExportShown, GivenExport, export
from analytics_box.products.monitors.moving.import_calls import GivenImport, ImportShown, import_monitors
from analytics_box.tenants.tenancy.directory import Organizations
from analytics_box.web.call import Call, Parts

_PAGE = 100


class Added(Struct, frozen=True):
    """A new monitor. `pushUrl` is where a push goes to; it is told only once."""

    monitor: ScheduleShown
    pushUrl: str | None


async def monitor_list(parts: Parts, given: SomeMonitors) -> list[ScheduleShown]:
    """monitor list. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    found: list[ScheduleShown] = []
    while len(found) < given.limit:
        page = await paginated(
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


async def monitor_add(parts: Parts, given: MadeMonitor) -> Added:
    """monitor add. Raises BadRequest, NotFound or Conflict."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    made = await calls.create_schedule(call, _message(given.fields))
    return Added(await calls.get_schedule(call, OneSchedule(made.schedule_id)), made.push_url)


async def monitor_pause(parts: Parts, given: NamedMonitor) -> ScheduleShown:
    """monitor pause. Raises NotFound or BadRequest."""
    call, wanted = _named(parts, given.monitor)
    await calls.pause_schedule(call, wanted)
    return await calls.get_schedule(call, wanted)


async def monitor_resume(parts: Parts, given: NamedMonitor) -> ScheduleShown:
    """monitor resume. Raises NotFound or BadRequest."""
    call, wanted = _named(parts, given.monitor)
    await calls.resume_schedule(call, wanted)
    return await calls.get_schedule(call, wanted)


async def monitor_export(parts: Parts, given: ExportedMonitors) -> ExportShown:
    """monitor export. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    return await export(call, GivenExport(given.format, given.secrets))


async def monitor_import(parts: Parts, given: ImportedMonitors) -> ImportShown:
    """monitor import: each monitor succeeds or fails by itself. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    return await import_monitors(call, GivenImport(given.content, given.source, given.existing, given.dry_run))


def _named(parts: Parts, given: str) -> tuple[Call, OneSchedule]:
    """A call in the organization of this monitor, and the monitor. Raises NotFound or BadRequest."""
    known = {each.id for each in parts[Organizations].all()}
    own = [one for one in parts[Monitors].all() if one.organization_id in known]
    found = [one for one in own if one.id == given] or [one for one in own if given in {one.url, one.name}]
    if not found:
        raise errors.NotFound(f"There is no monitor {given}; name it by its id, its URL or its name")
    if len(found) > 1:
        ids = ", ".join(one.id for one in found[:10])
        raise errors.BadRequest(f"Several monitors are called {given}; name one by its id: {ids}")
    return acting_in(parts, found[0].organization_id), OneSchedule(found[0].id)


def _message(fields: Fields) -> NewMonitor:
    """The message of uptime.createSchedule. Raises BadRequest."""
    try:
        return msgspec.convert(fields, NewMonitor)
    except msgspec.ValidationError as wrong:
        raise errors.BadRequest(str(wrong).replace(" - at `$.", ": `").replace("`$`", "the monitor")) from wrong
