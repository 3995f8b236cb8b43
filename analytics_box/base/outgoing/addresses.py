"""Addresses that the box may connect to on behalf of people (security: outgoing requests). Pure but for `is_own`.

An IPv6 address that wraps an IPv4 one is judged by that one too. `ipaddress` alone is not enough: it considers
multicast, NAT64, 6to4 and site-local addresses global.
"""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from itertools import takewhile
from string import hexdigits
from typing import Final

from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.translation import _

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MAIL_PORTS: Final = frozenset({24, 25, 109, 110, 143, 220, 465, 587, 993, 995, 2525})

_PRIVATE: Final = "This name or address is in a private or reserved network"
_INTERNAL_NAME: Final = "This name only exists in private networks"
_INTERNAL: Final = frozenset({"internal", "local", "lan", "corp"})  # last parts of names that the internet has not
_NAT64: Final = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR: Final = IPv6Network("2002::/16")
_UNICAST: Final = IPv6Network("2000::/3")  # all that is routed on the IPv6 internet
_CLOSED: Final[tuple[Network, ...]] = (
    IPv4Network("100.64.0.0/10"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("::/96"),
    IPv6Network("64:ff9b:1::/48"),
    IPv6Network("2001::/23"),  # Teredo, ORCHID and other protocols
    IPv6Network("3fff::/20"),
    IPv6Network("fec0::/10"),
)


class Fence:
    """The addresses that one asker may reach: the public internet, and the private networks in `allowed`.

    `host` and `port` are what the box itself listens on. Refusals of private networks end with `hint`, which says how
    the asker can have one opened. Which asker gets which networks is decided in `fences`.
    """

    def __init__(
        self, allowed: tuple[Network, ...] = (), host: str = "127.0.0.1", port: int = 0, *, hint: str = ""
    ) -> None:
        self.allowed = allowed
        self._hint = hint
        self._host = host
        self._port = port

    def opens(self, address: Address) -> bool:
        """Return whether an address is in a private network that is open to the asker."""
        return any(address in network for network in self.allowed if network.version == address.version)

    def check(self, address: Address, port: int) -> Address:
        """The address to connect to. Raises AddressRefused."""
        outer, inner = unwrap_address(address)
        if not self._is_open(outer) or (inner is not outer and not self._is_open(inner)):
            raise AddressRefused(self._hinted(_PRIVATE))
        self.check_port(port)
        if port and port == self._port and (self._is_own(outer) or self._is_own(inner)):
            raise AddressRefused(_("This is the server's own address"))
        return outer

    def check_port(self, port: int) -> None:
        """Raises AddressRefused for ports of mail servers, which could be made to send mail."""
        if port in MAIL_PORTS:
            raise AddressRefused(_("Port {port} is a mail port, which is not allowed").format(port=port))

    def check_name(self, name: str) -> None:
        """Raises AddressRefused for what the box's own name servers should not be asked, since it is not of the
        internet.

        That is nothing where a private range is open, because its names are wanted too.
        """
        if self.allowed:
            return
        reverse = _reverse(_labels(name))
        if is_internal(name) or (reverse is not None and not self.shows(reverse)):
            raise AddressRefused(self._hinted(_INTERNAL_NAME))

    def shows(self, address: Address) -> bool:
        """Whether people may be told of this address: one of the internet, or of a range that is open."""
        try:
            return all(self._is_open(each) for each in unwrap_address(address))
        except AddressRefused:
            return False

    def _hinted(self, reason: str) -> str:
        return f"{reason}. {self._hint}" if self._hint else reason

    def _is_open(self, address: Address) -> bool:
        if address.is_multicast or address.is_unspecified:
            return False
        return self.opens(address) or _is_routed(address)

    def _is_own(self, address: Address) -> bool:
        try:
            listening = ip_address(self._host)
        except ValueError:
            return is_own(address)  # a host name: any of this machine's addresses may be meant
        return is_own(address) if listening.is_unspecified else address == listening


def is_public(address: Address) -> bool:
    """Return whether an address is on the public internet, as is the IPv4 address that it may wrap."""
    try:
        return all(_is_routed(each) for each in unwrap_address(address))
    except AddressRefused:
        return False


def _is_routed(address: Address) -> bool:
    """Return whether the public internet routes this address."""
    if address.is_multicast or address.is_unspecified:
        return False
    if isinstance(address, IPv6Address):
        if address in _NAT64 or address in _SIX_TO_FOUR:
            return True  # The wrapped address is checked as well. Python before 3.11.4 finds 6to4 private.
        if address not in _UNICAST:
            return False
    closed = any(address in network for network in _CLOSED if network.version == address.version)
    return address.is_global and not closed


def is_internal(name: str) -> bool:
    """Return whether a name only exists in private networks."""
    labels = _labels(name)
    return len(labels) == 1 or labels[-1] in _INTERNAL or labels[-2:] == ["home", "arpa"]


def _labels(name: str) -> list[str]:
    return name.lower().removesuffix(".").split(".")


def _reverse(labels: list[str]) -> Address | None:
    """The first address of what a reverse name is about, such as 2.0.192.in-addr.arpa; None for other names."""
    kind, parts = labels[-2:], labels[-3::-1]
    if kind == ["in-addr", "arpa"]:
        numbers = takewhile(lambda part: part.isascii() and part.isdecimal() and len(part) <= 3, parts)
        return IPv4Address(bytes(min(int(part), 255) for part in numbers)[:4].ljust(4, b"\0"))
    if kind == ["ip6", "arpa"]:
        digits = "".join(takewhile(lambda part: len(part) == 1 and part in hexdigits, parts))[:32]
        return IPv6Address(int(digits.ljust(32, "0"), 16))
    return None


def unwrap_address(address: Address) -> tuple[Address, Address]:
    """The address to connect to, and the one that it wraps. Raises AddressRefused for
    one with a zone."""
    if isinstance(address, IPv4Address):
        return address, address
    if address.scope_id is not None:
        raise AddressRefused(_("Link-local addresses with a zone are not supported"))
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped, address.ipv4_mapped
    if address in _NAT64 or 1 < int(address) <= 0xFFFF_FFFF:  # :: and ::1 are no IPv4 addresses
        return address, IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _SIX_TO_FOUR:
        return address, IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    return address, address


def is_own(address: Address) -> bool:
    """Whether this machine has the address: only then can a socket be bound to it."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
