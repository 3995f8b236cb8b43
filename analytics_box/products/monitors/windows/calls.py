"""Maintenance windows over RPC. Scopes: read:monitors, write:monitors, on the whole organization."""

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import MonitorOrganizationInput
from analytics_box.products.monitors.window import MaintenanceWindow, is_covered, next_start, spans
from analytics_box.products.monitors.windows import change
from analytics_box.products.monitors.windows.messages import (
    CreateMaintenanceWindow,
    MaintenanceShown,
    OneMaintenance,
    UpdateMaintenanceWindow,
)
from analytics_box.resource.fields import answer_of
from analytics_box.resource.reach import Reach, check, find_in_reach, reach
from analytics_box.tenants.tenancy.messages import Success, date
from analytics_box.web.call import Call


async def list_maintenances(call: Call, given: MonitorOrganizationInput) -> list[MaintenanceShown]:
    """uptime.listMaintenances: list maintenance windows, newest first. Raises Forbidden."""
    acting = reach(call, given.organizationId)
    await call.read(lambda db: check(db, acting, "viewer"))
    return [
        _maintenance_answer(call, window)
        for window in reversed(list(call.parts[Monitors].windows(acting.organization_id)))
    ]


async def create_maintenance(call: Call, given: CreateMaintenanceWindow) -> MaintenanceShown:
    """uptime.createMaintenance: create a maintenance window. Raises Forbidden or BadRequest.

    Checks continue and alerts are muted.
    """
    acting, monitors = reach(call, given.organization_id), call.parts[Monitors]
    made = await call.write(lambda db: change.create(db, monitors, acting, given))
    monitors.remember_window(made)
    return _maintenance_answer(call, made)


async def update_maintenance(call: Call, given: UpdateMaintenanceWindow) -> MaintenanceShown:
    """uptime.updateMaintenance: update a maintenance window. Raises Forbidden, NotFound or BadRequest.

    Omitted fields keep their values.
    """
    acting, monitors = _reach(call, given.maintenance_id), call.parts[Monitors]
    changed = await call.write(lambda db: change.update(db, monitors, acting, given))
    monitors.remember_window(changed)
    return _maintenance_answer(call, changed)


async def end_maintenance(call: Call, given: OneMaintenance) -> MaintenanceShown:
    """uptime.endMaintenance: end the current maintenance. Raises Forbidden, NotFound or BadRequest.

    A repeating window returns.
    """
    acting = _reach(call, given.maintenanceId)
    ended = await call.write(lambda db: change.end(db, acting, given.maintenanceId))
    call.parts[Monitors].remember_window(ended)
    return _maintenance_answer(call, ended)


async def delete_maintenance(call: Call, given: OneMaintenance) -> Success:
    """uptime.deleteMaintenance: delete a maintenance window. Raises Forbidden or NotFound.

    Past maintenance stays in the history.
    """
    acting = _reach(call, given.maintenanceId)
    gone = await call.write(lambda db: change.delete(db, acting, given.maintenanceId))
    call.parts[Monitors].forget_window(gone)
    return Success()


def _reach(call: Call, window_id: str) -> Reach:
    """The reach for an action on this window: a person's may be any of their organizations. Raises NotFound or
    Forbidden.
    """
    return find_in_reach(call, call.parts[Monitors].window(window_id), "maintenance", window_id)[0]


def _maintenance_answer(call: Call, window: MaintenanceWindow) -> MaintenanceShown:
    now = call.now
    current = spans(window, now, now + 1)
    over = current[-1].end if current else None
    following = next_start(window, now)
    covered = sum(is_covered(window, monitor) for monitor in call.parts[Monitors].of(window.organization_id))
    return answer_of(
        MaintenanceShown,
        window,
        status="active" if current else "over" if following is None else "scheduled",
        current_ends_at=date(over) if over is not None else None,
        next_starts_at=date(following) if following is not None else None,
        monitors=covered,
    )
