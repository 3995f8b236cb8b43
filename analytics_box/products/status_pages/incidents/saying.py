"""New updates and their notifications, in the caller's transaction.

After the commit call `SubscriberDeliveries.soon`.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from analytics_box.base import ids
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import incident_rows as rows
from analytics_box.products.status_pages.incident import AffectedComponent, Incident, IncidentUpdate, Status
from analytics_box.products.status_pages.incidents import rules
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.subscribers import outbox


def begin(
    db: Connection,
    page: StatusPage,
    incident: Incident,
    message: str,
    *,
    now: int,
    author: str = "",
    notify: bool = True,
) -> Incident:
    """Store a new incident with its first update, which has its status and components. `now` is UTC ms."""
    first = IncidentUpdate(
        id=ids.new_id(),
        incident_id=incident.id,
        status=incident.status,
        message=message,
        at=now,
        created_at=now,
        updated_at=now,
        notified=notify and not incident.is_draft,
        affected=incident.affected,
        author=author,
    )
    made = rules.apply_update(incident, first)
    rows.insert(db, made)
    outbox.notify(db, page, made, first, now)
    return made


def say(
    db: Connection,
    page: StatusPage,
    incident: Incident,
    status: Status,
    message: str,
    *,
    now: int,
    at: int | None = None,
    affected: Sequence[AffectedComponent] | None = None,
    author: str = "",
    notify: bool = True,
) -> Incident:
    """Add an update with a status and, if given, new impacts.

    An update that ends the incident makes its components operational. `at` is its effective time, `now` by default
    (UTC ms).
    """
    if affected is None:
        affected = rules.standing(incident)
    if status in {"resolved", "completed", "postmortem"}:
        affected = rules.all_operational(affected)
    update = IncidentUpdate(
        id=ids.new_id(),
        incident_id=incident.id,
        status=status,
        message=message,
        at=rules.effective_time(incident, now if at is None else at),
        created_at=now,
        updated_at=now,
        notified=notify and not incident.is_draft,
        affected=tuple(affected),
        author=author,
    )
    after = rules.apply_update(incident, update)
    rows.UPDATES.insert(db, update)
    rows.update(db, after)
    outbox.notify(db, page, after, update, now)
    return after


def publish(db: Connection, page: StatusPage, incident: Incident, *, now: int, notify: bool = True) -> Incident:
    """Publish a draft and notify subscribers of its latest update. `now` is UTC ms."""
    latest, *others = incident.updates
    if notify:
        rows.set_notified(db, latest.id, now)
        latest = replace(latest, notified=True, updated_at=now)
    after = replace(incident, is_draft=False, publish_at=None, updated_at=now, updates=(latest, *others))
    rows.update(db, after)
    outbox.notify(db, page, after, latest, now)
    return after
