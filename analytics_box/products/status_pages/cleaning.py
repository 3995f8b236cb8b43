"""Input of status pages and their components in its one spelling. Pure."""

import re
from typing import Any, Final
from urllib.parse import quote

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import target
from analytics_box.base.translation import _
from analytics_box.tenants.organizations.rules import known_zone

# Words that a path below /status/, a host or the box itself can need.
RESERVED: Final = frozenset(
    (
        *("admin", "api", "app", "assets", "auth", "badge", "docs", "embed", "favicon", "feed", "files", "health"),
        *("help", "history", "incidents", "login", "new", "preview", "public", "robots", "rss", "settings", "sign-in"),
        *("sitemap", "static", "status", "subscribe", "subscription", "support", "well-known", "www"),
    )
)
_SHAPE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?\Z")
# Characters of a fragment that are not encoded.
_FRAGMENT: Final = "!$&()*+,;=:@/?-._~%"


def name(given: str) -> str:
    """A name on one line. Raises BadRequest for a name without visible characters."""
    text = names.one_line(given)
    if not text or not names.is_visible(text):
        raise BadRequest(_("Enter a name with visible characters"))
    return text


def display_name(given: str) -> str:
    """A name, or an empty text for the monitor's name. Raises BadRequest."""
    return name(given) if given.strip() else ""


def slug(given: str, before: Any) -> str:
    """The last part of a page's address. Raises BadRequest.

    The slug of the page as it was `before` stays valid, because it can be older than these rules.
    """
    if before is not None and given == before.slug:
        return given
    if not _SHAPE.match(given):
        raise BadRequest(_("Use 1 to 100 letters a-z and digits, with hyphens only between them"))
    if given in RESERVED:
        raise BadRequest(_("This slug is reserved. Enter another one"))
    return given


def domain(given: str) -> str | None:
    """The host name in lower case; None for an empty one."""
    return given.strip().lower().rstrip(".") or None


def zone(given: str) -> str:
    """The time zone, UTC for an empty one. Raises BadRequest."""
    return known_zone(given) or "UTC"


def url(given: str) -> str | None:
    """An https URL in its one spelling; None for an empty one. Raises BadRequest."""
    if not given:
        return None
    text, sharp, fragment = given.strip().partition("#")
    try:
        found = target(text)
    except AddressRefused as wrong:
        raise BadRequest(str(wrong)) from wrong
    if found.scheme != "https":
        raise BadRequest(_("Enter a URL that starts with https://"))
    clean = found.url + (f"#{quote(fragment, safe=_FRAGMENT)}" if sharp else "")
    if len(clean) > 2_048:
        raise BadRequest(_("Enter a URL of up to 2,048 characters"))
    return clean
