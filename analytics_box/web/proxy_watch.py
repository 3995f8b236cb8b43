"""Notices proxies whose headers do not name clients: all their visitors share the proxy's IP address then.

They are counted as few, and share its limits.
"""

from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple

from analytics_box.base.clock import Clock
from analytics_box.web.address import ProxyFault


class ProxySighting(NamedTuple):
    """A proxy with a fault, and when it was last seen (UTC ms). `proxy` is empty for a Unix socket."""

    proxy: str
    at: int


class ProxyWatch:
    """The last proxy that is not trusted but names clients, and the last trusted one that names unreadable ones."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.untrusted: ProxySighting | None = None
        self.unreadable: ProxySighting | None = None

    def note(self, fault: ProxyFault) -> None:
        """Remember a fault. Any address of the internet can send such a header, so one from there means nothing."""
        if fault.reason == "unreadable":
            self.unreadable = ProxySighting(fault.proxy, self._clock.now())
        elif _is_near(fault.proxy):
            self.untrusted = ProxySighting(fault.proxy, self._clock.now())


def forget() -> None:
    """Forget the addresses of all requests."""
    _is_near.cache_clear()


@lru_cache(maxsize=1_000)
def _is_near(address: str) -> bool:
    """Whether an address is one of this machine or a private network, that of a carrier or a VPN included."""
    return bool(address) and not ip_address(address).is_global
