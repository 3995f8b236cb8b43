"""A test message to a channel, which its members send by hand, and what came of it."""

from analytics_box.base import ids
from analytics_box.base.errors import RateLimited
from analytics_box.base.notify import change, mail_limits
from analytics_box.base.notify.deliveries import UNSEALED
from analytics_box.base.notify.kinds.table import KINDS
from analytics_box.base.notify.message import Message
from analytics_box.base.notify.rules import Channel
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.outgoing.askers import member_of
from analytics_box.base.store.db import Db
from analytics_box.base.store.seal import Seal, SealBroken


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
