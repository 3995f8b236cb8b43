"""A status page with what somebody says of it, checked. Pure."""

import re
from typing import Any, Final
from urllib.parse import quote

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import target
from analytics_box.products.status_pages.editing.messages import CreateStatusPage, StatusPageFields, UpdateStatusPage
from analytics_box.products.status_pages.page import Component, StatusPage
from analytics_box.tenants.organizations.rules import known_zone

RESERVED: Final = frozenset(  # words that a path below /status/, a host or the box itself may need
    (
        *("admin", "api", "app", "assets", "auth", "badge", "docs", "embed", "favicon", "feed", "files", "health"),
        *("help", "history", "incidents", "login", "new", "preview", "public", "robots", "rss", "settings", "sign-in"),
        *("sitemap", "static", "status", "subscribe", "subscription", "support", "well-known", "www"),
    )
)
_SHAPE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?\Z")
_FRAGMENT: Final = "!$&()*+,;=:@/?-._~%"  # characters of it that stay as they are
_URLS: Final = {"website_url": "websiteUrl", "support_url": "supportUrl"}
_CHECKED: Final = frozenset(("description", "logo_url", "favicon_url", *_URLS, "zone", "domain", "password"))
# Every other field is stored as it is, so that a new field of input is never accepted and then lost.
_PLAIN: Final = tuple(name for name in StatusPageFields.__struct_fields__ if name not in _CHECKED)


def apply_fields(page: StatusPage, given: CreateStatusPage | UpdateStatusPage) -> StatusPage:
    """The page with what is given; what is not given stays.

    Pictures, the password and the domain stay too, because a look at them takes more than the message. Raises
    BadRequest.
    """
    fields: dict[str, Any] = {name: getattr(given, name) for name in _PLAIN if getattr(given, name) is not UNSET}
    if not isinstance(given.name, UnsetType):
        fields["name"] = clean_name(given.name)
    if not isinstance(given.slug, UnsetType) and given.slug != page.slug:  # an older one may have another shape
        fields["slug"] = clean_slug(given.slug)
    if not isinstance(given.description, UnsetType):
        fields["description"] = (given.description or "").strip()
    if not isinstance(given.zone, UnsetType):
        fields["zone"] = known_zone(given.zone) or "UTC"
    for name, said in _URLS.items():
        value = getattr(given, name)
        if value is not UNSET:
            fields[name] = clean_url(value, said) if value else None
    return replace(page, **fields)


def clean_name(given: str, *, field: str = "name") -> str:
    """A name without what nobody sees. Raises BadRequest."""
    name = names.one_line(given)
    if not name or not names.is_visible(name):
        raise BadRequest.about(field, "Enter a name with visible characters")
    return name


def clean_slug(given: str) -> str:
    """The last part of the address of a page. Raises BadRequest."""
    if not _SHAPE.match(given):
        raise BadRequest.about("slug", "Use 1 to 100 letters a-z and digits, with hyphens only between them")
    if given in RESERVED:
        raise BadRequest.about("slug", "This slug is reserved. Enter another one")
    return given


def clean_url(given: str, field: str) -> str:
    """An https URL in its one spelling. Raises BadRequest."""
    text, sharp, fragment = given.strip().partition("#")
    try:
        found = target(text)
    except AddressRefused as wrong:
        raise BadRequest.about(field, str(wrong)) from wrong
    if found.scheme != "https":
        raise BadRequest.about(field, "Enter a URL that starts with https://")
    url = found.url + (f"#{quote(fragment, safe=_FRAGMENT)}" if sharp else "")
    if len(url) > 2_048:
        raise BadRequest.about(field, "Enter a URL of up to 2,048 characters")
    return url


def check_component(component: Component) -> None:
    """Raises BadRequest for a component that says nothing of itself."""
    if component.monitor_id is None and not component.name:
        raise BadRequest.about("name", "Enter a name, or select a monitor")
