"""The networks that monitors look into, each with its own detection of a box that is cut off from it.

A failure on the public internet counts after a canary of the internet has answered, a failure in a private network
after a canary there has. Canaries are the hosts of `monitor_canaries`, each for its own network. In private networks
they are also the hosts of other monitors that are up, because there are no well-known ones.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Final, Literal

from analytics_box.base.clock import MINUTE, Clock
from analytics_box.base.outgoing.addresses import is_internal, is_public
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.monitor import Kind, Monitor
from analytics_box.products.monitors.running.batch import FinishedCheck
from analytics_box.products.monitors.running.isolation import Ask, Isolation, Release
from analytics_box.products.monitors.running.watched import WatchedMonitor, host_of

Network = Literal["internet", "private"]

# After this time, monitors in a private network that is away count as down.
_LONGEST: Final = 5 * MINUTE
_ASKED: Final = 3  # Hosts of other monitors for each look.
_TIMEOUT: Final = 5_000  # The timeout of a canary, in ms.
_PORTS: Final = {"http": 80, "https": 443, "tls": 443}


class Networks:
    """Lets results through once it is clear that the box can reach the network that they are about.

    Without `canaries` the box is never cut off. `monitors` are all monitors of the box by their numbers.
    """

    def __init__(
        self,
        canaries: Sequence[str],
        ask: Ask,
        clock: Clock,
        release: Release,
        monitors: Callable[[], Collection[WatchedMonitor]],
    ) -> None:
        own = [_canary(f"tcp://{canary}", "tcp", "") for canary in canaries]
        private = [one for one in own if network_of(one) == "private"]
        public = [one for one in own if network_of(one) == "internet"]

        def in_private_networks(numbers: Collection[int]) -> list[Monitor]:
            return [*private, *others(monitors(), numbers)] if canaries else []

        self._internet = Isolation("the internet", lambda _: public, ask, clock, release)
        self._private = Isolation(
            "its private networks", in_private_networks, ask, clock, release, learns=bool(canaries), longest=_LONGEST
        )
        self._all = (self._internet, self._private)

    @property
    def answered_at(self) -> int:
        """The time at which a canary of the internet last answered (UTC ms); 0 if they are no evidence.

        What is set is what was known before a restart, of all networks.
        """
        return self._internet.answered_at

    @answered_at.setter
    def answered_at(self, at: int) -> None:
        self._internet.answered_at = self._private.answered_at = at

    @property
    def since(self) -> int | None:
        """The time at which the box was found cut off from a network (UTC ms); None if it can reach all."""
        return min((one.since for one in self._all if one.since is not None), default=None)

    def take(self, finished: FinishedCheck, watched: WatchedMonitor) -> None:
        """A check has ended."""
        draft, number = watched.draft, finished.number
        address = finished.result.address or (draft.last.address if draft.last is not None else "")
        network = self._private if network_of(watched.monitor, address) == "private" else self._internet
        holder = next((one for one in self._all if one.holds(number)), network)  # Results keep their order.
        holder.take(finished, is_down=draft.standing.base == "down", group=watched.monitor.organization_id)

    def look(self) -> None:
        """Ask canaries where it is due."""
        for one in self._all:
            one.look()

    def due_at(self) -> int | None:
        """The time of the next look (UTC ms)."""
        return min((at for one in self._all if (at := one.due_at()) is not None), default=None)

    async def settle(self) -> None:
        """Return when no canary is asked."""
        for one in self._all:
            await one.settle()

    async def stop(self) -> None:
        """Stop asking. Held failures are dropped."""
        for one in self._all:
            await one.stop()


def network_of(monitor: Monitor, address: str = "") -> Network:
    """The network of a monitor's target, by the `address` that a check found, else by the name in its URL."""
    return _network_of(address or host_of(monitor))


def others(monitors: Iterable[WatchedMonitor], numbers: Collection[int]) -> list[Monitor]:
    """Canaries for private networks: hosts of monitors that are up, but for those of the monitors of these numbers.

    Only connections are tried, so that nothing is sent twice. The hosts that answered last come first.
    """
    hosts = {one.host for one in monitors if one.monitor.number in numbers}
    latest: dict[str, tuple[int, Monitor]] = {}
    for one in monitors:
        last = one.draft.last
        if one.monitor.is_paused or one.host in hosts or last is None or one.monitor.kind in {"push", "dns"}:
            continue
        is_up = one.draft.standing.base in {"up", "degraded"} and network_of(one.monitor, last.address) == "private"
        if is_up and (one.host not in latest or latest[one.host][0] < last.at):
            latest[one.host] = last.at, one.monitor
    found = sorted(latest.values(), key=lambda each: each[0], reverse=True)[:_ASKED]
    return [_canary(monitor.url, monitor.kind, monitor.organization_id) for _, monitor in found]


def _canary(url: str, kind: Kind, organization_id: str) -> Monitor:
    """A check that only tries whether the host of this URL can be reached."""
    parts = url_parts(url)
    if kind != "ping":
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        kind, url = "tcp", f"tcp://{host}:{parts.port or _PORTS.get(parts.scheme, 443)}"
    return Monitor(number=0, id="", organization_id=organization_id, kind=kind, url=url, timeout=_TIMEOUT)


@lru_cache(maxsize=20_000)
def _network_of(host: str) -> Network:
    try:
        return "internet" if is_public(ip_address(host)) else "private"
    except ValueError:
        return "private" if is_internal(host) else "internet"
