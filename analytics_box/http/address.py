"""The client's address: the peer's, or what a trusted proxy says of it (security: client address)."""

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from analytics_box.settings import SettingsError

_LONGEST = 64  # characters of what may be an address
Network = IPv4Network | IPv6Network


def networks(ranges: tuple[str, ...]) -> tuple[Network, ...]:
    """The trusted proxies as networks. Raises SettingsError."""
    try:
        return tuple(ip_network(text, strict=False) for text in ranges)
    except ValueError as wrong:
        raise SettingsError(f"trusted_proxies (ANALYTICS_BOX_TRUSTED_PROXIES): {wrong}") from wrong


def client_address(peer: str, forwarded_for: str | None, trusted: tuple[Network, ...]) -> str:
    """The right-most hop that is not a trusted proxy; the peer itself unless it is one.

    A peer without an address came over a Unix socket, and is trusted. A hop that is no address ends the walk: nothing
    left of it can be believed.
    """
    address = canonical(peer)
    if forwarded_for is None or (peer and not (trusted and _within(address, trusted))):
        return address
    for hop in reversed(forwarded_for.split(",")):
        found = canonical(hop.strip())
        if not found:
            return address
        address = found
        if not _within(found, trusted):
            break
    return address


def canonical(text: str) -> str:
    """An address in its one spelling, IPv4 unwrapped from IPv6; empty for anything else."""
    return _known(text) if len(text) <= _LONGEST else ""


@lru_cache(maxsize=20_000)
def _known(text: str) -> str:
    try:
        parsed = ip_address(text.strip("[]"))
    except ValueError:
        return ""
    mapped = getattr(parsed, "ipv4_mapped", None)
    return str(mapped or parsed)


@lru_cache(maxsize=20_000)
def is_within(address: str, trusted: tuple[Network, ...]) -> bool:
    """Whether an address, however it is spelled, is in one of these networks."""
    return _within(canonical(address), trusted)


def _within(address: str, trusted: tuple[Network, ...]) -> bool:
    if not address:
        return False
    parsed = ip_address(address)
    return any(parsed in network for network in trusted)


@lru_cache(maxsize=20_000)
def network_of(address: str) -> str:
    """What of an address identifies its subscriber: IPv4 whole, IPv6 cut to /64. Empty text for no address."""
    plain = canonical(address)
    if ":" not in plain:
        return plain
    return f"{IPv6Address(int(IPv6Address(plain)) >> 64 << 64)}/64"
