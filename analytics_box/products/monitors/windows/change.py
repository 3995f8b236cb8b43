"""Making, changing and ending maintenance windows: each verb writes its row and audit entry in the caller's
transaction. Anyone who calls one tells the directory after the commit."""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.window import MaintenanceWindow, is_on
from analytics_box.products.monitors.windows import rules
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow, UpdateMaintenanceWindow
from analytics_box.products.monitors.windows.rows import WINDOWS
from analytics_box.resource.fields import difference, values_of
from analytics_box.resource.reach import Reach, check, in_reach

_SUBJECT: Final = "maintenance"


def create(
    db: Connection, monitors: Monitors, acting: Reach, given: CreateMaintenanceWindow, *, window_id: str = ""
) -> MaintenanceWindow:
    """A new window, with a new id unless one is given. Raises Forbidden, BadRequest or Conflict."""
    check(db, acting, "member")
    now = acting.by.now
    if WINDOWS.count(db, "organization_id = ?", acting.organization_id) >= rules.MOST:
        raise errors.Conflict.full(
            "maintenances",
            rules.MOST,
            f"An organization can have up to {rules.MOST:,} maintenance windows; delete one that has ended",
        )
    made = _check_window(monitors, draft_window(acting, given, window_id or ids.new_id()), now)
    WINDOWS.insert(db, made)
    detail = msgspec.to_builtins({"name": made.name, "covers": made.covers, "repeat": made.repeat})
    _record(db, acting.by, made, "created", detail | {"starts_at": made.starts_at, "ends_at": made.ends_at})
    return made


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
    return _store(db, acting.by, before, _check_window(monitors, after, acting.by.now))


def end(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """End a maintenance in progress now; a recurring one starts again as scheduled. Raises Forbidden, NotFound or
    BadRequest.
    """
    check(db, acting, "member")
    before = existing(db, acting, window_id)
    if not is_on(before, acting.by.now):
        raise BadRequest(_("This maintenance is not in progress"))
    return _store(db, acting.by, before, replace(before, ended_at=acting.by.now))


def delete(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """The window is gone. Raises Forbidden or NotFound."""
    check(db, acting, "member")
    gone = existing(db, acting, window_id)
    WINDOWS.delete(db, gone.id)
    _record(db, acting.by, gone, "deleted", {"name": gone.name})
    return gone


def existing(db: Connection, acting: Reach, window_id: str) -> MaintenanceWindow:
    """Raises NotFound for an unknown window and for one of another organization."""
    return in_reach(acting, WINDOWS.find(db, window_id), "maintenance", window_id)


def _check_window(monitors: Monitors, window: MaintenanceWindow, now: int) -> MaintenanceWindow:
    named = [monitors.find(monitor_id) for monitor_id in window.covers.monitor_ids]
    if any(monitor is None or monitor.organization_id != window.organization_id for monitor in named):
        raise BadRequest.about("covers.monitorIds", _("There is no monitor with one of these ids in the organization"))
    return rules.check_window(window, now)


def _store(db: Connection, by: By, before: MaintenanceWindow, after: MaintenanceWindow) -> MaintenanceWindow:
    changes = difference(before, after)
    if not changes:
        return before
    after = replace(after, updated_at=by.now)
    WINDOWS.update(db, after)
    _record(db, by, after, "updated", {"name": after.name} | changes)
    return after


def _record(db: Connection, by: By, window: MaintenanceWindow, action: audit.Action, detail: dict[str, Any]) -> None:
    audit.record(db, by, window.organization_id, action, _SUBJECT, window.id, detail)
