"""Where the links in messages to subscribers lead. Pure."""

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
        """Where a subscriber confirms, chooses and leaves."""
        return f"{self.page}/subscription/{link}"


def of(settings: Settings, slug: str, domain: str | None) -> Places:
    """Those of a page: on its own domain if it has one."""
    if domain:
        return Places(f"{'https' if settings.secure else 'http'}://{domain}")
    return Places(f"{settings.public_url}{_PREFIX}{slug}")
