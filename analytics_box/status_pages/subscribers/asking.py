"""How often somebody may be asked to subscribe, whoever wants that: no mailbox and no server is flooded by the box."""

from typing import Final

from analytics_box.limits import Limits
from analytics_box.outgoing.target import target
from analytics_box.status_pages.subscriber import Subscriber
from analytics_box.status_pages.subscribers.subscribing import Wanted

# Within the seconds below, for the whole box but PER_PAGE. A mail domain is one organization's, or a large provider's.
PER_ADDRESS, PER_DOMAIN, PER_HOST, PER_PAGE, PER_BOX = 3, 1_000, 10, 1_000, 5_000
HOUR_SECONDS: Final = 3_600.0
_DAY: Final = 86_400.0
_IGNORE_DOTS: Final = ("gmail.com", "googlemail.com")


def limit_page(limits: Limits, page_id: str) -> None:
    """Raises RateLimited where a page or the box asks too many."""
    limits.take("subscribe page", page_id, PER_PAGE, window=HOUR_SECONDS)
    limits.take("subscribe box", "", PER_BOX, window=HOUR_SECONDS)


def limit_receiver(limits: Limits, wanted: Wanted) -> None:
    """Raises RateLimited where a mailbox, its domain, or the host of a webhook has heard of the box too often."""
    if wanted.kind == "webhook":
        limit_host(limits, wanted.address)
        return
    mailbox = mailbox_of(wanted.address)
    limits.take("subscribe address", mailbox, PER_ADDRESS, window=_DAY)
    limits.take("subscribe domain", mailbox.rpartition("@")[2], PER_DOMAIN, window=HOUR_SECONDS)


def limit_host(limits: Limits, url: str) -> None:
    """Raises RateLimited where the host of a webhook was asked too often."""
    limits.take("subscribe host", target(url).host, PER_HOST, window=HOUR_SECONDS)


def limit_challenge(limits: Limits, subscriber: Subscriber) -> None:
    """Raises RateLimited where the challenge was just sent again, or the host was asked too often."""
    limits.take("subscribe challenge", subscriber.id, 1)
    limit_host(limits, subscriber.address)


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
