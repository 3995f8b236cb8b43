"""Limits on mail to one mailbox, for mail that somebody other than its owner can trigger.

Every mail of such a purpose is counted in the transaction that decides to send it. The counts are in box.db, so that a
restart does not reset them; they are kept for a day. Mailboxes are stored as digests.
"""

from typing import Final, Literal, NamedTuple

from analytics_box import ids
from analytics_box.clock import DAY, HOUR
from analytics_box.errors import RateLimited
from analytics_box.store.db import Connection

Purpose = Literal["password reset", "invitation", "test", "subscription"]

_IGNORE_DOTS: Final = ("gmail.com", "googlemail.com")


class Bound(NamedTuple):
    """The most mails of one purpose to one mailbox."""

    hour: int
    day: int


BOUNDS: Final[dict[Purpose, Bound]] = {
    "password reset": Bound(3, 10),
    "invitation": Bound(3, 10),
    "test": Bound(10, 30),
    "subscription": Bound(3, 3),
}


def take(db: Connection, purpose: Purpose, address: str, now: int, *, account: str = "") -> int:
    """Count a mail to this address, also under the id of an `account`. `now` is UTC ms.

    Return how many of this purpose the mailbox got in the hour before. Raises RateLimited, and counts nothing then.
    """
    receivers = [_digest(purpose, mailbox_of(address)), *([_digest(purpose, f"account {account}")] if account else [])]
    before = 0
    for receiver in receivers:
        before = max(before, _check(db, BOUNDS[purpose], receiver, now))
    db.executemany(
        "-- mail_limits.take\ninsert into mails_sent (receiver, at) values (?, ?)",
        [(receiver, now) for receiver in receivers],
    )
    return before


def sweep(db: Connection, now: int) -> None:
    """Forget mails that no bound concerns anymore, and those of a clock that was ahead."""
    db.execute("-- mail_limits.sweep\ndelete from mails_sent where at <= ? or at > ?", (now - DAY, now + DAY))


def mailbox_of(address: str) -> str:
    """The mailbox that an address leads to, as far as can be told: without what follows a plus.

    >>> mailbox_of("A.da+news@gmail.com")
    'ada@gmail.com'
    """
    name, _, domain = address.lower().rpartition("@")
    name = name.partition("+")[0] or name
    if domain in _IGNORE_DOTS:
        name, domain = name.replace(".", ""), _IGNORE_DOTS[0]
    return f"{name}@{domain}"


def _check(db: Connection, bound: Bound, receiver: bytes, now: int) -> int:
    """Return the number of mails in the last hour. Raises RateLimited."""
    found = db.execute(
        """
        -- mail_limits.check
        select at from mails_sent where receiver = ? and at > ? and at <= ? order by at desc limit ?
        """,
        (receiver, now - DAY, now, max(bound)),
    ).fetchall()
    sent = [int(str(at)) for (at,) in found]
    for most, span in ((bound.hour, HOUR), (bound.day, DAY)):
        if len(sent) >= most and sent[most - 1] > now - span:
            free_at = sent[most - 1] + span
            raise RateLimited(
                f"This mailbox got {most} such mails within {'an hour' if span == HOUR else 'a day'}; try again later",
                limit=most,
                reset=free_at,
                retry_after=-(-(free_at - now) // 1000),
            )
    return sum(at > now - HOUR for at in sent)


def _digest(purpose: Purpose, receiver: str) -> bytes:
    return ids.digest(f"{purpose} {receiver}")
