"""Changes of incidents and maintenance: rows, audit entries and notifications in the caller's transaction.

Callers use `saving.save`, and call `SubscriberDeliveries.soon` after the commit.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.access import page_in_reach
from analytics_box.products.status_pages.incident import (
    ENDED,
    AffectedComponent,
    Impact,
    Incident,
    Kind,
    Status,
    clean_message,
    clean_text,
)
from analytics_box.products.status_pages.incidents import rules, saying
from analytics_box.products.status_pages.incidents.messages import (
    CancelPageMaintenance,
    CreateIncident,
    CreatePageMaintenance,
    EditIncidentUpdate,
    PublishIncident,
    UpdateIncident,
    UpdatePageMaintenance,
)
from analytics_box.products.status_pages.page import Component, StatusPage
from analytics_box.products.status_pages.rows import COMPONENTS
from analytics_box.products.status_pages.seen import monitor_of, public_name
from analytics_box.resource.fields import difference, values_of
from analytics_box.resource.reach import Reach, check

# Per page, and per incident.
MOST_OPEN: Final = 100
MOST_UPDATES: Final = 500
# Fields that follow from the update, which has an entry itself, and those that the box sets.
UNLOGGED: Final = ("updates", "affected", "is_draft", "publish_at", "started_at", "monitoring_at", "resolved_at")


def create(db: Connection, monitors: Monitors, own: Reach, given: CreateIncident) -> Incident:
    """A new incident with its first update. Raises Forbidden, NotFound, BadRequest or Conflict."""
    page = room(db, own, given.status_page_id)
    impacts = ((each.statusPageMonitorId, each.impact) for each in given.affected_monitors)
    now = own.by.now
    incident = Incident(
        id=ids.new_id(),
        page_id=page.id,
        kind="incident",
        status=given.status,
        is_draft=given.draft,
        started_at=now,
        created_at=now,
        updated_at=now,
        affected=find_affected(db, monitors, page, impacts),
        **values_of(given, Incident),
    )
    message = clean_message(given.message)
    made = saying.begin(db, page, incident, message, now=now, author=own.by.actor, notify=given.notify)
    record(db, own.by, page, made, "created", {"status": made.status, "severity": made.severity})
    return made


def update(db: Connection, monitors: Monitors, own: Reach, given: UpdateIncident) -> Incident:
    """Another update of an incident. Raises Forbidden, NotFound, BadRequest or Conflict."""
    page, before = find_editable(db, own, given.incident_id, "incident")
    now = own.by.now
    rules.check_move(before, given.status, now)
    check_room(before, given.status)
    changed = replace(before, **values_of(given, Incident))
    impacts = None
    if not isinstance(given.affected_monitors, UnsetType):
        named = ((each.statusPageMonitorId, each.impact) for each in given.affected_monitors)
        impacts = find_affected(db, monitors, page, named)
    after = saying.say(
        db,
        page,
        changed,
        given.status,
        clean_message(given.message),
        now=now,
        affected=impacts,
        author=own.by.actor,
        notify=given.notify,
    )
    record(db, own.by, page, after, "updated", difference(before, after, without=UNLOGGED))
    return after


def edit(db: Connection, own: Reach, given: EditIncidentUpdate) -> Incident:
    """Correct the text of an update. The earlier text is kept, and subscribers are not notified again.

    Raises Forbidden, NotFound or BadRequest.
    """
    incident_id = incident_rows.incident_of(db, given.updateId)
    if incident_id is None:
        raise errors.NotFound.of("incidentUpdate", given.updateId)
    page, incident = find_editable(db, own, incident_id)
    said = next(each for each in incident.updates if each.id == given.updateId)
    text = clean_message(given.message)
    if text == said.message:
        return incident
    incident_rows.edit_update(db, said, text, own.by.actor, own.by.now)
    incident_rows.update(db, replace(incident, updated_at=own.by.now))
    record(
        db, own.by, page, incident, "updated", {"update": said.id, "message": {"before": said.message, "after": text}}
    )
    return stored_incident(db, incident_id)


def publish(db: Connection, own: Reach, given: PublishIncident) -> Incident:
    """Publish a draft. Raises Forbidden, NotFound, or BadRequest if it is not a draft."""
    page, before = find_editable(db, own, given.incidentId)
    if not before.is_draft:
        raise BadRequest(_("This is already published"))
    after = saying.publish(db, page, before, now=own.by.now, notify=given.notify)
    record(db, own.by, page, after, "updated", {"draft": {"before": True, "after": False}})
    return after


def hold(db: Connection, own: Reach, incident_id: str) -> Incident:
    """Cancel the automatic publishing of a draft. Raises Forbidden, NotFound or BadRequest."""
    page, before = find_editable(db, own, incident_id)
    if before.publish_at is None:
        raise BadRequest(_("This is not scheduled for publication"))
    after = replace(before, publish_at=None, updated_at=own.by.now)
    incident_rows.update(db, after)
    record(db, own.by, page, after, "updated", {"publishAt": {"before": before.publish_at, "after": None}})
    return after


def delete(db: Connection, own: Reach, incident_id: str) -> Incident:
    """Delete an incident with its updates. Raises Forbidden or NotFound."""
    page, gone = find_editable(db, own, incident_id)
    incident_rows.INCIDENTS.delete(db, gone.id)
    if gone.kind == "maintenance":
        hasten(db, page, own.by.now)
    record(db, own.by, page, gone, "deleted", {"status": gone.status})
    return gone


def hasten(db: Connection, page: StatusPage, now: int) -> None:
    """Re-evaluate drafts that wait for the end of a maintenance, because it may no longer explain them."""
    incident_rows.hasten_drafts(db, page.id, now + page.publish_after * MINUTE)


def room(db: Connection, own: Reach, page_id: str) -> StatusPage:
    """A page on which someone may write another incident. Raises Forbidden, NotFound or Conflict."""
    check(db, own, "member")
    page = page_in_reach(db, own, page_id)
    if incident_rows.count_open(db, page.id) >= MOST_OPEN:
        raise errors.Conflict.full(
            "openIncidents",
            MOST_OPEN,
            _("This page has {most} open incidents and maintenances; end or delete one first").format(most=MOST_OPEN),
        )
    return page


def check_room(incident: Incident, status: Status) -> None:
    """Raises Conflict for one with too many updates; it may always end."""
    if len(incident.updates) >= MOST_UPDATES and status not in ENDED:
        raise errors.Conflict.full(
            "incidentUpdates",
            MOST_UPDATES,
            _("This already has {most} updates; end it and continue in a new one").format(most=MOST_UPDATES),
        )


def find_editable(
    db: Connection, own: Reach, incident_id: str, kind: Kind | None = None
) -> tuple[StatusPage, Incident]:
    """An incident that someone may change, and its page. Raises Forbidden or NotFound."""
    check(db, own, "member")
    incident = incident_rows.find(db, incident_id)
    if incident is None or kind not in {None, incident.kind}:
        raise errors.NotFound.of(kind or "incident", incident_id)
    try:
        return page_in_reach(db, own, incident.page_id), incident
    except errors.NotFound as elsewhere:
        raise errors.NotFound.of(kind or incident.kind, incident_id) from elsewhere


def stored_incident(db: Connection, incident_id: str) -> Incident:
    """The incident as it was just stored. Raises NotFound."""
    incident = incident_rows.find(db, incident_id)
    if incident is None:
        raise errors.NotFound.of("incident", incident_id)
    return incident


def find_affected(
    db: Connection, monitors: Monitors, page: StatusPage, named: Iterable[tuple[str, Impact]]
) -> tuple[AffectedComponent, ...]:
    """Components of a page with their current names. Raises BadRequest for one that is not there, or is twice."""
    made: dict[str, AffectedComponent] = {}
    for component_id, impact in named:
        component = COMPONENTS.find(db, component_id)
        name = component_name(monitors, page, component) if component and component.page_id == page.id else None
        if name is None:
            raise BadRequest.about("affectedMonitors", _("There is no component with one of these ids on the page"))
        if component_id in made:
            raise BadRequest.about("affectedMonitors", _("{name} is listed twice").format(name=name[:100]))
        made[component_id] = AffectedComponent(component_id=component_id, name=name, impact=impact)
    return tuple(made.values())


def component_name(monitors: Monitors, page: StatusPage, component: Component) -> str | None:
    """The public name of a component; None if its monitor is deleted or belongs to another organization."""
    monitor = monitor_of(monitors.find, page.organization_id, component)
    return public_name(component, monitor) if monitor is not None or component.monitor_id is None else None


def record(
    db: Connection, by: By, page: StatusPage, incident: Incident, action: audit.Action, detail: dict[str, Any]
) -> None:
    """Write an audit entry about an incident or a maintenance."""
    audit.record(db, by, page.organization_id, action, incident.kind, incident.id, {"name": incident.title} | detail)


def create_maintenance(db: Connection, monitors: Monitors, own: Reach, given: CreatePageMaintenance) -> Incident:
    """A new maintenance. Raises Forbidden, NotFound, BadRequest or Conflict."""
    page = room(db, own, given.status_page_id)
    now = own.by.now
    values = values_of(given, Incident)
    start, end = values["scheduled_for"], values["scheduled_until"]
    rules.check_times(start, end)
    if end <= now:
        raise BadRequest.about("scheduledUntil", _("Enter an end in the future"))
    planned = Incident(
        id=ids.new_id(),
        page_id=page.id,
        kind="maintenance",
        status="scheduled",
        is_draft=given.draft,
        started_at=start,
        created_at=now,
        updated_at=now,
        affected=_find_affected(db, monitors, page, given.affected_monitors),
        **values,
    )
    message = clean_message(given.message)
    made = saying.begin(db, page, planned, message, now=now, author=own.by.actor, notify=given.notify)
    record(db, own.by, page, made, "created", {"scheduled_for": start, "scheduled_until": end})
    return made


def update_maintenance(db: Connection, monitors: Monitors, own: Reach, given: UpdatePageMaintenance) -> Incident:
    """Change the plan of a maintenance and, with a message or a status, add an update.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    page, before = find_editable(db, own, given.maintenance_id, "maintenance")
    now = own.by.now
    status = before.status if isinstance(given.status, UnsetType) else given.status
    message = clean_text(given.message)
    changed = _with_plan(before, given, now)
    impacts = before.affected
    if not isinstance(given.affected_monitors, UnsetType):
        impacts = _find_affected(db, monitors, page, given.affected_monitors)
    if not message and status == before.status:
        after = replace(changed, affected=impacts, updated_at=now)
        incident_rows.update(db, after)
    else:
        rules.check_move(before, status, now)
        check_room(before, status)
        if not message:
            raise BadRequest.about("message", _("Enter a message"))
        after = saying.say(
            db, page, changed, status, message, now=now, affected=impacts, author=own.by.actor, notify=given.notify
        )
    hasten(db, page, now)
    record(db, own.by, page, after, "updated", difference(before, after, without=UNLOGGED))
    return after


