"""Receivers of messages in box.db, alert channels and subscribers alike: their back-off, and what waits for them.

Every function takes a connection inside the caller's transaction. Messages wait in the order in which they were
written, and only the oldest of a receiver is tried: it is due when its receiver may be tried again.
"""

from collections import Counter
from collections.abc import Collection
from typing import Final

import msgspec
from msgspec import Struct

from analytics_box.base.notify.rules import LIFETIME, OUTAGE, AttemptVerdict, ReceiverBackoff
from analytics_box.base.store.db import Connection

REPLACED: Final = "Replaced by a newer message about the same subject while nothing could be delivered"


class OutboxTables(Struct, frozen=True):
    """The tables of an outbox, and the column of its messages that names their receiver.

    `failing` selects the receivers whose failures need attention.
    """

    receivers: str
    messages: str
    receiver: str
    failing: str


class Queue(Struct, frozen=True):
    """The messages that wait in an outbox: their number, the time of the oldest (UTC ms), and the number of receivers
    that have failed for 15 minutes or longer. Webhooks of subscribers do not count."""

    waiting: int = 0
    oldest_at: int | None = None
    failing: int = 0


CHANNELS: Final = OutboxTables("channels", "deliveries", "channel_id", "enabled = 1")
SUBSCRIBERS: Final = OutboxTables(
    "subscribers",
    "subscriber_deliveries",
    "subscriber_id",
    """kind = 'email' and exists (
      select 1 from subscriber_deliveries as waiting where waiting.subscriber_id = subscribers.id and due_at is not null
    )""",
)


def queue(db: Connection, outbox: OutboxTables, *, now: int) -> Queue:
    """Return the state of an outbox."""
    (found,) = db.execute(
        f"""
        -- receivers.queue
        select count(*), min(created_at),
          (select count(*) from {outbox.receivers} where failing_since <= ? and {outbox.failing})
        from {outbox.messages} where due_at is not null
        """,
        (now - OUTAGE,),
    ).fetchall()
    waiting, oldest, failing = found
    return Queue(int(str(waiting)), None if oldest is None else int(str(oldest)), int(str(failing)))


def count(outcomes: Counter[str], verdict: AttemptVerdict, error: str) -> None:
    """Count the outcome of an attempt."""
    outcomes["sent" if not error else "given_up" if verdict.again_at is None else "failed"] += 1


def store(
    db: Connection, outbox: OutboxTables, receiver_id: str, verdict: AttemptVerdict, *, now: int, error: str
) -> None:
    """Store the consequences of an attempt for its receiver: with a message that expires, all that are as old do."""
    _store_backoff(db, outbox, receiver_id, verdict.backoff)
    if verdict.is_expired:
        _give_up(db, outbox, receiver_id, before=now - LIFETIME, now=now, error=error)


def _store_backoff(db: Connection, outbox: OutboxTables, receiver_id: str, backoff: ReceiverBackoff) -> None:
    db.execute(
        f"""
        -- receivers.store_backoff
        update {outbox.receivers} set failures = ?, failing_since = ?, not_before = ? where id = ?
        """,
        (backoff.failures, backoff.failing_since, backoff.not_before, receiver_id),
    )


def forget(db: Connection, outbox: OutboxTables, receiver_id: str) -> None:
    """Forget a receiver's failures, because a person wants it tried now or has changed where it is."""
    _store_backoff(db, outbox, receiver_id, ReceiverBackoff())
    wake(db, outbox, [receiver_id], now=0)


def wake(db: Connection, outbox: OutboxTables, receivers: Collection[str], *, now: int) -> None:
    """Have the oldest message of each of these receivers tried now, or as soon as another try is allowed."""
    db.execute(
        f"""
        -- receivers.wake
        update {outbox.messages} as oldest set due_at = allowed.at
        from (
          select min(number) as number, max(?1, not_before) as at
          from json_each(?2)
          join {outbox.receivers} as receivers on receivers.id = value
          join {outbox.messages} on {outbox.receiver} = receivers.id and due_at is not null
          group by receivers.id
        ) as allowed
        where oldest.number = allowed.number and oldest.due_at > allowed.at
        """,
        (now, msgspec.json.encode(list(receivers)).decode()),
    )


def wake_mailboxes(db: Connection, outbox: OutboxTables, *, now: int) -> None:
    """Have the oldest message of every failing mailbox tried now: the mail server takes mail again."""
    found = db.execute(
        f"-- receivers.wake_mailboxes\nselect id from {outbox.receivers} where kind = 'email' and failures > 0"
    ).fetchall()
    wake(db, outbox, [str(receiver_id) for (receiver_id,) in found], now=now)


def _give_up(db: Connection, outbox: OutboxTables, receiver_id: str, *, before: int, now: int, error: str) -> None:
    db.execute(
        f"""
        -- receivers.give_up
        update {outbox.messages} set due_at = null, ended_at = ?, error = ?
        where {outbox.receiver} = ? and due_at is not null and created_at <= ?
        """,
        (now, error, receiver_id, before),
    )
