"""A channel, and when a receiver that failed is tried again. Pure."""

from typing import Final

from msgspec import Struct

from analytics_box.base.clock import DAY, HOUR, MINUTE, SECOND

MOST_CHANNELS: Final = 50  # of one organization
# ms before the next attempt, by how often a receiver has failed in a row; the last one stays.
WAITS: Final = (10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR)
BETWEEN: Final = MINUTE  # at least, between attempts that new messages cause
LIFETIME: Final = DAY  # for which a receiver is tried before a message to it is given up, in ms
OUTAGE: Final = 15 * MINUTE  # of failures, after which there is a warning and newer messages replace older ones
LONGEST_WAIT: Final = HOUR  # that the other side may ask for


class Channel(Struct, frozen=True):
    """A channel as it is stored. Times are UTC ms; `last_error` is empty if the last attempt succeeded.

    `shown` says where it leads without a secret.
    """

    id: str
    organization_id: str
    kind: str
    name: str
    enabled: bool
    shown: str
    sealed: bytes
    created_at: int
    updated_at: int
    last_at: int | None = None
    last_error: str | None = None
    waiting: int = 0


class ReceiverBackoff(Struct, frozen=True):
    """The failures of a receiver: their number in a row, the first one, and the earliest time of another try.

    Times are UTC ms. A new message has its receiver tried before the wait is over, but not before `not_before`.
    """

    failures: int = 0
    failing_since: int | None = None
    not_before: int = 0


class AttemptVerdict(Struct, frozen=True):
    """The consequences of an attempt: the receiver's back-off, and when the message is tried again (UTC ms).

    A message that is no longer tried has no `again_at`; it `is_expired` if its receiver has failed for too long.
    """

    backoff: ReceiverBackoff
    again_at: int | None = None
    is_expired: bool = False


def after_refusal(before: ReceiverBackoff, now: int) -> AttemptVerdict:
    """The verdict on a message that can never arrive: the next one is tried right away."""
    since = now if before.failing_since is None else before.failing_since
    return AttemptVerdict(ReceiverBackoff(before.failures, since, before.not_before))


def after_failure(before: ReceiverBackoff, now: int, *, created_at: int, asked: int | None = None) -> AttemptVerdict:
    """The verdict after another failure. `asked` is how many seconds it wants to be left alone."""
    since = now if before.failing_since is None else before.failing_since
    wanted = min((asked or 0) * SECOND, LONGEST_WAIT)
    wait = max(WAITS[min(before.failures, len(WAITS) - 1)], wanted)
    backoff = ReceiverBackoff(before.failures + 1, since, now + max(BETWEEN, wanted))
    if now - max(since, created_at) >= LIFETIME:
        return AttemptVerdict(backoff, is_expired=True)
    return AttemptVerdict(backoff, now + wait)
