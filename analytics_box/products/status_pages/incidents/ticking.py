"""Scheduled changes of incidents and maintenances: maintenances begin and end, drafts of monitors are published, and
incidents without affected components end. States only go forwards, so a clock that is set back neither undoes nor
repeats anything.
"""

import logging
from functools import partial

from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.clock import MINUTE
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.status_pages import incident_rows, rows, states
from analytics_box.products.status_pages.access import save
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import USUAL_MESSAGES, Incident
from analytics_box.products.status_pages.incidents import rules, saying
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.subscribers.deliveries import SubscriberDeliveries
from analytics_box.web.call import Parts

log = logging.getLogger(__name__)


async def tick(parts: Parts) -> None:
    """Apply all due changes. A failure on one page does not stop the others. Raises Unavailable."""
    now = parts.clock.now()
    for page_id in await parts.box_db.read(lambda db: incident_rows.pages_due(db, now)):
        if parts[StatusPages].find(page_id) is None:
            continue  # of a closed organization
        try:
            await save(parts, page_id, partial(turn, page_id=page_id, now=now))
        except errors.Unavailable:
            raise
        except errors.NotFound:
            continue  # deleted a moment ago
        except Exception:
            log.exception("Due changes of status page %s failed", page_id)
            continue
        parts[SubscriberDeliveries].soon()


def turn(db: Connection, page_id: str, now: int) -> None:
    """Apply the due changes of a page in the caller's transaction. `now` is UTC ms."""
    page = rows.PAGES.find(db, page_id)
    if page is None:
        return
    for maintenance in incident_rows.maintenances_due(db, page_id, now):
        _turn_maintenance(db, page, maintenance, now)
    for incident in incident_rows.left_alone(db, page_id):
        _end(db, page, incident, now)
    for draft in incident_rows.unwatched_drafts(db, page_id):
        _end(db, page, draft, now)
    publish_due(db, page, now)


def publish_due(db: Connection, page: StatusPage, now: int) -> None:
    """Publish the due drafts of a page in the caller's transaction.

    They wait while a maintenance explains them, and stay drafts if the page no longer publishes automatically.
    """
    for draft in incident_rows.drafts_due(db, page.id, now):
        if page.automatic != "publish":
            incident_rows.update(db, replace(draft, publish_at=None))
            continue
        until = rules.covered_until(draft, incident_rows.incidents_of(db, page.id, 0), now)
        if until is None:
            saying.publish(db, page, draft, now=now)
        else:
            incident_rows.update(db, replace(draft, publish_at=until + page.publish_after * MINUTE))


def _end(db: Connection, page: StatusPage, incident: Incident, now: int) -> None:
    """Resolve an incident that affects nothing that still exists. An unedited waiting draft is deleted."""
    if incident.publish_at is not None and any(update.author for update in incident.updates):
        incident_rows.update(db, replace(incident, publish_at=None))
    elif incident.publish_at is not None:
        incident_rows.INCIDENTS.delete(db, incident.id)
    else:
        saying.say(db, page, incident, "resolved", _("This is no longer monitored."), now=now)


def _turn_maintenance(db: Connection, page: StatusPage, maintenance: Incident, now: int) -> None:
    """Start and end a maintenance at its planned times, even if it is found late. If it is already over, subscribers
    receive only the end."""
    start, end = maintenance.scheduled_for or 0, maintenance.scheduled_until or 0
    if maintenance.status == "scheduled":
        maintenance = saying.say(
            db, page, maintenance, "in_progress", USUAL_MESSAGES["in_progress"], now=now, at=start, notify=end > now
        )
        _note_states(db, maintenance)
    if end <= now:
        maintenance = saying.say(db, page, maintenance, "completed", USUAL_MESSAGES["completed"], now=now, at=end)
        _note_states(db, maintenance)


def _note_states(db: Connection, maintenance: Incident) -> None:
    """Record the states of the page's components at its latest update."""
    whole = rows.whole(db, maintenance.page_id)
    if whole is not None:
        states.note(db, whole, maintenance.updates[0].at)
