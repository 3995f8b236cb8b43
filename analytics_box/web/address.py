"""The client's address: the peer's, or what a trusted proxy says of it (security: client address)."""

import re
import socket
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Literal, NamedTuple

from analytics_box.base.settings import SettingsError

# A proxy without a fixed address proves itself with this header.
PROXY_SECRET = b"x-proxy-secret"
_LONGEST = 64  # characters of what may be an address
_LONGEST_HEADER = 128  # characters of a header that is worth remembering
_FARTHEST = 4_096  # characters from the right end of a header that are read
_AROUND = ' \t"'  # Proxies quote addresses in both headers.
# An address with the port that Azure, IIS and others add, or with one that is obfuscated (RFC 7239 6.3). Without
# brackets, only a full IPv6 address can have one.
_WITH_PORT = re.compile(
    r"(\[[^\]]*\]|[0-9.]+|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}):(?:[0-9]{1,5}|_[0-9A-Za-z._-]+)", re.ASCII
)
_SUBSCRIBER = 64  # bits of an IPv6 address that identify one


class Network(NamedTuple):
    """A network by the numbers of its first and last address."""

    version: int
    first: int
    last: int


class _Address(NamedTuple):
    """An address in its one spelling, and what of it identifies its subscriber. Of no address all texts are empty."""

    text: str = ""
    network: str = ""
    version: int = 0
    number: int = 0


_NONE = _Address()


def networks(ranges: tuple[str, ...]) -> tuple[Network, ...]:
    """The trusted proxies as networks. Raises SettingsError."""
    try:
        found = [ip_network(text, strict=False) for text in ranges]
    except ValueError as wrong:
        raise SettingsError(f"trusted_proxies (ANALYTICS_BOX_TRUSTED_PROXIES): {wrong}") from wrong
    return tuple(map(_network, found))


def _network(found: IPv4Network | IPv6Network) -> Network:
    """A network as addresses are compared with it: IPv4 unwrapped from IPv6, as theirs is."""
    first, last = found.network_address, found.broadcast_address
    if isinstance(first, IPv6Address) and isinstance(last, IPv6Address) and first.ipv4_mapped and last.ipv4_mapped:
        return Network(4, int(first.ipv4_mapped), int(last.ipv4_mapped))
    return Network(found.version, int(first), int(last))


class ProxyFault(NamedTuple):
    """A reason why a header that names clients has no effect, and the proxy that sent it.

    The proxy is `untrusted`, or names a client whose address is `unreadable`. `proxy` is empty for a Unix socket.
    """

    reason: Literal["untrusted", "unreadable"]
    proxy: str


class ClientAddress(NamedTuple):
    """The client of a request. `address` is empty if it is unknown."""

    address: str
    fault: ProxyFault | None = None


def client_of(peer: str, header: str, trusted: tuple[Network, ...], *, standard: bool = False) -> ClientAddress:
    """The right-most hop that is not a trusted proxy; the peer itself unless it is one.

    `header` is X-Forwarded-For, or Forwarded (RFC 7239) if `standard`. A hop that is no address ends the walk: nothing
    left of it can be believed.
    """
    if len(header) <= _LONGEST_HEADER:
        return _remembered_walk(peer, header, trusted, standard)
    # The nearest proxies wrote the right end. What a client put before it is not worth more work.
    return _walk(peer, header[-_FARTHEST:], trusted, standard)


def forget() -> None:
    """Forget the addresses that were remembered for requests."""
    _remembered_walk.cache_clear()
    _parsed_address.cache_clear()
    for kind in (IPv4Address, IPv6Address):  # Python remembers the addresses that it was asked about.
        for name in ("is_global", "is_private"):
            clear = getattr(getattr(kind, name).fget, "cache_clear", None)
            if clear is not None:
                clear()


def is_trusted(peer: str, trusted: tuple[Network, ...]) -> bool:
    """Return whether a peer is a trusted proxy. A peer without an address came over a Unix socket, and is trusted."""
    return not peer or _within(_known_network(peer), trusted)


