"""Incidents over RPC (wire 9.3). Scopes: read:status_pages, write:status_pages.

Maintenance mutes the alerts of the monitors it affects, so planning it with an API key also takes write:monitors.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import UNSET

from analytics_box.base import errors
from analytics_box.base.errors import Forbidden
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import incident_rows as rows
from analytics_box.products.status_pages.access import find_reachable_page, page_in_reach, save
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate, Kind
from analytics_box.products.status_pages.incident_rows import EarlierText
from analytics_box.products.status_pages.incidents import change, rules
from analytics_box.products.status_pages.incidents.messages import (
    AffectedComponentAnswer,
    CancelPageMaintenance,
    CreateIncident,
    CreatePageMaintenance,
    DeleteIncidentAnswer,
    EarlierTextAnswer,
    EditIncidentUpdate,
    IncidentAnswer,
    IncidentId,
    IncidentUpdateAnswer,
    ListIncidents,
    PublishIncident,
    UpdateIncident,
    UpdatePageMaintenance,
)
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.resource.fields import answer_of
from analytics_box.resource.reach import Reach, check
from analytics_box.tenants.tenancy.messages import date, millis
from analytics_box.web.call import Call

Earlier = Mapping[str, Sequence[EarlierText]]


def incident_answer(incident: Incident, now: int, earlier: Earlier | None = None) -> IncidentAnswer:
    """An incident for members; `earlier` has the earlier texts of its updates by their ids."""
    return answer_of(
        IncidentAnswer,
        incident,
        status_page_id=incident.page_id,
        updates=tuple(_update(each, (earlier or {}).get(each.id, ())) for each in incident.updates),
        affected_monitors=_affected_answers(incident.affected),
        next=rules.moves(incident, now),
    )


def _update(update: IncidentUpdate, earlier: Sequence[EarlierText]) -> IncidentUpdateAnswer:
    return answer_of(
        IncidentUpdateAnswer,
        update,
        affected_monitors=_affected_answers(update.affected),
        earlier=tuple(EarlierTextAnswer(each.message, date(each.replaced_at), each.author) for each in earlier),
    )


def _affected_answers(affected: Sequence[AffectedComponent]) -> tuple[AffectedComponentAnswer, ...]:
    return tuple(AffectedComponentAnswer(each.component_id, each.name, each.impact) for each in affected)


async def create_incident(call: Call, given: CreateIncident) -> IncidentAnswer:
    """statusPage.createIncident: create an incident with its first update. Raises Forbidden, NotFound, BadRequest or
    Conflict.

    Subscribers are notified unless it is a draft.
    """
    own, whole = find_reachable_page(call, given.status_page_id)
    monitors = call.parts[Monitors]
    return await change_incident(call, whole.page.id, lambda db: change.create(db, monitors, own, given))


async def update_incident(call: Call, given: UpdateIncident) -> IncidentAnswer:
    """statusPage.updateIncident: add an update to an incident. Raises Forbidden, NotFound, BadRequest or Conflict.

    `resolved` closes it. An incident can be reopened once within 24 hours.
    """
    own, page_id = await of_incident(call, given.incident_id)
    monitors = call.parts[Monitors]
    return await change_incident(call, page_id, lambda db: change.update(db, monitors, own, given))


async def get_incident(call: Call, given: IncidentId) -> IncidentAnswer:
    """statusPage.getIncident: get an incident or maintenance with the earlier texts of its updates. Raises Forbidden or
    NotFound."""
    own, page_id = await of_incident(call, given.incidentId)

    def read(db: Connection) -> IncidentAnswer:
        check(db, own, "viewer")
        page_in_reach(db, own, page_id)
        incident = change.stored_incident(db, given.incidentId)
        earlier = {each.id: rows.earlier_texts(db, each.id) for each in incident.updates}
        return incident_answer(incident, call.now, earlier)

    return await call.read(read)


async def list_incidents(call: Call, given: ListIncidents) -> list[IncidentAnswer]:
    """statusPage.listIncidents: list incidents, including drafts, newest first. Raises Forbidden or NotFound."""
    return await list_newest(call, given, "incident")


async def delete_incident(call: Call, given: IncidentId) -> DeleteIncidentAnswer:
    """statusPage.deleteIncident: delete an incident or maintenance with its updates. Raises Forbidden or NotFound."""
    own, page_id = await of_incident(call, given.incidentId)
    await save(call.parts, page_id, lambda db: change.delete(db, own, given.incidentId))
    return DeleteIncidentAnswer()


async def edit_incident_update(call: Call, given: EditIncidentUpdate) -> IncidentAnswer:
    """statusPage.editIncidentUpdate: correct the text of an update. Raises Forbidden, NotFound or BadRequest.

    Earlier texts are kept. Subscribers are not notified again.
    """
    incident_id = await call.read(lambda db: rows.incident_of(db, given.updateId))
    if incident_id is None:
        raise errors.NotFound.of("incidentUpdate", given.updateId)
    own, page_id = await of_incident(call, incident_id, ("incidentUpdate", given.updateId))
    return await change_incident(call, page_id, lambda db: change.edit(db, own, given))


async def publish_incident(call: Call, given: PublishIncident) -> IncidentAnswer:
    """statusPage.publishIncident: publish a draft. Raises Forbidden, NotFound or BadRequest."""
    own, page_id = await of_incident(call, given.incidentId)
    return await change_incident(call, page_id, lambda db: change.publish(db, own, given))


async def hold_incident(call: Call, given: IncidentId) -> IncidentAnswer:
    """statusPage.holdIncident: keep a monitor's draft from being published automatically. Raises Forbidden, NotFound or
    BadRequest."""
    own, page_id = await of_incident(call, given.incidentId)
    return await change_incident(call, page_id, lambda db: change.hold(db, own, given.incidentId))


async def list_newest(call: Call, given: ListIncidents, kind: Kind) -> list[IncidentAnswer]:
    """The newest of a kind. Raises Forbidden, NotFound or BadRequest."""
    own, whole = find_reachable_page(call, given.status_page_id)
    before = millis(given.before) if given.before is not None else None

    def read(db: Connection) -> tuple[Incident, ...]:
        check(db, own, "viewer")
        return rows.latest(db, whole.page.id, kind, before=before, most=given.limit)

    return [incident_answer(incident, call.now) for incident in await call.read(read)]


async def of_incident(
    call: Call, incident_id: str, missing: tuple[errors.ResourceType, str] | None = None
) -> tuple[Reach, str]:
    """Return where a caller acts on an incident or maintenance, and the id of its page.

    Raises Forbidden, or NotFound of `missing` if the caller named something else than the incident.
    """
    page_id = await call.read(lambda db: rows.page_of(db, incident_id))
    try:
        own, whole = find_reachable_page(call, page_id or "")
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of(*(missing or ("incident", incident_id))) from elsewhere
    return own, whole.page.id


async def change_incident(call: Call, page_id: str, work: Callable[[Connection], Incident]) -> IncidentAnswer:
    """Change an incident on a page, and send what it queued for subscribers."""
    done = await save(call.parts, page_id, work)
    call.parts[SubscriberDeliveries].soon()
    return incident_answer(done, call.now)


async def list_maintenances(call: Call, given: ListIncidents) -> list[IncidentAnswer]:
    """statusPage.listMaintenances: list maintenance, including drafts, newest first. Raises Forbidden or NotFound."""
    return await list_newest(call, given, "maintenance")


async def create_maintenance(call: Call, given: CreatePageMaintenance) -> IncidentAnswer:
    """statusPage.createMaintenance: plan maintenance, which starts and ends automatically. Raises Forbidden, NotFound,
    BadRequest or Conflict."""
    own, whole = find_reachable_page(call, given.status_page_id)
    _check_muting(call, given.affected_monitors)
    monitors = call.parts[Monitors]
    return await change_incident(call, whole.page.id, lambda db: change.create_maintenance(db, monitors, own, given))


async def update_maintenance(call: Call, given: UpdatePageMaintenance) -> IncidentAnswer:
    """statusPage.updateMaintenance: update planned maintenance. Raises Forbidden, NotFound, BadRequest or Conflict.

    With a message, an update is added and subscribers are notified.
    """
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    planned = (given.scheduled_for, given.scheduled_until, given.affected_monitors)
    _check_muting(call, [one for one in planned if one is not UNSET])
    monitors = call.parts[Monitors]
    return await change_incident(call, page_id, lambda db: change.update_maintenance(db, monitors, own, given))


async def cancel_maintenance(call: Call, given: CancelPageMaintenance) -> IncidentAnswer:
    """statusPage.cancelMaintenance: cancel future maintenance. Raises Forbidden, NotFound or BadRequest."""
    own, page_id = await of_incident(call, given.maintenance_id, ("maintenance", given.maintenance_id))
    return await change_incident(call, page_id, lambda db: change.cancel(db, own, given))


def _check_muting(call: Call, planned: Iterable[object]) -> None:
    """Raise Forbidden for an API key that plans maintenance of components but cannot change monitors."""
    if any(True for _one in planned) and not call.identity.may_act_for_organization("write:monitors"):
        raise Forbidden(_("Maintenance mutes the alerts of its monitors. This API key lacks the scope write:monitors"))
