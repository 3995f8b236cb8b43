"""Incidents over RPC (wire 9.3). Scopes: read:status_pages, write:status_pages."""

from collections.abc import Callable

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.windows.rules import instant_of
from analytics_box.products.status_pages import incident_rows as rows
from analytics_box.products.status_pages.access import Reach, check, existing, known
from analytics_box.products.status_pages.incident import Incident, Kind
from analytics_box.products.status_pages.incidents import change
from analytics_box.products.status_pages.incidents.messages import (
    ChangedIncident,
    Deleted,
    EditedUpdate,
    IncidentShown,
    Listed,
    NewIncident,
    OneIncident,
    Published,
)
from analytics_box.products.status_pages.incidents.shown import shown
from analytics_box.products.status_pages.saving import save
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.web.call import Call


async def create_incident(call: Call, given: NewIncident) -> IncidentShown:
    """statusPage.createIncident: it begins with its first update, of which subscribers are told unless it is a draft.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, whole = known(call, given.status_page_id)
    monitors = call.parts[Monitors]
    return await written(call, whole.page.id, lambda db: change.create(db, monitors, own, given))


async def update_incident(call: Call, given: ChangedIncident) -> IncidentShown:
    """statusPage.updateIncident: another update; `resolved` ends it. An incident may be reopened once within 24 hours.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    own, page_id = await of_incident(call, given.incident_id)
    monitors = call.parts[Monitors]
    return await written(call, page_id, lambda db: change.update(db, monitors, own, given))


async def get_incident(call: Call, given: OneIncident) -> IncidentShown:
    """statusPage.getIncident: an incident or a maintenance, with what its updates said before they were edited.

    Raises Forbidden or NotFound.
    """
    own, page_id = await of_incident(call, given.incidentId)

    def read(db: Connection) -> IncidentShown:
        check(db, own, "viewer")
        existing(db, own, page_id)
        incident = change.stored(db, given.incidentId)
        earlier = {each.id: rows.earlier_texts(db, each.id) for each in incident.updates}
        return shown(incident, call.now, earlier)

    return await call.read(read)


async def list_incidents(call: Call, given: Listed) -> list[IncidentShown]:
    """statusPage.listIncidents: the newest first, drafts as well. Raises Forbidden or NotFound."""
    return await listed(call, given, "incident")


async def delete_incident(call: Call, given: OneIncident) -> Deleted:
    """statusPage.deleteIncident: an incident or a maintenance is gone with its updates.

    Raises Forbidden or NotFound.
    """
    own, page_id = await of_incident(call, given.incidentId)
    await save(call.parts, page_id, lambda db: change.delete(db, own, given.incidentId))
    return Deleted()


async def edit_incident_update(call: Call, given: EditedUpdate) -> IncidentShown:
    """statusPage.editIncidentUpdate: an update says something else; what it said is kept. Nobody is told again.

    Raises Forbidden, NotFound or BadRequest.
    """
    incident_id = await call.read(lambda db: rows.incident_of(db, given.updateId))
    if incident_id is None:
        raise errors.NotFound.of("incidentUpdate", given.updateId)
    own, page_id = await of_incident(call, incident_id, ("incidentUpdate", given.updateId))
    return await written(call, page_id, lambda db: change.edit(db, own, given))


async def publish_incident(call: Call, given: Published) -> IncidentShown:
    """statusPage.publishIncident: everybody sees a draft from now on. Raises Forbidden, NotFound or BadRequest."""
    own, page_id = await of_incident(call, given.incidentId)
    return await written(call, page_id, lambda db: change.publish(db, own, given))


async def hold_incident(call: Call, given: OneIncident) -> IncidentShown:
    """statusPage.holdIncident: a draft of a monitor is not published on its own any more.

    Raises Forbidden, NotFound or BadRequest.
    """
    own, page_id = await of_incident(call, given.incidentId)
    return await written(call, page_id, lambda db: change.hold(db, own, given.incidentId))


async def listed(call: Call, given: Listed, kind: Kind) -> list[IncidentShown]:
    """The newest of a kind. Raises Forbidden, NotFound or BadRequest."""
    own, whole = known(call, given.status_page_id)
    before = instant_of(given.before, "before") if given.before is not None else None

    def read(db: Connection) -> tuple[Incident, ...]:
        check(db, own, "viewer")
        return rows.latest(db, whole.page.id, kind, before=before, most=given.limit)

    return [shown(incident, call.now) for incident in await call.read(read)]


async def of_incident(
    call: Call, incident_id: str, missing: tuple[errors.ResourceType, str] | None = None
) -> tuple[Reach, str]:
    """Return where a caller acts on an incident or maintenance, and the id of its page.

    Raises Forbidden, or NotFound of `missing` if the caller named something else than the incident.
    """
    page_id = await call.read(lambda db: rows.page_of(db, incident_id))
    try:
        own, whole = known(call, page_id or "")
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of(*(missing or ("incident", incident_id))) from elsewhere
    return own, whole.page.id


async def written(call: Call, page_id: str, work: Callable[[Connection], Incident]) -> IncidentShown:
    """Change an incident on a page, and let subscribers hear of it."""
    done = await save(call.parts, page_id, work)
    call.parts[SubscriberDeliveries].soon()
    return shown(done, call.now)
