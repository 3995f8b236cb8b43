"""Turns of one address: so many at once, the others in their order, and nothing kept of who has left."""

import asyncio

from analytics_box.web.turns import RequestTurns


def test_others_of_the_same_address_wait_and_another_address_does_not() -> None:
    assert asyncio.run(_began()) == {"one": ["first", "second", "third"], "other": ["fourth"]}


async def _began() -> dict[str, list[str]]:
    turns, ends = RequestTurns(2), {name: asyncio.Event() for name in ("first", "second", "third", "fourth")}
    began: dict[str, list[str]] = {"one": [], "other": []}

    async def ask(address: str, name: str) -> None:
        async with turns.of(address):
            began[address].append(name)
            await ends[name].wait()

    asked = {name: asyncio.create_task(ask("one", name)) for name in ("first", "second", "third")}
    asked["fourth"] = asyncio.create_task(ask("other", "fourth"))
    await asyncio.sleep(0)
    assert began == {"one": ["first", "second"], "other": ["fourth"]}
    ends["second"].set()
    await asked["second"]
    for end in ends.values():
        end.set()
    await asyncio.gather(*asked.values())
    return began


def test_a_turn_is_given_back_by_who_fails_or_leaves_while_waiting() -> None:
    asyncio.run(_fail())


async def _fail() -> None:
    turns = RequestTurns(1)

    async def fail() -> None:
        async with turns.of("one"):
            await asyncio.sleep(0)
            raise ValueError

    failing, leaving = asyncio.create_task(fail()), asyncio.create_task(fail())
    await asyncio.sleep(0)
    leaving.cancel()
    assert [type(end) for end in await asyncio.gather(failing, leaving, return_exceptions=True)] == [
        ValueError,
        asyncio.CancelledError,
    ]
    async with turns.of("one"):
        pass
    assert not turns._under_way
    assert not turns._free
