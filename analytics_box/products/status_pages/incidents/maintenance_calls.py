"""Maintenances of status pages over RPC. Scopes: read:status_pages, write:status_pages.

Maintenance mutes the alerts of the monitors it affects, so planning it with an API key also takes write:monitors.
"""

from collections.abc import Iterable

from msgspec import UNSET

from analytics_box.base.errors import Forbidden
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.access import find_reachable_page
from analytics_box.products.status_pages.incidents import planning
from analytics_box.products.status_pages.incidents.calls import change_incident, list_newest, of_incident
from analytics_box.products.status_pages.incidents.messages import (
    CancelPageMaintenance,
    CreatePageMaintenance,
    IncidentAnswer,
    ListIncidents,
    UpdatePageMaintenance,
)
from analytics_box.web.call import Call


async def list_maintenances(call: Call, given: ListIncidents) -> list[IncidentAnswer]:
    """statusPage.listMaintenances: list maintenance, including drafts, newest first. Raises Forbidden or NotFound."""
    return await list_newest(call, given, "maintenance")


async def create_maintenance(call: Call, given: CreatePageMaintenance) -> IncidentAnswer:
    """statusPage.createMaintenance: plan maintenance, which starts and ends automatically. Raises Forbidden, NotFound,
    BadRequest or Conflict."""
    own, whole = find_reachable_page(call, given.status_page_id)
    _check_muting(call, given.affected_monitors)
    monitors = call.parts[Monitors]
    return await change_incident(call, whole.page.id, lambda db: planning.create(db, monitors, own, given))


async def update_maintenance(call: Call, given: UpdatePageMaintenance) -> IncidentAnswer:
    """statusPage.updateMaintenance: update planned maintenance. Raises Forbidden, NotFound, BadRequest or Conflict.

    With a message, an update is added and subscribers are notified.
    """
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    planned = (given.scheduled_for, given.scheduled_until, given.affected_monitors)
    _check_muting(call, [one for one in planned if one is not UNSET])
    monitors = call.parts[Monitors]
    return await change_incident(call, page_id, lambda db: planning.update(db, monitors, own, given))


async def cancel_maintenance(call: Call, given: CancelPageMaintenance) -> IncidentAnswer:
    """statusPage.cancelMaintenance: cancel future maintenance. Raises Forbidden, NotFound or BadRequest."""
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    return await change_incident(call, page_id, lambda db: planning.cancel(db, own, given))


def _check_muting(call: Call, planned: Iterable[object]) -> None:
    """Raise Forbidden for an API key that plans maintenance of components but cannot change monitors."""
    if any(True for _one in planned) and not call.identity.may_act_for_organization("write:monitors"):
        raise Forbidden(_("Maintenance mutes the alerts of its monitors. This API key lacks the scope write:monitors"))
