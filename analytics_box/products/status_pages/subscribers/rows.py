"""Subscribers and their outbox in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Collection
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.notify.receivers import REPLACED
from analytics_box.base.notify.rules import ReceiverBackoff
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.subscriber import Subscriber, SubscriberKind
from analytics_box.resource.table import Table

ROWS: Final = Table(
    "subscribers", Subscriber, sql={name: (name, "") for name in ("failures", "failing_since", "not_before")}
)


class SubscriberDelivery(Struct, frozen=True):
    """A pending message with its subscriber and its page.

    `message` is JSON; `attempts` are those made already; `asked_at` is when they were last asked to confirm (UTC ms).
    """

    number: int
    topic: str
    message: str
    attempts: int
    created_at: int
    subscriber_id: str
    kind: SubscriberKind
    address: str
    sealed: bytes
    confirmed_at: int | None
    page_id: str
    organization_id: str
    slug: str
    domain: str | None
    page: str
    zone: str
    failures: int
    failing_since: int | None
    not_before: int

    @property
    def receiver_id(self) -> str:
        """The subscriber."""
        return self.subscriber_id

    @property
    def backoff(self) -> ReceiverBackoff:
        """The subscriber's back-off."""
        return ReceiverBackoff(self.failures, self.failing_since, self.not_before)

    @property
    def id(self) -> str:
        """The message's id, the same for each attempt."""
        return f"msg_{self.topic}_{self.subscriber_id}"

    @property
    def key(self) -> tuple[str, str]:
        """The key of the delivery after an attempt; its number may have been reused by then, if the subscriber has
        left.
        """
        return self.subscriber_id, self.topic


def set_confirmed(db: Connection, subscriber_id: str, now: int) -> None:
    """Mark a subscriber as confirmed."""
    db.execute(
        """
        -- subscribers.set_confirmed
        update subscribers set confirmed_at = ? where id = ? and confirmed_at is null
        """,
        (now, subscriber_id),
    )


def in_plain_text(db: Connection) -> list[Subscriber]:
    """Webhooks whose whole address an earlier version stored."""
    return ROWS.all(db, "kind = 'webhook' and not instr(address, ' ') order by created_at, id")


def by_address(db: Connection, page_id: str, kind: SubscriberKind, address: str) -> Subscriber | None:
    return ROWS.first(db, "page_id = ? and kind = ? and address = ?", page_id, kind, address)


def of(db: Connection, page_id: str, *, after: tuple[int, str] = (0, ""), most: int = -1) -> list[Subscriber]:
    """The subscribers of a page, the oldest first; those after the one created then with this id."""
    condition = "page_id = ? and (created_at, id) > (?, ?) order by created_at, id limit ?"
    return ROWS.all(db, condition, page_id, *after, most)


def count(db: Connection, page_id: str) -> tuple[int, int]:
    """The number of confirmed subscribers, and of unconfirmed ones."""
    found = db.execute(
        """
        -- subscribers.count
        select count(confirmed_at), count(*) - count(confirmed_at) from subscribers where page_id = ?
        """,
        (page_id,),
    )
    confirmed, waiting = found.fetchone() or (0, 0)
    return int(confirmed), int(waiting)


def forget_oldest_unconfirmed(db: Connection, page_id: str, most: int) -> None:
    """Delete all unconfirmed subscribers of a page but the `most` who were asked last."""
    db.execute(
        """
        -- subscribers.forget_oldest_unconfirmed
        delete from subscribers where id in (
          select id from subscribers where page_id = ? and confirmed_at is null
          order by asked_at desc, id limit -1 offset ?
        )
        """,
        (page_id, most),
    )


def forget_unconfirmed(db: Connection, before: int) -> int:
    """Delete unconfirmed subscribers who were asked before this instant. Return how many."""
    db.execute(
        """
        -- subscribers.forget_unconfirmed
        delete from subscribers where confirmed_at is null and asked_at < ?
        """,
        (before,),
    )
    return int(db.changes())


# The outbox


def put_message(db: Connection, topic: str, update_id: str | None, message: str, now: int) -> None:
    """Store the message of a topic, unless the topic has one already."""
    db.execute(
        """
        -- subscribers.put_message
        insert into subscriber_messages (topic, update_id, message, created_at) values (?, ?, ?, ?)
        on conflict (topic) do nothing
        """,
        (topic, update_id, message, now),
    )


