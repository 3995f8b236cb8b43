"""Channels and their outbox in box.db. Every function takes a connection inside the caller's transaction."""

from collections.abc import Collection

from msgspec import Struct

from analytics_box.base.notify.receivers import REPLACED
from analytics_box.base.notify.rules import Channel, ReceiverBackoff
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection

_COLUMNS = """id, organization_id, kind, name, enabled, shown, sealed, created_at, updated_at, last_at, last_error,
  (select count(*) from deliveries where channel_id = channels.id and due_at is not null) as waiting"""


class DeliveryLogRow(Struct, frozen=True):
    """A line of the log: a message that waits (`due_at`), or ended, with an error if given up. Times are UTC ms."""

    number: int
    id: str
    channel_id: str
    channel: str
    kind: str
    message: str
    attempts: int
    created_at: int
    due_at: int | None
    ended_at: int | None
    error: str | None


class FailingChannel(Struct, frozen=True):
    """An enabled channel that fails `since` (UTC ms), with its latest error and the number of messages that wait."""

    id: str
    organization_id: str
    kind: str
    name: str
    since: int
    error: str
    waiting: int


class PendingDelivery(Struct, frozen=True):
    """A message that waits, with the channel it is for. `message` is JSON; `attempts` are those made already."""

    number: int
    id: str
    message: str
    attempts: int
    channel_id: str
    organization_id: str
    kind: str
    name: str
    sealed: bytes
    created_at: int
    failures: int
    failing_since: int | None
    not_before: int

    @property
    def receiver_id(self) -> str:
        """The channel."""
        return self.channel_id

    @property
    def backoff(self) -> ReceiverBackoff:
        """The channel's back-off."""
        return ReceiverBackoff(self.failures, self.failing_since, self.not_before)


