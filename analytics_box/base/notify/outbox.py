"""The common part of all outboxes: messages are delivered until they arrive or are given up, and counted.

A message survives a restart. One that was sent while the box was killed may be sent again, under the same id.
"""

import asyncio
import logging
from abc import abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.notify import receivers
from analytics_box.base.notify.lanes import Lanes
from analytics_box.base.notify.receivers import OutboxTables, Queue
from analytics_box.base.notify.rules import ReceiverBackoff
from analytics_box.base.notify.send import ChannelSender, SendOutcome
from analytics_box.base.store.db import Connection, Db

log = logging.getLogger(__name__)


class DueDelivery(Protocol):
    """A message that waits for its receiver, and the attempts so far. `created_at` is UTC ms."""

    @property
    def receiver_id(self) -> str:
        """The receiver, which gets one message after the other."""

    @property
    def organization_id(self) -> str:
        """The organization, whose receivers share the room."""

    @property
    def attempts(self) -> int:
        """The attempts so far."""

    @property
    def created_at(self) -> int:
        """The instant when it was queued."""

    @property
    def backoff(self) -> ReceiverBackoff:
        """The receiver's back-off."""


T = TypeVar("T", bound=DueDelivery)
FindDue = Callable[[Collection[str], Collection[str]], Awaitable[Sequence[T]]]


class AttemptResult(Struct, frozen=True):
    """The result of an attempt at `now`, with the number of attempts: without `again_at` the message has ended, with an
    error if it was given up. Times are UTC ms."""

    attempts: int
    again_at: int | None
    now: int
    error: str


class MessageOutbox(Generic[T]):
    """Works off an outbox: messages of one receiver one after the other, those of many at the same time.

    Each function of `due` finds messages of one kind; neither kind waits for the other. `outcomes` counts attempts
    since the start: sent, failed, given_up.
    """

    def __init__(
        self, db: Db, sender: ChannelSender, clock: Clock, tables: OutboxTables, due: Sequence[FindDue[T]]
    ) -> None:
        self._db = db
        self._sender = sender
        self._clock = clock
        self._tables = tables
        self.outcomes: Counter[str] = Counter()
        # Of the mail server, that its mailboxes have heard of.
        self._recoveries = 0
        self.lanes = tuple(
            Lanes(find, self._try, lambda one: one.receiver_id, lambda one: one.organization_id) for find in due
        )

    @abstractmethod
    async def _try(self, delivery: T) -> None:
        """Attempt a delivery and `settle` it."""

    def soon(self) -> None:
        """Start deliveries in the background, because messages were queued."""
        for lanes in self.lanes:
            lanes.soon()

    async def run(self) -> None:
        """Attempt all due deliveries. A run in progress looks again instead."""
        recoveries = self._sender.mailer.recoveries
        if recoveries != self._recoveries:
            now = self._clock.now()
            await self._db.write(lambda db: receivers.wake_mailboxes(db, self._tables, now=now))
            self._recoveries = recoveries
        await asyncio.gather(*(lanes.run() for lanes in self.lanes))

    async def stop(self, seconds: float) -> None:
        """Start no further deliveries, and wait up to `seconds` for those in progress."""
        await asyncio.gather(*(lanes.stop(seconds) for lanes in self.lanes))

    async def queue(self) -> Queue:
        """Return the state of the outbox."""
        now = self._clock.now()
        return await self._db.read(lambda db: receivers.queue(db, self._tables, now=now))

    async def settle(
        self, delivery: T, outcome: SendOutcome, store: Callable[[Connection, AttemptResult], None], *, label: str
    ) -> None:
        """Count an attempt and `store` its result with its consequences for the receiver. `label` names the receiver in
        the log."""
        now = self._clock.now()
        verdict = outcome.verdict(delivery.backoff, now, created_at=delivery.created_at)
        result = AttemptResult(delivery.attempts + 1, verdict.again_at, now, outcome.error)
        receivers.count(self.outcomes, verdict, outcome.error)

        def write(db: Connection) -> None:
            store(db, result)
            receivers.store(db, self._tables, delivery.receiver_id, verdict, now=now, error=outcome.error)

        await self._db.write(write)
        if outcome.error:
            again = "given up" if result.again_at is None else f"again in {(result.again_at - now) // 1000} s"
            log.warning("%s: %s; %s", label, outcome.error, again)
