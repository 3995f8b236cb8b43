"""Messages that leave the box: those that wait for their receivers, and the outcomes of attempts since the start."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal

from msgspec import Struct, field

from analytics_box.base.errors import Unavailable
from analytics_box.base.notify.receivers import Queue

OutboxName = Literal["channels", "subscribers", "primary"]
OUTCOMES: Final = ("sent", "failed", "given_up")


class WatchedOutbox(Struct, frozen=True):
    """An outbox: a function that returns its queue, and the live counts of attempts since the start by outcome."""

    queue: Callable[[], Awaitable[Queue]]
    outcomes: Mapping[str, int] = {}


class OutgoingWatch(Struct, frozen=True):
    """The messages and checks of other rooms; filled while the box is put together.

    `monitors` counts monitors by state, `refused` those whose last check was refused because of its network, and
    `lookups` the questions to domain registries by outcome.
    """

    outboxes: dict[OutboxName, WatchedOutbox] = field(default_factory=dict)
    monitors: Callable[[], Mapping[str, int]] = dict
    refused: Callable[[], int] = int
    lookups: list[Mapping[str, int]] = field(default_factory=list)


class OutboxState(Struct, frozen=True):
    """An outbox now. `oldestAt` is UTC ms; `sent`, `failed` and `givenUp` count attempts since the start."""

    name: OutboxName
    waiting: int
    oldestAt: int | None
    failing: int
    sent: int
    failed: int
    givenUp: int


async def states(outgoing: OutgoingWatch) -> list[OutboxState]:
    """The outboxes now; none that cannot be read."""
    found = []
    for name, outbox in outgoing.outboxes.items():
        try:
            queue = await outbox.queue()
        except Unavailable:
            continue
        sent, failed, given_up = (outbox.outcomes.get(outcome, 0) for outcome in OUTCOMES)
        found.append(OutboxState(name, queue.waiting, queue.oldest_at, queue.failing, sent, failed, given_up))
    return found
