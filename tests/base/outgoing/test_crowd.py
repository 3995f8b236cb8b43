"""So many requests to one network at once, whatever names lead there, and not all of them those of one group."""

import asyncio
from collections.abc import Coroutine
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from analytics_box.base.outgoing.addresses import Address, Fence
from analytics_box.base.outgoing.crowd import Crowd, CrowdSpot, network_of
from tests.cases import each


@each(
    ("one", "other", "is_same"),
    [
        ("93.184.216.34", "93.184.216.1", True),
        ("93.184.216.34", "93.184.217.34", False),
        ("2606:2800:220:1::1", "2606:2800:220:1:ffff::1", True),
        ("2606:2800:220:1::1", "2606:2800:220:2::1", False),
        ("64:ff9b::5db8:d822", "93.184.216.1", True),
        ("64:ff9b::5db8:d822", "64:ff9b::5db8:d922", False),
    ],
)
def test_a_network_is_a_24_or_a_64(one: str, other: str, is_same: bool) -> None:
    assert (network_of(ip_address(one), Fence()) == network_of(ip_address(other), Fence())) is is_same


def test_opened_private_networks_have_no_bound() -> None:
    fence = Fence((ip_network("192.168.0.0/16"),))
    assert network_of(ip_address("192.168.7.7"), fence) is None
    assert network_of(ip_address("93.184.216.34"), fence) is not None


class Asked:
    """Requests that ask until they are told to end."""

    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd
        self.inside: dict[str, asyncio.Event] = {}
        self.spots: dict[str, CrowdSpot] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def ask(self, name: str, group: str, *addresses: str) -> None:
        self.spots[name] = CrowdSpot(self.crowd, group, Fence())
        self.tasks[name] = asyncio.ensure_future(self._ask(name, [ip_address(each) for each in addresses]))

    async def _ask(self, name: str, addresses: list[Address]) -> None:
        try:
            for address in addresses:
                await self.spots[name].enter(address)
            self.inside[name] = asyncio.Event()
            await self.inside[name].wait()
        finally:
            self.spots[name].leave()
            self.inside.pop(name, None)

    async def moment(self) -> set[str]:
        for _ in range(4):
            await asyncio.sleep(0)
        return {*self.inside}


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(story)


def test_others_wait_and_groups_come_in_turn() -> None:
    async def story() -> None:
        asked = Asked(Crowd(most=3, per_group=2))
        for number in range(3):
            asked.ask(f"one{number}", "one", f"93.184.216.{number + 1}")
        asked.ask("two", "two", "93.184.216.9")
        asked.ask("elsewhere", "one", "93.184.217.9")
        assert await asked.moment() == {"one0", "one1", "two", "elsewhere"}
        assert asked.spots["one2"].is_waiting
        asked.inside["one0"].set()
        assert await asked.moment() == {"one1", "one2", "two", "elsewhere"}
        assert not asked.spots["one2"].is_waiting
        assert asked.spots["one2"].waited > 0
        for event in list(asked.inside.values()):
            event.set()
        await asked.moment()
        assert not asked.crowd._networks

    run(story())


def test_canceled_or_redirected_request_frees_its_place() -> None:
    async def story() -> None:
        asked = Asked(Crowd(most=1))
        for name in ("a", "b", "c"):
            asked.ask(name, "one", "93.184.216.1")
        asked.ask("d", "one", "93.184.216.2", "93.184.217.2")
        assert await asked.moment() == {"a"}
        asked.tasks["b"].cancel()
        asked.inside["a"].set()
        assert await asked.moment() == {"c"}
        asked.tasks["c"].cancel()
        assert await asked.moment() == {"d"}
        asked.inside["d"].set()
        assert await asked.moment() == set()
        with pytest.raises(asyncio.CancelledError):
            await asked.tasks["b"]
        assert not asked.crowd._networks

    run(story())