def insert(db: Connection, channel: Channel) -> None:
    db.execute(
        """
        -- notify.insert
        insert into channels (id, organization_id, kind, name, enabled, shown, sealed, created_at, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            channel.id,
            channel.organization_id,
            channel.kind,
            channel.name,
            int(channel.enabled),
            channel.shown,
            channel.sealed,
            channel.created_at,
            channel.updated_at,
        ),
    )


def update(db: Connection, channel: Channel) -> None:
    """Store all that a person may change of a channel."""
    db.execute(
        """
        -- notify.update
        update channels set name = ?, enabled = ?, shown = ?, sealed = ?, updated_at = ? where id = ?
        """,
        (channel.name, int(channel.enabled), channel.shown, channel.sealed, channel.updated_at, channel.id),
    )


def delete(db: Connection, channel_id: str) -> None:
    """Remove a channel with all that waits for it."""
    db.execute("-- notify.delete\ndelete from channels where id = ?", (channel_id,))


def of(db: Connection, organization_id: str) -> list[Channel]:
    """The channels of an organization, the oldest first."""
    return _channels(db, "organization_id = ?", organization_id)


def switched_on(db: Connection, organization_id: str) -> list[str]:
    """The ids of the channels that are notified of something, without a look at what waits for them."""
    found = db.execute(
        """
        -- notify.switched_on
        select id from channels where organization_id = ? and enabled = 1 order by created_at, id
        """,
        (organization_id,),
    )
    return [str(channel_id) for (channel_id,) in found.fetchall()]


def find(db: Connection, channel_id: str) -> Channel | None:
    return next(iter(_channels(db, "id = ?", channel_id)), None)


def _channels(db: Connection, condition: str, value: str) -> list[Channel]:
    return records.all_of(
        db,
        Channel,
        f"""
        -- notify.of, find
        select {_COLUMNS} from channels where {condition} order by created_at, id
        """,
        (value,),
    )


def note(db: Connection, channel_id: str, *, at: int, error: str) -> None:
    """Record the result of the latest attempt; an empty error is a success."""
    db.execute("-- notify.note\nupdate channels set last_at = ?, last_error = ? where id = ?", (at, error, channel_id))


# The outbox


def insert_delivery(db: Connection, channel_id: str, *, id: str, topic: str, message: str, now: int) -> None:
    """A message waits for its channel, unless it had one about this topic before."""
    db.execute(
        """
        -- notify.put
        insert into deliveries (id, channel_id, topic, message, created_at, due_at) values (?, ?, ?, ?, ?, ?)
        on conflict (channel_id, topic) do nothing
        """,
        (id, channel_id, topic, message, now, now),
    )


def due(
    db: Connection, now: int, most: int, channels: Collection[str] = (), organizations: Collection[str] = ()
) -> list[PendingDelivery]:
    """Deliveries to try now: of each channel the oldest that waits, so that messages arrive in order.

    The given channels and organizations are skipped.
    """
    return records.all_of(
        db,
        PendingDelivery,
        """
        -- notify.due
        select number, deliveries.id, message, attempts, channel_id, organization_id, kind, channels.name, sealed,
          deliveries.created_at, failures, failing_since, not_before
        from deliveries
        join channels on channels.id = deliveries.channel_id
        join organizations on organizations.id = channels.organization_id and organizations.deleted_at is null
        where number in (select min(number) from deliveries where due_at is not null group by channel_id)
          and due_at <= ?
          and channel_id not in (select value from json_each(?))
          and organization_id not in (select value from json_each(?))
        order by due_at, number
        limit ?
        """,
        (now, records.json_list(channels), records.json_list(organizations), most),
    )


def failing(db: Connection, before: int) -> list[FailingChannel]:
    """The enabled channels that have failed since before this instant."""
    return records.all_of(
        db,
        FailingChannel,
        """
        -- notify.failing
        select id, organization_id, kind, name, failing_since as since, coalesce(last_error, '') as error,
          (select count(*) from deliveries where channel_id = channels.id and due_at is not null) as waiting
        from channels
        where failing_since <= ? and enabled = 1
          and organization_id in (select id from organizations where deleted_at is null)
        order by id
        """,
        (before,),
    )


def yet_to_report(db: Connection, channel: FailingChannel, topic: str) -> list[str]:
    """The ids of working channels of its organization that have no message about this topic."""
    found = db.execute(
        """
        -- notify.yet_to_report
        select id from channels
        where organization_id = ? and id <> ? and enabled = 1 and failing_since is null
          and not exists (select 1 from deliveries where channel_id = channels.id and topic = ?)
        """,
        (channel.organization_id, channel.id, topic),
    )
    return [str(channel_id) for (channel_id,) in found.fetchall()]


def told_of(db: Connection, organization_id: str, topic: str) -> list[str]:
    """The ids of an organization's channels that have a message about this topic."""
    found = db.execute(
        """
        -- notify.told_of
        select channel_id from channels join deliveries on channel_id = channels.id
        where organization_id = ? and topic = ?
        """,
        (organization_id, topic),
    )
    return [str(channel_id) for (channel_id,) in found.fetchall()]


def end_replaced(db: Connection, channels: Collection[str], subject: str, *, failing_before: int, now: int) -> None:
    """Of messages about this subject that wait for channels which fail since then, only the newest goes on waiting."""
    db.execute(
        """
        -- notify.end_replaced
        update deliveries set due_at = null, ended_at = ?, error = ?
        where due_at is not null and channel_id in (
          select channels.id from channels join json_each(?) on channels.id = value where failing_since <= ?
        )
        and message ->> 'subject' = ? and exists (
          select 1 from deliveries as newer
          where newer.channel_id = deliveries.channel_id and newer.number > deliveries.number
            and newer.due_at is not null and newer.message ->> 'subject' = ?
        )
        """,
        (now, REPLACED, records.json_list(channels), failing_before, subject, subject),
    )


def end_obsolete(db: Connection, channel_id: str, *, now: int) -> None:
    """Of the messages that wait for a channel, end each one that has a newer one about its subject."""
    db.execute(
        """
        -- notify.end_obsolete
        update deliveries set due_at = null, ended_at = ?1, error = ?2
        where due_at is not null and channel_id = ?3 and message ->> 'subject' <> '' and number not in (
          select max(number) from deliveries
          where due_at is not null and channel_id = ?3 group by message ->> 'subject'
        )
        """,
        (now, REPLACED, channel_id),
    )


def set_due(db: Connection, number: int, *, attempts: int, due_at: int, error: str) -> None:
    """Schedule the next attempt."""
    db.execute(
        """
        -- notify.set_due
        update deliveries set attempts = ?, due_at = ?, error = ? where number = ? and due_at is not null
        """,
        (attempts, due_at, error, number),
    )


def set_ended(db: Connection, number: int, *, attempts: int, now: int, error: str) -> None:
    """Mark a message as sent, or as given up with an error."""
    db.execute(
        """
        -- notify.set_ended
        update deliveries set attempts = ?, due_at = null, ended_at = ?, error = ?
        where number = ? and due_at is not null
        """,
        (attempts, now, error, number),
    )


def give_up(db: Connection, channel_id: str, *, now: int, error: str) -> None:
    """All that waits for a channel is given up."""
    db.execute(
        """
        -- notify.give_up
        update deliveries set due_at = null, ended_at = ?, error = ? where channel_id = ? and due_at is not null
        """,
        (now, error, channel_id),
    )


_SENT = """
  select number, deliveries.id, channel_id, name, kind, message, attempts, deliveries.created_at, due_at, ended_at,
    error
  from deliveries join channels on channels.id = deliveries.channel_id
"""


def list_deliveries(
    db: Connection, organization_id: str, *, channel_id: str | None, before: int | None, most: int
) -> list[DeliveryLogRow]:
    """Messages to an organization's channels, or to one of them, the newest first, with numbers below `before`."""
    return records.all_of(
        db,
        DeliveryLogRow,
        f"""
        -- notify.sent
        {_SENT}
        where organization_id = ? and (? is null or channel_id = ?) and number < coalesce(?, 9223372036854775807)
        order by number desc
        limit ?
        """,
        (organization_id, channel_id, channel_id, before, most),
    )


def find_sent(db: Connection, delivery_id: str, organization_id: str) -> DeliveryLogRow | None:
    """A message in an organization's log."""
    return records.one_of(
        db,
        DeliveryLogRow,
        f"""
        -- notify.find_sent
        {_SENT} where deliveries.id = ? and organization_id = ?
        """,
        (delivery_id, organization_id),
    )


def begin_again(db: Connection, number: int, *, now: int) -> None:
    """Queue a message that was given up as if it was new."""
    db.execute(
        """
        -- notify.begin_again
        update deliveries set attempts = 0, due_at = ?, ended_at = null
        where number = ? and due_at is null and error <> ''
        """,
        (now, number),
    )


def forget_ended(db: Connection, before: int) -> None:
    """Remove what ended before this instant."""
    db.execute("-- notify.forget_ended\ndelete from deliveries where ended_at < ?", (before,))
