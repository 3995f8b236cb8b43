"""What a website may be called and where it may live (wire 10.3). Pure."""

import re

from msgspec import Struct

from analytics_box.errors import BadRequest, Detail

NAME = re.compile(r"[\w][\w .\-]{0,99}\Z")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?"
DOMAIN = re.compile(rf"(?:{_LABEL}\.)+[a-z0-9-]{{2,63}}\Z|localhost\Z|\d{{1,3}}(?:\.\d{{1,3}}){{3}}\Z")
LOCAL = ("localhost", "127.0.0.1")


class Website(Struct, frozen=True):
    """A website that is measured. `site` is its number among the facts. Times are UTC ms."""

    id: str
    organization_id: str
    site: int
    name: str
    domain: str
    is_public: bool
    status: str
    created_at: int

    @property
    def active(self) -> bool:
        """Whether it takes events."""
        return self.status not in {"INACTIVE", "PENDING"}


def clean_name(name: str) -> str:
    """1–100 letters, digits, spaces, hyphens, underscores and dots. Raises BadRequest."""
    name = " ".join(name.split())
    if not NAME.match(name):
        message = "Use 1 to 100 letters, digits, spaces, hyphens, underscores and dots"
        raise BadRequest(message, details=(Detail("name", message),))
    return name


def clean_domain(given: str) -> str:
    """A bare domain in lower case: scheme, path, port and a leading www. are cut. Raises BadRequest."""
    host = given.strip().lower()
    host = host.split("://", 1)[-1].split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]
    host = host.rsplit("@", 1)[-1].split(":", 1)[0].rstrip(".").removeprefix("www.")
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        host = ""
    if len(host) > 253 or not DOMAIN.match(host):
        message = "This is not a domain; write it like example.com"
        raise BadRequest(message, details=(Detail("domain", message),))
    return host


def may_send(website: Website, origin: str | None) -> bool:
    """Whether a page of this origin may send events for the website (wire 4.6).

    No Origin header is fine; otherwise its host is the domain (www. or not) or a subdomain of it.
    """
    if origin is None:
        return True
    host = origin.split("://", 1)[-1].rsplit(":", 1)[0].lower() if "]" not in origin else "localhost"
    host = host.removeprefix("www.")
    if website.domain in LOCAL:
        return host in LOCAL or host.endswith(".localhost")
    return host == website.domain or host.endswith("." + website.domain)
