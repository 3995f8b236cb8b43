"""Where a monitor's address leads, for each kind, checked as far as that is possible without asking anybody. Pure.

An address has the kind as its scheme unless it is http: tcp://host:port, dns://name, tls://host:port, ping://host.
"""

import re
from typing import Final

from analytics_box.base.outgoing.failures import Refused
from analytics_box.base.outgoing.target import Place, clean_host, place, target
from analytics_box.products.monitors.monitor import Kind

DNS_PORT: Final = 53
PUSH: Final = "push://"
_PORTS: Final[dict[Kind, int | None]] = {"tcp": None, "tls": 443, "ping": 0}
_NAME: Final = re.compile(r"[^\s/?#@:\[\]]+\Z")
_FORMS: Final[dict[Kind, str]] = {
    "tcp": "tcp://example.com:22",
    "tls": "tls://example.com:443",
    "dns": "dns://example.com",
    "ping": "ping://example.com",
}


def place_of(kind: Kind, url: str) -> Place:
    """Host and port of a tcp, tls or ping monitor; the port of a ping is 0. Raises Refused."""
    rest = _after_scheme(kind, url)
    found = place(rest.removesuffix("/"), _PORTS[kind])
    if kind == "ping" and found.port:
        raise Refused("A ping has no port; write it like ping://example.com")
    return found


def name_of(url: str) -> str:
    """The name that a dns monitor asks for, without the last dot. Raises Refused."""
    rest = _after_scheme("dns", url).removesuffix("/")
    if not _NAME.match(rest):
        raise Refused("Write the name like dns://example.com")
    return clean_host(rest)


def host_of(kind: Kind, url: str) -> str:
    """The host that an address leads to; empty where there is none, or where it is an IP address."""
    if kind == "push":
        return ""
    try:
        if kind == "dns":
            return name_of(url)
        found = target(url) if kind == "http" else place_of(kind, url)
    except Refused:
        return ""
    return found.host if found.address is None else ""


def server_of(text: str) -> Place | None:
    """The name server that a dns monitor asks; None for the box's own. Raises Refused."""
    return place(text.strip(), DNS_PORT) if text.strip() else None


def cleaned(kind: Kind, url: str) -> str:
    """A monitor's address in its one spelling. Raises Refused, which does not repeat the address."""
    url = url.strip()
    if kind == "push":
        return PUSH
    if kind == "http":
        return target(url).url
    if kind == "dns":
        return f"dns://{name_of(url)}"
    return f"{kind}://{place_of(kind, url).authority}"


def _after_scheme(kind: Kind, url: str) -> str:
    scheme, found, rest = url.partition("://")
    if not found or scheme.lower() != kind or not rest:
        raise Refused(f"Write the address like {_FORMS[kind]}")
    return rest
