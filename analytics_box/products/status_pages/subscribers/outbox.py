"""Pending notifications of subscribers: written in the transaction of the update, so that each is sent exactly once."""

from collections.abc import Collection
from typing import Final

import msgspec

from analytics_box.base.notify import receivers, rules
from analytics_box.base.notify.receivers import SUBSCRIBERS
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.incident import Incident, IncidentUpdate
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.subscriber import ComponentImpact, News
from analytics_box.products.status_pages.subscribers import rows

MOST_WAITING: Final = 50  # messages of one subscriber; older ones make room
PUSHED_OUT: Final = f"Dropped: more than {MOST_WAITING} newer messages are waiting"


def notify(db: Connection, page: StatusPage, incident: Incident, update: IncidentUpdate, now: int) -> int:
    """Queue an update for the confirmed subscribers of a page, in its transaction. Return how many. `now` is UTC ms.

    Drafts and updates that do not notify are not sent, and no update is sent twice. After the commit call
    `SubscriberDeliveries.soon`.
    """
    if not page.published or incident.is_draft or not update.notified:
        return 0
    put = queue_news(db, page, _news(incident, update), _about(incident, update), now=now, update_id=update.id)
    rows.end_replaced(db, incident.id, update.id, failing_before=now - rules.OUTAGE, now=now)
    return put


def queue_news(
    db: Connection,
    page: StatusPage,
    news: News,
    components: Collection[str] | None,
    *,
    now: int,
    update_id: str | None = None,
) -> int:
    """Queue a message for the confirmed subscribers of these components, None for all. Return how many.

    `update_id` is that of an update of an incident, with which the message is deleted.
    """
    receiving = rows.wanting(db, page.id, components)
    if receiving:
        rows.put_message(db, news.update_id, update_id, msgspec.json.encode(news).decode(), now)
    put = rows.put_deliveries(db, news.update_id, receiving, now)
    rows.end_oldest(db, news.update_id, most=MOST_WAITING, now=now, error=PUSHED_OUT)
    receivers.wake(db, SUBSCRIBERS, receiving, now=now)
    return put


def count_subscribers(db: Connection, page_id: str) -> int:
    """The number of a page's subscribers, confirmed or not."""
    return sum(rows.count(db, page_id))


def preview(db: Connection, page: StatusPage, incident: Incident, update: IncidentUpdate) -> int:
    """The number of subscribers that an update would notify."""
    return len(rows.wanting(db, page.id, _about(incident, update))) if page.published else 0


def _about(incident: Incident, update: IncidentUpdate) -> set[str] | None:
    """All components that the incident affects or affected, so that subscribers of its start receive its end; None if
    it names none, which means all subscribers."""
    said = [*incident.affected, *update.affected, *(one for each in incident.updates for one in each.affected)]
    return {one.component_id for one in said if one.component_id is not None} if said else None


def _news(incident: Incident, update: IncidentUpdate) -> News:
    return News(
        update_id=update.id,
        incident_id=incident.id,
        kind=incident.kind,
        title=incident.title,
        status=update.status,
        severity=incident.severity,
        message=update.message,
        at=update.at,
        scheduled_for=incident.scheduled_for,
        scheduled_until=incident.scheduled_until,
        affected=tuple(ComponentImpact(one.name, one.impact) for one in update.affected or incident.affected),
    )
