"""A limit on simultaneous requests to one network, whatever names lead there: so that names are no way to flood one."""

import asyncio
import time
from typing import Final

from analytics_box.base.outgoing.addresses import Address, Fence, unwrap_address
from analytics_box.base.outgoing.messages import ms
from analytics_box.base.turns import FairQueue

MOST: Final = 32  # checks at once that ask addresses of one /24, or /64 of IPv6
PER_GROUP: Final = 16  # of them, those of one organization
_BYTES: Final = {4: 3, 6: 8}  # of an address that say its network


class Crowd:
    """The askers of each network now."""

    def __init__(self, most: int = MOST, per_group: int = PER_GROUP) -> None:
        self._most, self._per_group = most, per_group
        self._networks: dict[bytes, FairQueue[asyncio.Future[None]]] = {}

    async def enter(self, network: bytes, group: str) -> None:
        """Wait for room there. Return it with `leave`."""
        room = self._networks.setdefault(network, FairQueue(self._most, self._per_group))
        let_in: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        room.add(group, let_in)
        self._let_in(network, room)
        try:
            await let_in
        except asyncio.CancelledError:
            if let_in.done() and not let_in.cancelled():
                self.leave(network, group)
            raise

    def leave(self, network: bytes, group: str) -> None:
        """Remove a request of this group to this network."""
        room = self._networks[network]
        room.leave(group)
        self._let_in(network, room)

    def _let_in(self, network: bytes, room: FairQueue[asyncio.Future[None]]) -> None:
        while (found := room.next()) is not None:
            group, let_in = found
            if let_in.done():  # given up in the meantime
                room.leave(group)
            else:
                let_in.set_result(None)
        if not room:
            del self._networks[network]


def network_of(address: Address, fence: Fence) -> bytes | None:
    """The network that the bound applies to; None for private networks that are open to the asker, as it has none."""
    _, inner = unwrap_address(address)
    return None if fence.opens(inner) else inner.packed[: _BYTES[inner.version]]


class CrowdSpot:
    """The network that a request now has a place for. `waited` are ms that it had to, and `is_waiting` whether it still
    does.
    """

    def __init__(self, crowd: Crowd, group: str, fence: Fence) -> None:
        self.waited = 0.0
        self.is_waiting = False
        self._crowd, self._group, self._fence = crowd, group, fence
        self._network: bytes | None = None

    async def enter(self, address: Address) -> None:
        """Ask this address from now on, and no other."""
        self.leave()
        network = network_of(address, self._fence)
        if network is None:
            return
        began, self.is_waiting = time.perf_counter(), True
        await self._crowd.enter(network, self._group)
        self._network, self.is_waiting = network, False
        self.waited += ms(began)

    def leave(self) -> None:
        """Free the place that this request has at a network."""
        network, self._network = self._network, None
        if network is not None:
            self._crowd.leave(network, self._group)
