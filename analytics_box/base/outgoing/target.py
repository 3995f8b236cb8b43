"""An address that someone typed, taken apart (security: outgoing requests). Pure."""

import re
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from typing import Final, Literal
from urllib.parse import quote, urljoin

from msgspec import Struct

from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.translation import _

Scheme = Literal["http", "https"]
LONGEST: Final = 2_048  # characters of an address
_SCHEMES: Final[dict[str, Scheme]] = {"http": "http", "https": "https"}
_PORTS: Final[dict[str, int]] = {"http": 80, "https": 443}
_LABEL = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\Z")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z")
_FORM = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<place>[^/?#]*)(?P<rest>[^#]*)", re.IGNORECASE)
_PATH = re.compile(r"[^?#]*")
_AROUND: Final = "".join(map(chr, range(33)))  # control characters and the space
_LEFT_OUT: Final = dict.fromkeys(map(ord, "\t\r\n"))
_KEPT = "/?:@!$&'()*+,;=-._~%[]"  # characters of a path and query that stay as they are


class RequestTarget(Struct, frozen=True):
    """The target of a request. `host` is in lower case, IDNA, without brackets; `path` includes the query."""

    scheme: Scheme
    host: str
    port: int
    path: str

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address, where the host is one."""
        return _literal(self.host)

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port: all of it that may be shown to others."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address."""
        return self.origin + self.path


class HostPort(Struct, frozen=True):
    """A host and a port that are not asked by HTTP. `host` is as in Target; a `port` of 0 means that there is none."""

    host: str
    port: int

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address, where the host is one."""
        return _literal(self.host)

    @property
    def authority(self) -> str:
        """The place in its one spelling."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.port else host


def place(text: str, port: int | None = None) -> HostPort:
    """A host with its port taken apart, as they stand after the scheme of an address; a missing port is `port`.

    Raises AddressRefused, also where a port is needed and missing.
    """
    if len(text) > LONGEST or not text.isprintable() or re.search(r"[\s\\/?#@]", text):
        raise AddressRefused(_("Enter a host name or IP address with a port, such as example.com:443"))
    host, given = _place(text)
    number = port if given is None else given
    if number is None:
        raise AddressRefused(_("Enter a port, such as example.com:443"))
    return HostPort(host, number)


def target(text: str) -> RequestTarget:
    """An http or https address taken apart. Raises AddressRefused, which says what is wrong without repeating the
    address."""
    if len(text) > LONGEST:
        raise AddressRefused(_("The address is longer than {longest} characters").format(longest=LONGEST))
    if not text.isprintable() or "\\" in text or " " in text:
        raise AddressRefused(_("The address contains invalid characters, such as spaces, line breaks or backslashes"))
    found = _FORM.match(text)
    if found is None:
        raise AddressRefused(_("Enter the full address, such as https://example.com/path"))
    scheme, place = _SCHEMES.get(found["scheme"].lower()), found["place"]
    if scheme is None:
        raise AddressRefused(_("Enter an http or https address"))
    if "@" in place:
        raise AddressRefused(_("Enter an address without a user name or password"))
    host, port = _place(place)
    path = quote(found["rest"], safe=_KEPT)
    return RequestTarget(scheme, host, port or _PORTS[scheme], path if path.startswith("/") else f"/{path}")


def redirect_target(before: RequestTarget, location: str) -> RequestTarget:
    """The target of an answer's Location, read as browsers read it. Raises AddressRefused.

    Spaces, backslashes, tabs and UTF-8 that servers forget to encode are taken.
    """
    with suppress(UnicodeError):  # then it was Latin-1, or text already
        location = location.encode("latin-1").decode("utf-8")
    location = location.strip(_AROUND).translate(_LEFT_OUT).replace(" ", "%20")
    path = _PATH.match(location)
    end = path.end() if path is not None else 0
    location = location[:end].replace("\\", "/") + location[end:].replace("\\", "%5C")
    if not location.isprintable():
        raise AddressRefused(_("The response redirects to an address with invalid characters"))
    try:
        return target(urljoin(before.url, location))
    except ValueError as broken:
        raise AddressRefused(_("The response redirects to an invalid address")) from broken


def clean_host(text: str) -> str:
    """A name or address in its one spelling: lower case, IDNA (UTS 46). Raises AddressRefused."""
    host = text.removesuffix(".")
    if not host.isascii():
        host = _to_ascii(host)
    host = host.lower()
    if len(host) > 253 or not _NAME.match(host):
        raise AddressRefused(_("Enter a host name, such as example.com"))
    if _NUMERIC.match(host.rpartition(".")[2]) and _literal(host) is None:
        raise AddressRefused(_("Enter an IPv4 address as four numbers, such as 203.0.113.7"))
    return host


def _place(place: str) -> tuple[str, int | None]:
    """Host and port."""
    if place.startswith("["):
        inner, closed, after = place[1:].partition("]")
        literal = _literal(inner) if closed else None
        if not isinstance(literal, IPv6Address) or literal.scope_id is not None or (after and after[0] != ":"):
            raise AddressRefused(_("Enter a valid IPv6 address in brackets"))
        return str(literal), _port(after[1:])
    host, _colon, port = place.partition(":")
    return clean_host(host), _port(port)


def _port(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 5 and 0 < int(text) <= 65_535):
        raise AddressRefused(_("Enter a port from 1 to 65535"))
    return int(text)


def _literal(text: str) -> IPv4Address | IPv6Address | None:
    if ":" not in text and not text[-1:].isdecimal():
        return None  # a name
    try:
        return IPv6Address(text) if ":" in text else IPv4Address(text)
    except ValueError:
        return None


def _to_ascii(host: str) -> str:
    import idna  # noqa: PLC0415  its tables are large and seldom wanted

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as broken:
        raise AddressRefused(_("Enter a host name, such as example.com")) from broken
