"""How much the box asks at once of one network, whatever names lead there: so that names are no way to flood one."""

import asyncio
import time
from typing import Final

from analytics_box.outgoing.addresses import Address, Network, unwrapped
from analytics_box.outgoing.messages import ms
from analytics_box.turns import Turns

MOST: Final = 32  # checks at once that ask addresses of one /24, or /64 of IPv6
PER_GROUP: Final = 16  # of them, those of one organization
_BYTES: Final = {4: 3, 6: 8}  # of an address that say its network


class Crowd:
    """Who asks which network now. Networks in `exempt`, which the administrator opened, are asked without a bound."""

    def __init__(self, exempt: tuple[Network, ...] = (), most: int = MOST, per_group: int = PER_GROUP) -> None:
        self._exempt, self._most, self._per_group = exempt, most, per_group
        self._networks: dict[bytes, Turns[asyncio.Future[None]]] = {}

    def network_of(self, address: Address) -> bytes | None:
        """What the bound is for; None where there is none."""
        _, inner = unwrapped(address)
        if any(inner in network for network in self._exempt if network.version == inner.version):
            return None
        return inner.packed[: _BYTES[inner.version]]

    async def enter(self, network: bytes, group: str) -> None:
        """Wait for room there; whoever has it gives it back by `leave`."""
        room = self._networks.setdefault(network, Turns(self._most, self._per_group))
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
        """One of this group asks this network no more."""
        room = self._networks[network]
        room.leave(group)
        self._let_in(network, room)

    def _let_in(self, network: bytes, room: Turns[asyncio.Future[None]]) -> None:
        while (found := room.next()) is not None:
            group, let_in = found
            if let_in.done():  # given up meanwhile
                room.leave(group)
            else:
                let_in.set_result(None)
        if not room:
            del self._networks[network]


class Spot:
    """Where one request asks now. `waited` are ms that it had to, and `is_waiting` whether it still does."""

    def __init__(self, crowd: Crowd, group: str) -> None:
        self.waited = 0.0
        self.is_waiting = False
        self._crowd, self._group = crowd, group
        self._network: bytes | None = None

    async def enter(self, address: Address) -> None:
        """Ask this address from now on, and no other."""
        self.leave()
        network = self._crowd.network_of(address)
        if network is None:
            return
        began, self.is_waiting = time.perf_counter(), True
        await self._crowd.enter(network, self._group)
        self._network, self.is_waiting = network, False
        self.waited += ms(began)

    def leave(self) -> None:
        """Ask nobody any more."""
        network, self._network = self._network, None
        if network is not None:
            self._crowd.leave(network, self._group)