def cancel(db: Connection, own: Reach, given: CancelPageMaintenance) -> Incident:
    """Cancel a maintenance. Raises Forbidden, NotFound, or BadRequest if it has started."""
    page, before = find_editable(db, own, given.maintenance_id, "maintenance")
    if before.status != "scheduled":
        raise BadRequest(_("This maintenance has started. Complete it instead"))
    message = clean_text(given.message) or _("This maintenance has been canceled.")
    now = own.by.now
    after = saying.say(db, page, before, "completed", message, now=now, author=own.by.actor, notify=given.notify)
    record(db, own.by, page, after, "updated", {"cancelled": True} | difference(before, after, without=UNLOGGED))
    return after


def _with_plan(before: Incident, given: UpdatePageMaintenance, now: int) -> Incident:
    """The maintenance with its title and times as they are given. Raises BadRequest."""
    after = replace(before, **values_of(given, Incident))
    start, end = after.scheduled_for or 0, after.scheduled_until or 0
    if (start, end) == (before.scheduled_for, before.scheduled_until):
        return after
    if not before.is_open:
        raise BadRequest.about("scheduledFor", _("This maintenance has ended. Its times cannot be changed"))
    if start != before.scheduled_for and before.status != "scheduled":
        raise BadRequest.about("scheduledFor", _("This maintenance has started. Only its end can be changed"))
    rules.check_times(start, end)
    if end <= now:
        raise BadRequest.about("scheduledUntil", _("Enter an end in the future, or complete it"))
    return replace(after, started_at=start) if before.status == "scheduled" else after


def _find_affected(
    db: Connection, monitors: Monitors, page: StatusPage, named: Iterable[str]
) -> tuple[AffectedComponent, ...]:
    return find_affected(db, monitors, page, ((component_id, "maintenance") for component_id in named))
