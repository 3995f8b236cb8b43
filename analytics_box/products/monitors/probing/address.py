"""Parsing of a monitor's address, for each kind, checked as far as possible without a request. Pure.

An address has the kind as its scheme unless it is http: tcp://host:port, dns://name, tls://host:port, ping://host.
"""

import re
from typing import Final

from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import HostPort, clean_host, place, target
from analytics_box.base.translation import _
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


def place_of(kind: Kind, url: str) -> HostPort:
    """Host and port of a tcp, tls or ping monitor; the port of a ping is 0. Raises AddressRefused."""
    rest = _after_scheme(kind, url)
    found = place(rest.removesuffix("/"), _PORTS[kind])
    if kind == "ping" and found.port:
        raise AddressRefused(_("Enter a ping without a port, such as ping://example.com"))
    return found


def name_of(url: str) -> str:
    """The name that a dns monitor asks for, without the last dot. Raises AddressRefused."""
    rest = _after_scheme("dns", url).removesuffix("/")
    if not _NAME.match(rest):
        raise AddressRefused(_("Enter a name such as dns://example.com"))
    return clean_host(rest)


def host_of(kind: Kind, url: str) -> str:
    """The host that an address leads to; empty if there is none, or where it is an IP address."""
    if kind == "push":
        return ""
    try:
        if kind == "dns":
            return name_of(url)
        found = target(url) if kind == "http" else place_of(kind, url)
    except AddressRefused:
        return ""
    return found.host if found.address is None else ""


def server_of(text: str) -> HostPort | None:
    """The name server that a dns monitor asks; None for the box's own. Raises AddressRefused."""
    return place(text.strip(), DNS_PORT) if text.strip() else None


def clean_address(kind: Kind, url: str) -> str:
    """A monitor's address in its one spelling. Raises AddressRefused, which does not repeat the address."""
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
        raise AddressRefused(_("Enter an address such as {forms}").format(forms=_FORMS[kind]))
    return rest