def put_deliveries(db: Connection, topic: str, subscribers: Collection[str], now: int) -> int:
    """Queue a message for these subscribers, unless it was queued before. Return for how many."""
    before = db.total_changes()
    db.execute(
        """
        -- subscribers.put_deliveries
        insert into subscriber_deliveries (subscriber_id, topic, created_at, due_at)
        select value, ?1, ?2, ?2 from json_each(?3) where true
        on conflict (subscriber_id, topic) do nothing
        """,
        (topic, now, msgspec.json.encode(list(subscribers)).decode()),
    )
    return int(db.total_changes()) - before


def wanting(db: Connection, page_id: str, components: Collection[str] | None) -> list[str]:
    """The ids of confirmed subscribers of one of these components; None means all components."""
    found = db.execute(
        """
        -- subscribers.wanting
        select id from subscribers
        where page_id = ?1 and confirmed_at is not null
          and (?2 is null or components = '[]'
            or exists (select 1 from json_each(components) join json_each(?2) as about using (value)))
        order by created_at, id
        """,
        (page_id, None if components is None else msgspec.json.encode(sorted(components)).decode()),
    )
    return [str(subscriber_id) for (subscriber_id,) in found.fetchall()]


def due(
    db: Connection,
    kind: SubscriberKind,
    now: int,
    most: int,
    *,
    without: Collection[str] = (),
    organizations: Collection[str] = (),
) -> list[SubscriberDelivery]:
    """The deliveries to attempt now: the oldest pending one of each subscriber, so that messages arrive in order.

    The subscribers in `without`, and those of `organizations`, are left out.
    """
    return records.all_of(
        db,
        SubscriberDelivery,
        """
        -- subscribers.due
        select number, one.topic, message, attempts, one.created_at, subscriber_id, kind, address, sealed,
          confirmed_at, page_id, page.organization_id, page.slug, page.domain, page.name, page.zone,
          failures, failing_since, not_before
        from subscriber_deliveries as one
        join subscriber_messages using (topic)
        join subscribers on subscribers.id = subscriber_id
        join status_pages as page on page.id = page_id
        join organizations on organizations.id = page.organization_id and organizations.deleted_at is null
        where due_at <= ? and kind = ?
          and subscriber_id not in (select value from json_each(?))
          and page.organization_id not in (select value from json_each(?))
          and not exists (
          select 1 from subscriber_deliveries as earlier indexed by subscriber_deliveries_waiting
          where earlier.subscriber_id = one.subscriber_id and earlier.due_at is not null
            and earlier.number < one.number
        )
        order by due_at, number
        limit ?
        """,
        (now, kind, records.json_list(without), records.json_list(organizations), most),
    )


def waits(db: Connection, one: SubscriberDelivery) -> bool:
    """Whether a delivery is still to be sent."""
    found = db.execute(
        """
        -- subscribers.waits
        select 1 from subscriber_deliveries where subscriber_id = ? and topic = ? and due_at is not null
        """,
        one.key,
    )
    return found.fetchone() is not None


def requests(db: Connection, subscriber_id: str) -> list[tuple[int, bool, str]]:
    """Number, whether it waits, and error of the requests to confirm that a subscriber was sent, the latest first."""
    found = db.execute(
        """
        -- subscribers.requests
        select number, due_at is not null, error
        from subscriber_deliveries join subscriber_messages using (topic)
        where subscriber_id = ? and subscriber_messages.topic glob 'request_*'
        order by number desc
        """,
        (subscriber_id,),
    )
    return [(int(str(number)), bool(waiting), str(error)) for number, waiting, error in found.fetchall()]


def states(db: Connection, subscribers: Collection[str]) -> dict[str, tuple[int, str]]:
    """The number of pending messages of each of these subscribers, and the error of the latest attempted one."""
    found = db.execute(
        """
        -- subscribers.states
        select subscriber_id, count(due_at), coalesce((
          select error from subscriber_deliveries as tried
          where tried.subscriber_id = one.subscriber_id and attempts > 0 order by number desc limit 1
        ), '')
        from subscriber_deliveries as one
        where subscriber_id in (select value from json_each(?))
        group by subscriber_id
        """,
        (msgspec.json.encode(list(subscribers)).decode(),),
    )
    return {str(one): (int(str(waiting)), str(error)) for one, waiting, error in found.fetchall()}


