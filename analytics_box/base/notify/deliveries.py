"""The outbox: messages are written in the transaction that caused them, and tried until they arrive or are given up.

A message survives a restart. One that was sent while the box was killed may be sent again, under the same id.
"""

import logging
from collections.abc import Callable, Collection
from typing import Final

import msgspec

from analytics_box.base import ids
from analytics_box.base.clock import DAY, Clock
from analytics_box.base.errors import RateLimited
from analytics_box.base.notify import change, mail_limits, receivers, rows, rules
from analytics_box.base.notify.change import open_config
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.lanes import ROUND
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.outbox import AttemptResult, MessageOutbox
from analytics_box.base.notify.receivers import CHANNELS
from analytics_box.base.notify.rows import FailingChannel, PendingDelivery
from analytics_box.base.notify.rules import OUTAGE, Channel
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.outgoing.fences import member_of
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _

Put = Callable[..., int]  # deliveries.put

FAILING: Final = "channel.failing"
WORKING: Final = "channel.working"


def unreported_outages(db: Connection, now: int) -> list[FailingChannel]:
    """Return the enabled channels that have failed for 15 minutes, and the channels that are yet to report each."""
    return [one for one in rows.failing(db, now - OUTAGE) if rows.yet_to_report(db, one, _topic(one.id, one.since))]


def report(db: Connection, now: int, public_url: str, put: Put) -> int:
    """Report them; return the number of messages."""
    return sum(_report(db, one, now, public_url, put) for one in unreported_outages(db, now))


def report_end(db: Connection, delivery: PendingDelivery, now: int, put: Put) -> None:
    """Report that a channel works again, through those that reported its outage."""
    topic = _topic(delivery.channel_id, delivery.failing_since or 0)
    told = rows.told_of(db, delivery.organization_id, topic)
    if told:
        message = Message(
            type=WORKING,
            title=_("Alerts are delivered again: {name}").format(name=delivery.name),
            text=_("The channel {name} works again. Waiting messages are being sent.").format(name=delivery.name),
            at=now,
            tone="good",
            subject=_subject(delivery.channel_id),
            action="resolve",
        )
        put(db, delivery.organization_id, message, topic=f"{topic}/over", now=now, only=told)


def _report(db: Connection, channel: FailingChannel, now: int, public_url: str, put: Put) -> int:
    topic = _topic(channel.id, channel.since)
    message = Message(
        type=FAILING,
        title=_("Alerts cannot be delivered: {name}").format(name=channel.name),
        text=_(
            "The {kind} channel {name} has failed for 15 minutes or longer. Waiting "
            "messages: {waiting}. Latest error: {error}"
        ).format(name=channel.name, kind=KINDS[channel.kind].label, waiting=channel.waiting, error=channel.error),
        at=now,
        tone="bad",
        url=f"{public_url}/settings/integrations/{channel.id}/deliveries",
        subject=_subject(channel.id),
    )
    others = rows.yet_to_report(db, channel, topic)
    return put(db, channel.organization_id, message, topic=topic, now=now, only=others)


def _topic(channel_id: str, since: int) -> str:
    return f"channel:{channel_id}:{since}"


def _subject(channel_id: str) -> str:
    return f"channel:{channel_id}"


log = logging.getLogger(__name__)

UNSEALED: Final = "The secrets of this channel cannot be decrypted, because secret.key has changed"
KEPT: Final = 30 * DAY  # what ended is kept that long, so that no topic is told twice


def queue_deliveries(
    db: Connection, organization_id: str, message: Message, *, topic: str, now: int, only: Collection[str] | None = None
) -> int:
    """Tell the organization's channels, or `only` those with these ids, in the caller's transaction; to how many.

    A channel that is switched off, or was told about this topic before, is left out. After the commit call
    `ChannelDeliveries.soon`.
    """
    told = [one for one in rows.switched_on(db, organization_id) if only is None or one in only]
    content = msgspec.json.encode(message).decode()
    for channel_id in told:
        rows.insert_delivery(db, channel_id, id=f"msg_{ids.base62(24)}", topic=topic, message=content, now=now)
    if message.subject:
        rows.end_replaced(db, told, message.subject, failing_before=now - rules.OUTAGE, now=now)
    receivers.wake(db, CHANNELS, told, now=now)
    return len(told)


