"""Notices a proxy on this machine or in its network whose word about clients is not believed, because nobody said so.

Then all visitors have the proxy's IP address: they count as few, and share its limits.
"""

from functools import lru_cache
from ipaddress import ip_address

from analytics_box.clock import Clock


class ProxyWatch:
    """When a header of such a proxy was last seen (UTC ms); none from an address of the internet, where anybody can
    send one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.ignored_at: int | None = None

    def ignored(self, peer: str) -> None:
        """A peer that is no trusted proxy named its client. `peer` is its address in its one spelling."""
        if _is_near(peer):
            self.ignored_at = self._clock.now()


@lru_cache(maxsize=1_000)
def _is_near(address: str) -> bool:
    return bool(address) and ip_address(address).is_private