def end_requests(db: Connection, subscriber_id: str, now: int) -> None:
    """End pending requests to confirm, because a newer one replaces them."""
    db.execute(
        """
        -- subscribers.end_requests
        update subscriber_deliveries set due_at = null, ended_at = ?
        where subscriber_id = ? and due_at is not null
          and topic glob 'request_*'
        """,
        (now, subscriber_id),
    )


def end_oldest(db: Connection, topic: str, *, most: int, now: int, error: str) -> None:
    """End the older pending messages of each receiver of this topic, all but the latest `most`."""
    db.execute(
        """
        -- subscribers.end_oldest
        update subscriber_deliveries set due_at = null, ended_at = ?, error = ?
        where number in (
          select number from (
            select number, row_number() over (partition by subscriber_id order by number desc) as place
            from subscriber_deliveries indexed by subscriber_deliveries_waiting
            where due_at is not null
              and subscriber_id in (select subscriber_id from subscriber_deliveries where topic = ?)
          ) where place > ?
        )
        """,
        (now, error, topic, most),
    )


def end_replaced(db: Connection, incident_id: str, topic: str, *, failing_before: int, now: int) -> None:
    """End older pending updates of an incident for subscribers whose deliveries have failed since `failing_before`."""
    db.execute(
        """
        -- subscribers.end_replaced
        update subscriber_deliveries set due_at = null, ended_at = ?, error = ?
        where due_at is not null and topic <> ?
          and subscriber_id in (
            select subscriber_id from subscriber_deliveries as newest
            join subscribers on subscribers.id = subscriber_id
            where newest.topic = ? and newest.due_at is not null and failing_since <= ?
          )
          and topic in (
            select topic from subscriber_messages
            join incident_updates on incident_updates.id = update_id where incident_id = ?
          )
        """,
        (now, REPLACED, topic, topic, failing_before, incident_id),
    )


def end_obsolete(db: Connection, subscriber_id: str, *, now: int) -> None:
    """Of the updates that wait for a subscriber, end each one that has a newer one of its incident."""
    db.execute(
        """
        -- subscribers.end_obsolete
        update subscriber_deliveries set due_at = null, ended_at = ?1, error = ?2
        where number in (
          select number from (
            select waiting.number, row_number() over (partition by incident_id order by waiting.number desc) as place
            from subscriber_deliveries as waiting
            join subscriber_messages on subscriber_messages.topic = waiting.topic
            join incident_updates on incident_updates.id = update_id
            where subscriber_id = ?3 and due_at is not null
          ) where place > 1
        )
        """,
        (now, REPLACED, subscriber_id),
    )


def begin_again(db: Connection, number: int, now: int) -> None:
    """Queue a delivery again, without its attempts."""
    db.execute(
        """
        -- subscribers.begin_again
        update subscriber_deliveries set attempts = 0, due_at = ?, ended_at = null, error = '' where number = ?
        """,
        (now, number),
    )


def set_due(db: Connection, one: SubscriberDelivery, *, attempts: int, due_at: int, error: str) -> None:
    """Schedule the next attempt."""
    db.execute(
        """
        -- subscribers.set_due
        update subscriber_deliveries set attempts = ?, due_at = ?, error = ?
        where subscriber_id = ? and topic = ? and due_at is not null
        """,
        (attempts, due_at, error, *one.key),
    )


def set_ended(db: Connection, one: SubscriberDelivery, *, attempts: int, now: int, error: str) -> None:
    """End a delivery: sent, or given up with an error."""
    db.execute(
        """
        -- subscribers.set_ended
        update subscriber_deliveries set attempts = ?, due_at = null, ended_at = ?, error = ?
        where subscriber_id = ? and topic = ? and due_at is not null
        """,
        (attempts, now, error, *one.key),
    )


def forget_ended(db: Connection, before: int) -> None:
    """Delete deliveries that ended before this instant, and messages without deliveries."""
    db.execute("-- subscribers.forget_ended\ndelete from subscriber_deliveries where ended_at < ?", (before,))
    db.execute(
        """
        -- subscribers.forget_ended
        delete from subscriber_messages
        where created_at < ? and topic not in (select topic from subscriber_deliveries)
        """,
        (before,),
    )
