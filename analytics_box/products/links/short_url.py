"""The short URL of a link."""

from typing import Final

from analytics_box.base.settings import Settings

PREFIX: Final = "/l/"  # under which links live on the box's own host


def short_url(domain: str, slug: str, settings: Settings) -> str:
    """The short URL of a slug on a domain; an empty one is the box's own host, where links are below a prefix."""
    if not domain:
        return f"{settings.public_url}{PREFIX}{slug}"
    return f"{'https' if settings.secure else 'http'}://{domain}/{slug}"