def _walk(peer: str, header: str, trusted: tuple[Network, ...], standard: bool) -> ClientAddress:
    address = _known_network(peer)
    if not is_trusted(peer, trusted):
        return ClientAddress(address.text, ProxyFault("untrusted", address.text))
    for hop in _standard_hops(header) if standard else reversed(header.split(",")):
        found = _hop(hop.strip(_AROUND))
        if found is _NONE:
            return ClientAddress(address.text, ProxyFault("unreadable", address.text))
        address = found
        if not _within(found, trusted):
            break
    return ClientAddress(address.text)


def _hop(text: str) -> _Address:
    """The address of a hop as proxies write it: bare, in brackets, with a port. `unknown` and names are none."""
    found = _known_network(text)
    if found is _NONE and (match := _WITH_PORT.fullmatch(text)):
        found = _known_network(match[1])
    return found


def _standard_hops(header: str) -> Iterator[str]:
    """The `for` of each element of a Forwarded header, from the right; empty for an element without one."""
    for element in _from_right(header, ","):
        pairs = [pair.partition("=") for pair in _from_right(element, ";")]
        nodes = [value for name, _, value in pairs if name.strip().lower() == "for"]
        yield nodes[0] if len(nodes) == 1 else ""


def _from_right(text: str, separator: str) -> Iterator[str]:
    """Split a text at separators outside quotes, from the right.

    The right end was written by the nearest proxy, so a quote that a client left open does not reach it.
    """
    end, quoted = len(text), False
    for at in range(end - 1, -1, -1):
        if text[at] == '"':
            quoted = not quoted
        elif text[at] == separator and not quoted:
            yield text[at + 1 : end]
            end = at
    yield text[:end]


_remembered_walk = lru_cache(maxsize=8_000)(_walk)  # most requests come from someone who was there a moment ago


def canonical(text: str) -> str:
    """An address in its one spelling, IPv4 unwrapped from IPv6; empty for anything else."""
    return _known_network(text).text


def is_within(address: str, trusted: tuple[Network, ...]) -> bool:
    """Whether an address, however it is spelled, is in one of these networks."""
    return _within(_known_network(address), trusted)


def network_of(address: str) -> str:
    """The part of an address that identifies its subscriber: IPv4 whole, IPv6 cut to /64. Empty for no address."""
    return _known_network(address).network


def _within(address: _Address, trusted: tuple[Network, ...]) -> bool:
    version, number = address.version, address.number
    for network in trusted:  # noqa: SIM110  # a generator takes twice as long, and each request asks
        if network.version == version and network.first <= number <= network.last:
            return True
    return False


def _known_network(text: str) -> _Address:
    return _parsed_address(text) if len(text) <= _LONGEST else _NONE


@lru_cache(maxsize=20_000)
def _parsed_address(text: str) -> _Address:
    """An address taken apart. The system's own reading takes a tenth of the time of Python's, which reads the rest."""
    try:
        if ":" not in text:
            packed = socket.inet_pton(socket.AF_INET, text)
            return _Address(text, text, 4, int.from_bytes(packed, "big"))
        packed = socket.inet_pton(socket.AF_INET6, text)
    except (OSError, ValueError):
        return _taken_apart(text)
    if packed.startswith(bytes(8)):  # where there may be an IPv4 address in it
        return _taken_apart(text)
    network = f"{socket.inet_ntop(socket.AF_INET6, packed[:8] + bytes(8))}/{_SUBSCRIBER}"
    return _Address(socket.inet_ntop(socket.AF_INET6, packed), network, 6, int.from_bytes(packed, "big"))


def _taken_apart(text: str) -> _Address:
    try:
        parsed = ip_address(text.strip("[]"))
    except ValueError:
        return _NONE
    plain = getattr(parsed, "ipv4_mapped", None) or parsed
    network = str(plain)
    if plain.version != 4:
        network = f"{IPv6Address(int(plain) >> _SUBSCRIBER << _SUBSCRIBER)}/{_SUBSCRIBER}"
    # A zone (fe80::1%eth0) has a meaning on one machine only.
    return _Address(str(plain).partition("%")[0], network, plain.version, int(plain))
