"""Alert channels that fail: the other channels of their organization report it, and later that they work again.

Every function takes a connection inside the caller's transaction. The topic of a report names the channel and when it
began to fail, so that no report is sent twice.
"""

from collections.abc import Callable
from typing import Final

from analytics_box.base.notify import rows
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.rows import FailingChannel, PendingDelivery
from analytics_box.base.notify.rules import OUTAGE
from analytics_box.base.store.db import Connection
from analytics_box.base.texts import ChannelMessages as Words

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
            title=Words.working_title.format(name=delivery.name),
            text=Words.working_text.format(name=delivery.name),
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
        title=Words.failing_title.format(name=channel.name),
        text=Words.failing_text.format(
            name=channel.name, kind=KINDS[channel.kind].label, waiting=channel.waiting, error=channel.error
        ),
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
