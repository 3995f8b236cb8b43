"""Delivery of pending messages to subscribers, until they arrive or are given up.

A message survives a restart. One that was sent while the box was killed may be sent again, under the same id.
"""

import logging
from collections.abc import Collection
from functools import partial
from typing import Any, Final, NamedTuple, get_args

import msgspec

from analytics_box.base import ids
from analytics_box.base.clock import DAY, Clock
from analytics_box.base.notify import rules
from analytics_box.base.notify.html_mail import Render
from analytics_box.base.notify.kinds.http import signature
from analytics_box.base.notify.kinds.kind import json_post
from analytics_box.base.notify.lanes import ROUND
from analytics_box.base.notify.outbox import AttemptResult, MessageOutbox
from analytics_box.base.notify.receivers import SUBSCRIBERS
from analytics_box.base.notify.send import ChannelSender, SendOutcome, outcome_of
from analytics_box.base.outgoing.client import OutgoingAnswer
from analytics_box.base.outgoing.fences import STRANGER
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.seal import Seal, SealBroken
from analytics_box.base.translation import _
from analytics_box.products.status_pages.subscriber import UNCONFIRMED_FOR, Message, News, SubscriberKind
from analytics_box.products.status_pages.subscribers import rows, secrets, wording
from analytics_box.products.status_pages.subscribers.rows import SubscriberDelivery
from analytics_box.products.status_pages.subscribers.secrets import SubscriberSecrets
from analytics_box.products.status_pages.subscribers.wording import MessageContext


class UpdateReach(NamedTuple):
    """The number of subscribers that have received an update, and whether it still waits for the first one."""

    sent: int
    waits: bool


def count(db: Connection, topic: str) -> None:
    """Note that one more subscriber has received the update of this topic; a request to confirm is no update."""
    db.execute(
        """
        -- subscribers.reached.count
        update incident_updates set sent = sent + 1
        where id = (select update_id from subscriber_messages where topic = ?)
        """,
        (topic,),
    )


def of(db: Connection, updates: Collection[str]) -> dict[str, UpdateReach]:
    """The number of subscribers who received each of these updates, and whether it waits for the first one.

    Updates from before the box counted this have their deliveries of the last 30 days.
    """
    found = db.execute(
        """
        -- subscribers.reached.of
        select id,
          case when sent > 0 then sent else (
            select count(*) from subscriber_deliveries
            where topic = one.id and ended_at is not null and error = ''
          ) end,
          sent = 0 and exists (select 1 from subscriber_deliveries where topic = one.id and due_at is not null)
        from incident_updates as one
        where id in (select value from json_each(?))
        """,
        (msgspec.json.encode(list(updates)).decode(),),
    )
    return {str(one): UpdateReach(int(str(sent)), bool(waits)) for one, sent, waits in found.fetchall()}


log = logging.getLogger(__name__)

# Ended deliveries are kept that long, so that no update is sent twice.
KEPT: Final = 30 * DAY
UNSEALED: Final = _("The secrets of this subscriber cannot be decrypted, because secret.key has changed")
UNANSWERED: Final = _("The response does not contain the challenge")
# A webhook answers it to unsubscribe (Standard Webhooks).
_GONE: Final = 410


