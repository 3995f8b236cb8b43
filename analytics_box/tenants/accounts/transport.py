"""The transport by which people reach this box, which decides whether a password is safe on its way."""

from typing import Literal

from analytics_box.base.settings import Settings
from analytics_box.base.urls import url_parts
from analytics_box.web.recognition.source import is_local

Reached = Literal["https", "local", "plain"]


def transport_of(settings: Settings) -> Reached:
    """Over https, in clear from this machine alone, or in clear over a network."""
    if settings.secure:
        return "https"
    return "local" if is_local(url_parts(settings.public_url).hostname or "") else "plain"
