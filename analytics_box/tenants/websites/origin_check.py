"""Allowed origins and IP addresses, and ignored traffic: settings compiled for the hot path. Pure.

Ignored traffic is checked first: such an event is answered like any other and not stored. Then the sender has to be
allowed (wire 4.6).
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_address, ip_network
from typing import Literal, TypeVar

from msgspec import Struct

from analytics_box.base.store.budgets import DiskBudget
from analytics_box.tenants.websites.rules import LOCAL
from analytics_box.tenants.websites.tracking import Tracking

Reason = Literal["", "ignored_origin", "ignored_address", "ignored_path"]
Made = TypeVar("Made")
PORTS = {"http": "80", "https": "443"}
_MEGABYTE = 1_000_000
_LONGEST_ORIGIN = 300  # characters of one that is worth remembering


class Origin(Struct, frozen=True):
    """An origin, or a pattern of one. An empty scheme or port of a pattern means any."""

    scheme: str
    host: str
    port: str


class Origins(Struct, frozen=True):
    """Patterns of origins. `plain` are hosts of any scheme and port, without www."""

    everything: bool = False
    plain: frozenset[str] = frozenset()
    others: tuple[Origin, ...] = ()

    def have(self, origin: Origin) -> bool:
        """Whether one of the patterns fits this origin."""
        return (
            self.everything
            or origin.host.removeprefix("www.") in self.plain
            or any(fits(pattern, origin) for pattern in self.others)
        )


class Addresses(Struct, frozen=True):
    """Single addresses, and ranges as sorted first and last numbers that do not overlap, by IP version."""

    single: frozenset[str]
    firsts: dict[int, list[int]]
    lasts: dict[int, list[int]]

    def have(self, address: str) -> bool:
        """Whether this address is one of them, or in one of the ranges."""
        if address in self.single:
            return True
        version, number = _number(address)
        firsts = self.firsts.get(version)
        if firsts is None:
            return False
        place = bisect_right(firsts, number) - 1
        return place >= 0 and number <= self.lasts[version][place]


class Paths(Struct, frozen=True):
    """Whole paths, beginnings, and patterns as the pieces between their stars."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]
    patterns: tuple[tuple[str, ...], ...]

    def have(self, path: str) -> bool:
        """Whether this path is one of them; takes time proportional to its length."""
        return (
            path in self.whole
            or path.startswith(self.beginnings)
            or any(_fits_path(pieces, path) for pieces in self.patterns)
        )


class OriginCheck(Struct, frozen=True):
    """A website's rules for origins, IP addresses and paths. None is no rule, so that the hot path only compares."""

    domain: str
    allowed_origins: Origins | None = None
    allowed_addresses: Addresses | None = None
    ignored_origins: Origins | None = None
    ignored_addresses: Addresses | None = None
    ignored_paths: Paths | None = None
    cookieless: bool = False
    budget: DiskBudget | None = None

    def ignores(self, origin: str | None, address: str) -> Reason:
        """The reason why events from this page and address are acknowledged and not stored; empty if
        they are stored."""
        if self.ignored_origins is not None and origin and self.ignored_origins.have(parsed_origin(origin)):
            return "ignored_origin"
        if self.ignored_addresses is not None and self.ignored_addresses.have(address):
            return "ignored_address"
        return ""

    def admits_origin(self, origin: str | None) -> bool:
        """Whether a page of this origin may send events.

        It is the domain (www. or not), a subdomain of it, or one of the allowed origins. No Origin header is fine
        unless there are allowed origins: then it is mandatory.
        """
        if origin is None:
            return self.allowed_origins is None
        parsed = parsed_origin(origin)
        host = parsed.host.removeprefix("www.")
        if self.domain in LOCAL:
            own = host in LOCAL or host == "[::1]" or host.endswith(".localhost")
        else:
            own = host == self.domain or host.endswith("." + self.domain)
        return own or (self.allowed_origins is not None and self.allowed_origins.have(parsed))

    def admits_address(self, address: str) -> bool:
        """Whether this client address may send events."""
        return self.allowed_addresses is None or self.allowed_addresses.have(address)


def origin_check(domain: str, tracking: Tracking) -> OriginCheck:
    """The rules of a website with this domain and these settings, which are clean."""
    return OriginCheck(
        domain=domain,
        allowed_origins=_ready(tracking.allowedOrigins, _origins),
        allowed_addresses=_ready(tracking.allowedIps, _addresses),
        ignored_origins=_ready(tracking.ignoredTrackingOrigins, _origins),
        ignored_addresses=_ready(tracking.ignoredIps, _addresses),
        ignored_paths=_ready(tracking.ignoredPaths, _paths),
        cookieless=tracking.visitorIdMode == "cookieless",
        budget=_budget(tracking),
    )


