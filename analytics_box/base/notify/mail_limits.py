"""Limits on mail to one mailbox, for mail that people other than its owner can trigger, and on what a user can send.

Every mail of such a purpose is counted in the transaction that decides to send it. The counts are in box.db, so that a
restart does not reset them; they are kept for a day. Mailboxes are stored as digests.
"""

import unicodedata
from contextlib import suppress
from typing import Final, Literal, NamedTuple

from analytics_box.base import ids
from analytics_box.base.clock import DAY, HOUR
from analytics_box.base.errors import RateLimited
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import clean_host
from analytics_box.base.store.db import Connection

Purpose = Literal["password reset", "invitation", "test", "subscription"]

_OF_MAILBOX: Final = "This mailbox has received {most} of these emails within {span}. Try again later"
_OF_CALLER: Final = "You have sent {most} of these emails within {span}. Try again later"
_IGNORE_DOTS: Final = ("gmail.com", "googlemail.com")


class MailLimit(NamedTuple):
    """The most mails of one purpose to one mailbox, or by one user."""

    hour: int
    day: int


BOUNDS: Final[dict[Purpose, MailLimit]] = {
    "password reset": MailLimit(3, 10),
    "invitation": MailLimit(3, 10),
    "test": MailLimit(10, 30),
    "subscription": MailLimit(3, 3),
}
OF_A_CALLER: Final = MailLimit(30, 100)  # mails to addresses that a user or API key enters


def take(db: Connection, purpose: Purpose, address: str, now: int, *, account: str = "") -> int:
    """Count a mail to this address, also under the id of an `account`. `now` is UTC ms.

    Return how many of this purpose the mailbox got in the hour before. Raises RateLimited, which has to roll the
    transaction back.
    """
    before = _count(db, BOUNDS[purpose], _digest(purpose, mailbox_of(address)), now, _OF_MAILBOX)
    if account:
        before = max(before, _count(db, BOUNDS[purpose], _digest(purpose, f"account {account}"), now, _OF_MAILBOX))
    return before


def take_of_caller(db: Connection, actor: str, now: int) -> None:
    """Count a mail that a user or an API key has sent to an address of their choice. Raises RateLimited."""
    _count(db, OF_A_CALLER, ids.digest(f"caller {actor}"), now, _OF_CALLER)


def sweep(db: Connection, now: int) -> None:
    """Forget mails that no bound concerns anymore, and those of a clock that was ahead."""
    db.execute("-- mail_limits.sweep\ndelete from mails_sent where at <= ? or at > ?", (now - DAY, now + DAY))


def mailbox_of(address: str) -> str:
    """The mailbox that an address leads to, as far as can be told: without what follows a plus, in one spelling.

    >>> mailbox_of("A.da+news@gmail.com")
    'ada@gmail.com'
    >>> mailbox_of("ada@Bücher.example")
    'ada@xn--bcher-kva.example'
    """
    name, _, domain = unicodedata.normalize("NFKC", address).lower().rpartition("@")
    with suppress(AddressRefused):
        domain = clean_host(domain)
    name = name.partition("+")[0] or name
    if domain in _IGNORE_DOTS:
        name, domain = name.replace(".", ""), _IGNORE_DOTS[0]
    return f"{name}@{domain}"


def _count(db: Connection, bound: MailLimit, receiver: bytes, now: int, refusal: str) -> int:
    """Count a mail. Return the number of mails in the hour before. Raises RateLimited."""
    found = db.execute(
        """
        -- mail_limits.count
        select at from mails_sent where receiver = ? and at > ? and at <= ? order by at desc limit ?
        """,
        (receiver, now - DAY, now, max(bound)),
    ).fetchall()
    sent = [int(str(at)) for (at,) in found]
    for most, span in ((bound.hour, HOUR), (bound.day, DAY)):
        if len(sent) >= most and sent[most - 1] > now - span:
            free_at = sent[most - 1] + span
            raise RateLimited(
                refusal.format(most=most, span="an hour" if span == HOUR else "a day"),
                limit=most,
                reset=free_at,
                retry_after=-(-(free_at - now) // 1000),
            )
    db.execute("-- mail_limits.count\ninsert into mails_sent (receiver, at) values (?, ?)", (receiver, now))
    return sum(at > now - HOUR for at in sent)


def _digest(purpose: Purpose, receiver: str) -> bytes:
    return ids.digest(f"{purpose} {receiver}")
