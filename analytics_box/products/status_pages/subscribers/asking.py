"""Limits on requests to confirm a subscription, so that the box can flood no mailbox and no server."""

from typing import Final

from analytics_box.base.limits import TokenBuckets
from analytics_box.base.notify.mail_limits import mailbox_of
from analytics_box.base.outgoing.target import target
from analytics_box.products.status_pages.subscriber import Subscriber
from analytics_box.products.status_pages.subscribers.subscribing import RequestedSubscription

# Per hour, for the whole box but PER_PAGE. A mail domain is one organization's, or a large provider's. The limit of a
# single mailbox is in notify.mail_limits.
PER_DOMAIN, PER_HOST, PER_PAGE, PER_BOX = 1_000, 10, 1_000, 5_000
HOUR_SECONDS: Final = 3_600.0


def limit_page(limits: TokenBuckets, page_id: str) -> None:
    """Raises RateLimited if a page or the box sends too many requests."""
    limits.take("subscribe page", page_id, PER_PAGE, window=HOUR_SECONDS)
    limits.take("subscribe box", "", PER_BOX, window=HOUR_SECONDS)


def limit_receiver(limits: TokenBuckets, wanted: RequestedSubscription) -> None:
    """Raises RateLimited where a mail domain or the host of a webhook got too many requests."""
    if wanted.kind == "webhook":
        limit_host(limits, wanted.address)
        return
    domain = mailbox_of(wanted.address).rpartition("@")[2]
    limits.take("subscribe domain", domain, PER_DOMAIN, window=HOUR_SECONDS)


def limit_host(limits: TokenBuckets, url: str) -> None:
    """Raises RateLimited where the host of a webhook was asked too often."""
    limits.take("subscribe host", target(url).host, PER_HOST, window=HOUR_SECONDS)


def limit_challenge(limits: TokenBuckets, subscriber: Subscriber) -> None:
    """Raises RateLimited where the challenge was just sent again, or the host was asked too often."""
    limits.take("subscribe challenge", subscriber.id, 1)
    limit_host(limits, subscriber.shown_address)