def parsed_origin(text: str) -> Origin:
    """An Origin header taken apart, in lower case. Without a port it has its scheme's."""
    return _known_origin(text) if len(text) <= _LONGEST_ORIGIN else _taken_apart(text)


@lru_cache(maxsize=4_096)
def _known_origin(text: str) -> Origin:
    return _taken_apart(text)


def _taken_apart(text: str) -> Origin:
    scheme, separator, rest = text.lower().partition("://")
    if not separator:
        return Origin("", scheme, "")
    host, port = _host_and_port(rest.rstrip("/"))
    return Origin(scheme, host, port or PORTS.get(scheme, ""))


def fits(pattern: Origin, origin: Origin) -> bool:
    """Whether this origin is one of those that the pattern means; `*.` matches any subdomain, not for none."""
    if pattern.scheme and pattern.scheme != origin.scheme:
        return False
    if pattern.port and pattern.port != origin.port:
        return False
    if pattern.host.startswith("*."):
        return origin.host.endswith(pattern.host[1:])
    return origin.host.removeprefix("www.") == pattern.host.removeprefix("www.")


def _budget(tracking: Tracking) -> DiskBudget | None:
    """The events that anonymous callers may add in an hour; None for the usual amount."""
    texts, megabytes = tracking.hourlyTexts or 0, tracking.hourlyMegabytes or 0
    return DiskBudget(texts, megabytes * _MEGABYTE) if texts or megabytes else None


def _ready(given: tuple[str, ...], make: Callable[[tuple[str, ...]], Made]) -> Made | None:
    return make(given) if given else None


def _origins(entries: tuple[str, ...]) -> Origins:
    parsed = []
    for entry in entries:
        scheme, separator, rest = entry.partition("://")
        host, port = _host_and_port(rest if separator else entry)
        parsed.append(Origin(scheme if separator else "", host, port))
    simple = [each for each in parsed if not each.scheme and not each.port and not each.host.startswith("*")]
    return Origins(
        everything="*" in entries,
        plain=frozenset(each.host.removeprefix("www.") for each in simple),
        others=tuple(each for each in parsed if each not in simple and each.host != "*"),
    )


def _addresses(entries: tuple[str, ...]) -> Addresses:
    single = frozenset(entry for entry in entries if "/" not in entry)
    networks = [ip_network(entry) for entry in entries if "/" in entry]
    firsts: dict[int, list[int]] = {}
    lasts: dict[int, list[int]] = {}
    fours = collapse_addresses(network for network in networks if isinstance(network, IPv4Network))
    sixes = collapse_addresses(network for network in networks if isinstance(network, IPv6Network))
    ranges: list[IPv4Network | IPv6Network] = [*fours, *sixes]
    for network in ranges:
        firsts.setdefault(network.version, []).append(int(network.network_address))
        lasts.setdefault(network.version, []).append(int(network.broadcast_address))
    return Addresses(single, firsts, lasts)


def _paths(entries: tuple[str, ...]) -> Paths:
    entries = tuple(entry.rstrip("/") or "/" for entry in entries)  # as stored paths have none at their end either
    whole = {entry for entry in entries if "*" not in entry}
    whole |= {entry[:-2] for entry in entries if entry.endswith("/*") and entry.count("*") == 1 and len(entry) > 2}
    pieces = [tuple(entry.split("*")) for entry in entries if "*" in entry]
    beginnings = tuple(first for first, *rest in pieces if rest == [""])
    return Paths(frozenset(whole), beginnings, tuple(each for each in pieces if each[1:] != ("",)))


def _fits_path(pieces: tuple[str, ...], path: str) -> bool:
    first, *middle, last = pieces
    if not path.startswith(first) or not path.endswith(last) or len(path) < len(first) + len(last):
        return False
    at, end = len(first), len(path) - len(last)
    for piece in middle:
        found = path.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _host_and_port(text: str) -> tuple[str, str]:
    if text.startswith("["):
        host, _, rest = text.partition("]")
        return f"{host}]", rest.removeprefix(":")
    host, _, port = text.partition(":")
    return host.removesuffix("."), port  # With the root's dot it is the same host.


def forget() -> None:
    """Forget the addresses of all requests."""
    _number.cache_clear()


@lru_cache(maxsize=4_096)
def _number(address: str) -> tuple[int, int]:
    """An address as IP version and number; 0 and 0 for what is none."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return 0, 0
    return parsed.version, int(parsed)
