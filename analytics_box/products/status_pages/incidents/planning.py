"""Changes of maintenance: each verb writes its rows, its audit entry and its notifications in the caller's
transaction."""

from collections.abc import Iterable

from msgspec import UnsetType
from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages import incident_rows
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, clean_message, clean_text
from analytics_box.products.status_pages.incidents import change, rules, saying
from analytics_box.products.status_pages.incidents.messages import (
    CancelPageMaintenance,
    CreatePageMaintenance,
    UpdatePageMaintenance,
)
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.resource.fields import difference, values_of
from analytics_box.resource.reach import Reach


def create(db: Connection, monitors: Monitors, own: Reach, given: CreatePageMaintenance) -> Incident:
    """A new maintenance. Raises Forbidden, NotFound, BadRequest or Conflict."""
    page = change.room(db, own, given.status_page_id)
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
    change.record(db, own.by, page, made, "created", {"scheduled_for": start, "scheduled_until": end})
    return made


def update(db: Connection, monitors: Monitors, own: Reach, given: UpdatePageMaintenance) -> Incident:
    """Change the plan of a maintenance and, with a message or a status, add an update.

    Raises Forbidden, NotFound, BadRequest or Conflict.
    """
    page, before = change.find_editable(db, own, given.maintenance_id, "maintenance")
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
        change.check_room(before, status)
        if not message:
            raise BadRequest.about("message", _("Enter a message"))
        after = saying.say(
            db, page, changed, status, message, now=now, affected=impacts, author=own.by.actor, notify=given.notify
        )
    change.hasten(db, page, now)
    change.record(db, own.by, page, after, "updated", difference(before, after, without=change.UNLOGGED))
    return after


def cancel(db: Connection, own: Reach, given: CancelPageMaintenance) -> Incident:
    """Cancel a maintenance. Raises Forbidden, NotFound, or BadRequest if it has started."""
    page, before = change.find_editable(db, own, given.maintenance_id, "maintenance")
    if before.status != "scheduled":
        raise BadRequest(_("This maintenance has started. Complete it instead"))
    message = clean_text(given.message) or _("This maintenance has been canceled.")
    now = own.by.now
    after = saying.say(db, page, before, "completed", message, now=now, author=own.by.actor, notify=given.notify)
    change.record(
        db, own.by, page, after, "updated", {"cancelled": True} | difference(before, after, without=change.UNLOGGED)
    )
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
    return change.find_affected(db, monitors, page, ((component_id, "maintenance") for component_id in named))
