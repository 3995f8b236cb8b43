"""Addresses of the links in messages to subscribers. Pure."""

from typing import Final

from msgspec import Struct

from analytics_box.base.settings import Settings

_PREFIX: Final = "/status/"  # under which pages live on the box's own host


class Places(Struct, frozen=True):
    """The addresses of one page."""

    page: str

    def incident(self, incident_id: str) -> str:
        return f"{self.page}/incidents/{incident_id}"

    def subscription(self, link: str) -> str:
        """The page on which a subscriber confirms, chooses components and unsubscribes."""
        return f"{self.page}/subscription/{link}"


def of(settings: Settings, slug: str, domain: str | None) -> Places:
    """The addresses of a page: on its custom domain if it has one."""
    if domain:
        return Places(f"{'https' if settings.secure else 'http'}://{domain}")
    return Places(f"{settings.public_url}{_PREFIX}{slug}")