class SubscriberDeliveries(MessageOutbox[SubscriberDelivery]):
    """The outbox of subscribers: emails, and webhooks."""

    def __init__(
        self, db: Db, seal: Seal, sender: ChannelSender, clock: Clock, settings: Settings, render: Render
    ) -> None:
        super().__init__(
            db, sender, clock, SUBSCRIBERS, [partial(self._due, kind) for kind in get_args(SubscriberKind)]
        )
        self._seal = seal
        self._settings = settings
        self._render = render

    async def sweep(self) -> None:
        """Delete old deliveries and unconfirmed subscribers."""
        now = self._clock.now()

        def sweep(db: Connection) -> None:
            rows.forget_ended(db, now - KEPT)
            rows.forget_unconfirmed(db, now - UNCONFIRMED_FOR)

        await self._db.write(sweep)

    async def _due(
        self, kind: SubscriberKind, subscribers: Collection[str], organizations: Collection[str]
    ) -> list[SubscriberDelivery]:
        now = self._clock.now()
        return await self._db.read(
            lambda db: rows.due(db, kind, now, ROUND, without=subscribers, organizations=organizations)
        )

    async def _try(self, delivery: SubscriberDelivery) -> None:
        if not await self._db.read(lambda db: rows.waits(db, delivery)):
            return  # they left a moment ago
        outcome, gone, confirmed = await self._send(delivery)

        def store(db: Connection, result: AttemptResult) -> None:
            attempts, now, error = result.attempts, result.now, result.error
            if gone:
                rows.ROWS.delete(db, delivery.subscriber_id)
            elif result.again_at is None:
                rows.set_ended(db, delivery, attempts=attempts, now=now, error=error)
                if not error:
                    count(db, delivery.topic)
                    since = delivery.backoff.failing_since
                    if since is not None and since <= now - rules.OUTAGE:
                        rows.end_obsolete(db, delivery.subscriber_id, now=now)
            else:
                rows.set_due(db, delivery, attempts=attempts, due_at=result.again_at, error=error)
            if confirmed:
                rows.set_confirmed(db, delivery.subscriber_id, now)

        await self.settle(delivery, outcome, store, label=f"subscriber {delivery.subscriber_id} ({delivery.kind})")

    async def _send(self, delivery: SubscriberDelivery) -> tuple[SendOutcome, bool, bool]:
        """The outcome, whether the subscriber has ended the subscription, and whether the subscriber has just confirmed
        it.
        """
        try:
            own = secrets.decrypt_secrets(self._seal, delivery.subscriber_id, delivery.sealed)
        except SealBroken as broken:
            log.error("subscriber %s: %s", delivery.subscriber_id, broken)
            return SendOutcome(UNSEALED), False, False
        where = wording.of(self._settings, delivery.slug, delivery.domain)
        about = MessageContext(delivery.page_id, delivery.page, delivery.zone, where, where.subscription(own.link))
        message: News | Any = msgspec.json.decode(delivery.message, type=Message)
        if delivery.kind == "email":
            return await self._mail(delivery, message, about), False, False
        if isinstance(message, News):
            answer = await self._post(delivery, wording.webhook_of(message, about), own)
            gone = isinstance(answer, OutgoingAnswer) and answer.status == _GONE
            return outcome_of(answer), gone, False
        outcome = await self._challenge(delivery, about, own)
        return outcome, False, not outcome.error

    async def _mail(self, delivery: SubscriberDelivery, message: Message, about: MessageContext) -> SendOutcome:
        to, is_confirmed = delivery.address, delivery.confirmed_at is not None
        if isinstance(message, News):
            mail = wording.mail_of(message, about, self._render, to=to, id=delivery.id)
        else:
            mail = wording.request_of(about, self._render, to=to, id=delivery.id, is_confirmed=is_confirmed)
        return await self._sender.mail(mail)

    async def _post(
        self, delivery: SubscriberDelivery, content: dict[str, Any], own: SubscriberSecrets
    ) -> OutgoingAnswer | SendOutcome:
        post = json_post(own.address or delivery.address, content)
        signed = signature(own.signing, id=delivery.id, body=post.body, now=self._clock.now())
        return await self._sender.ask(
            STRANGER, msgspec.structs.replace(post, headers=post.headers + signed), in_clear=False
        )

    async def _challenge(
        self, delivery: SubscriberDelivery, about: MessageContext, own: SubscriberSecrets
    ) -> SendOutcome:
        """Send a webhook a random text to repeat, which proves that its owner wants to subscribe."""
        challenge = ids.base62(32)
        answer = await self._post(delivery, wording.challenge_of(about, challenge, self._clock.now()), own)
        outcome = outcome_of(answer)
        if outcome.error or not isinstance(answer, OutgoingAnswer):
            return outcome
        return SendOutcome() if answers(answer.body, challenge) else SendOutcome(UNANSWERED, final=True)


def answers(body: bytes, challenge: str) -> bool:
    """Whether an answer is the challenge: as text, or as the `challenge` of JSON."""
    text = body.decode("utf-8", "replace").strip()
    if text == challenge:
        return True
    try:
        said = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return False
    return said == challenge or (isinstance(said, dict) and said.get("challenge") == challenge)
