"""Maintenances of status pages over RPC. Scopes: read:status_pages, write:status_pages."""

from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.access import known
from analytics_box.products.status_pages.incidents import planning
from analytics_box.products.status_pages.incidents.calls import listed, of_incident, written
from analytics_box.products.status_pages.incidents.messages import (
    Cancelled,
    ChangedMaintenance,
    IncidentShown,
    Listed,
    NewMaintenance,
)
from analytics_box.web.call import Call


async def list_maintenances(call: Call, given: Listed) -> list[IncidentShown]:
    """statusPage.listMaintenances: the newest first, drafts as well. Raises Forbidden or NotFound."""
    return await listed(call, given, "maintenance")


async def create_maintenance(call: Call, given: NewMaintenance) -> IncidentShown:
    """statusPage.createMaintenance: it begins and ends by the clock.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, whole = known(call, given.status_page_id)
    monitors = call.parts[Monitors]
    return await written(call, whole.page.id, lambda db: planning.create(db, monitors, own, given))


async def update_maintenance(call: Call, given: ChangedMaintenance) -> IncidentShown:
    """statusPage.updateMaintenance: another plan, or with a message an update of it, of which subscribers are told.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    monitors = call.parts[Monitors]
    return await written(call, page_id, lambda db: planning.update(db, monitors, own, given))


async def cancel_maintenance(call: Call, given: Cancelled) -> IncidentShown:
    """statusPage.cancelMaintenance: one that has not begun will not be. Raises Forbidden, NotFound or BadRequest."""
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    return await written(call, page_id, lambda db: planning.cancel(db, own, given))
