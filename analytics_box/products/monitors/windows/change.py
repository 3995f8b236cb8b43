"""Making, changing and ending maintenance windows: each verb writes its row and audit entry in the caller's
transaction. Callers update the directory after the commit."""

from typing import Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.window import MaintenanceWindow, is_on
from analytics_box.products.monitors.windows import messages
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow, UpdateMaintenanceWindow
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import values_of
from analytics_box.resource.reach import Reach, check, in_reach

WINDOWS: Final = AuditedTable(
    "maintenance_windows", MaintenanceWindow, "maintenance", "maintenance", about=lambda window: {"name": window.name}
)


def everything(db: Connection) -> list[MaintenanceWindow]:
    """All windows of the box, the oldest first."""
    return WINDOWS.all(db, "true order by created_at, id")


def create(
    db: Connection, monitors: Monitors, acting: Reach, given: CreateMaintenanceWindow, *, window_id: str = ""
) -> MaintenanceWindow:
    """A new window, with a new id unless one is given. Raises Forbidden, BadRequest or Conflict."""
    check(db, acting, "member")
    now = acting.by.now
    full = f"An organization can have up to {messages.MOST:,} maintenance windows; delete one that has ended"
    WINDOWS.check_room(db, messages.MOST, full, "organization_id = ?", acting.organization_id)
    made = _check_window(monitors, draft_window(acting, given, window_id or ids.new_id()), now)
    detail = msgspec.to_builtins({"covers": made.covers, "repeat": made.repeat})
    detail |= {"starts_at": made.starts_at, "ends_at": made.ends_at}
    return WINDOWS.create(db, acting.by, made.organization_id, made, detail)


def draft_window(acting: Reach, given: CreateMaintenanceWindow, window_id: str) -> MaintenanceWindow:
    """A window of these values that is nowhere stored. Raises BadRequest."""
    now = acting.by.now
    values = values_of(given, MaintenanceWindow)
    if not values.get("repeat") and not (values.get("starts_at") and values.get("ends_at")):
        raise BadRequest.about("startsAt", _("Enter a start and end, or a repetition"))
    return MaintenanceWindow(
        id=window_id,
        organization_id=acting.organization_id,
        created_at=now,
        updated_at=now,
        **values | {"starts_at": values.get("starts_at") or now},
    )


def update(db: Connection, monitors: Monitors, acting: Reach, given: UpdateMaintenanceWindow) -> MaintenanceWindow:
    """Another state of a window; what is not given stays. Raises Forbidden, NotFound or BadRequest."""
    check(db, acting, "member")
    before = existing(db, acting, given.maintenance_id)
    after = replace(before, **values_of(given, MaintenanceWindow))
    if (after.starts_at, after.ends_at, after.repeat) != (before.starts_at, before.ends_at, before.repeat):
        after = replace(after, ended_at=0)
    return WINDOWS.change(db, acting.by, before.organization_id, before, _check_window(monitors, after, acting.by.now))


def end(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """End a maintenance in progress now; a recurring one starts again as scheduled. Raises Forbidden, NotFound or
    BadRequest.
    """
    check(db, acting, "member")
    before = existing(db, acting, window_id)
    if not is_on(before, acting.by.now):
        raise BadRequest(_("This maintenance is not in progress"))
    return WINDOWS.change(db, acting.by, before.organization_id, before, replace(before, ended_at=acting.by.now))


def delete(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """The window is gone. Raises Forbidden or NotFound."""
    check(db, acting, "member")
    gone = existing(db, acting, window_id)
    WINDOWS.remove(db, acting.by, gone.organization_id, gone)
    return gone


def existing(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """Raises NotFound for an unknown window and for one of another organization."""
    return in_reach(acting, WINDOWS.find(db, window_id), "maintenance", window_id)


def _check_window(monitors: Monitors, window: MaintenanceWindow, now: int) -> MaintenanceWindow:
    named = [monitors.find(monitor_id) for monitor_id in window.covers.monitor_ids]
    if any(monitor is None or monitor.organization_id != window.organization_id for monitor in named):
        raise BadRequest.about("covers.monitorIds", _("There is no monitor with one of these ids in the organization"))
    return messages.check_window(window, now)
