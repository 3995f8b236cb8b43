"""Maintenance windows in box.db."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.resource.audited import AuditedTable

WINDOWS: Final = AuditedTable(
    "maintenance_windows", MaintenanceWindow, "maintenance", "maintenance", about=lambda window: {"name": window.name}
)


def everything(db: Connection) -> list[MaintenanceWindow]:
    """All windows of the box, the oldest first."""
    return WINDOWS.all(db, "true order by created_at, id")