def keeping_open(db: Connection, organization_id: str, channels: Collection[str]) -> list[str]:
    """The channels of these that keep an alert open until it is resolved."""
    return [one.id for one in rows.of(db, organization_id) if one.id in channels and KINDS[one.kind].stays_open]


class ChannelDeliveries(MessageOutbox[PendingDelivery]):
    """The outbox of alert channels."""

    def __init__(self, db: Db, seal: Seal, sender: ChannelSender, clock: Clock) -> None:
        super().__init__(db, sender, clock, CHANNELS, (self._due,))
        self._seal = seal

    async def report_outages(self, public_url: str) -> int:
        """Report channels that have failed for 15 minutes to the other ones of their organization, once each. Return
        the number of messages. After it call `soon`."""
        now = self._clock.now()
        if not await self._db.read(lambda db: unreported_outages(db, now)):
            return 0
        return await self._db.write(lambda db: report(db, now, public_url, queue_deliveries))

    async def sweep(self) -> None:
        """Forget what ended long ago."""
        before = self._clock.now() - KEPT
        await self._db.write(lambda db: rows.forget_ended(db, before))

    async def _due(self, channels: Collection[str], organizations: Collection[str]) -> list[PendingDelivery]:
        now = self._clock.now()
        return await self._db.read(lambda db: rows.due(db, now, ROUND, channels, organizations))

    async def _try(self, delivery: PendingDelivery) -> None:
        outcome = await self._send(delivery)

        def store(db: Connection, result: AttemptResult) -> None:
            attempts, now, error = result.attempts, result.now, result.error
            if result.again_at is None:
                rows.set_ended(db, delivery.number, attempts=attempts, now=now, error=error)
            else:
                rows.set_due(db, delivery.number, attempts=attempts, due_at=result.again_at, error=error)
            rows.note(db, delivery.channel_id, at=now, error=error)
            if not error and delivery.failing_since is not None:
                if delivery.failing_since <= now - rules.OUTAGE:
                    rows.end_obsolete(db, delivery.channel_id, now=now)
                report_end(db, delivery, now, queue_deliveries)

        await self.settle(delivery, outcome, store, label=f"channel {delivery.channel_id} ({delivery.kind})")
        if not outcome.error and delivery.failing_since is not None:
            self.soon()  # others may have to report it

    async def _send(self, delivery: PendingDelivery) -> SendOutcome:
        try:
            config = open_config(self._seal, delivery.channel_id, delivery.sealed)
            message = msgspec.json.decode(delivery.message, type=Message)
        except SealBroken as broken:
            log.error("channel %s: %s", delivery.channel_id, broken)
            return SendOutcome(UNSEALED)
        asker = member_of(delivery.organization_id)
        return await self._sender.send(asker, delivery.kind, config, message, id=delivery.id, now=self._clock.now())


async def send_test(db: Db, seal: Seal, sender: ChannelSender, channel: Channel, message: Message) -> SendOutcome:
    """Send a test to a channel, and note the result there unless the mailbox got too many tests. Never raises for what
    the other side does."""
    try:
        config = change.decrypt_config(seal, channel)
    except SealBroken:
        outcome = SendOutcome(UNSEALED, final=True)
    else:
        if KINDS[channel.kind].by_mail:
            try:
                await db.write(lambda found: mail_limits.take(found, "test", config["to"], message.at))
            except RateLimited as refused:
                return SendOutcome(refused.message, final=True)
        asker, id = member_of(channel.organization_id), f"msg_{ids.base62(24)}"
        outcome = await sender.send_test(asker, channel.kind, config, message, id=id, now=message.at)
    await db.write(lambda found: change.note(found, channel.id, at=message.at, error=outcome.error))
    return outcome
