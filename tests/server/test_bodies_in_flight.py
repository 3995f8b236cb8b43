"""The bytes of bodies that the box holds at the same time are bounded, most tightly for strangers."""

import asyncio
from typing import Any

import pytest

from analytics_box.errors import Unavailable
from analytics_box.http import body
from analytics_box.http.body import BytesInFlight


def request(address: str = "203.0.113.7", *, known: bool = False) -> dict[str, Any]:
    return {"address": address, "known": known, "headers": []}


def test_callers_with_a_credential_have_all_of_it() -> None:
    held = BytesInFlight(100)
    held.take(request(known=True), 100)
    with pytest.raises(Unavailable):
        held.take(request(known=True), 1)


def test_an_address_has_an_eighth_and_strangers_a_quarter() -> None:
    held = BytesInFlight(80)
    held.take(request("203.0.113.7"), 10)
    with pytest.raises(Unavailable):
        held.take(request("203.0.113.7"), 1)
    held.take(request("203.0.113.8"), 10)
    with pytest.raises(Unavailable):
        held.take(request("203.0.113.9"), 1)
    held.take(request(known=True), 60)


def test_ended_request_gives_its_bytes_back() -> None:
    held, scope = BytesInFlight(80), request()
    held.take(scope, 4)
    held.take(scope, 6)
    held.give_back(scope["body_bytes"])
    assert len(held) == 0
    held.take(request(), 10)


def test_body_in_pieces_is_counted_while_it_arrives_and_one_in_one_piece_is_not() -> None:
    async def story(pieces: list[bytes]) -> int:
        held, scope = BytesInFlight(100), request()
        scope["bodies"] = held
        coming = iter(pieces)

        async def receive() -> dict[str, Any]:
            content = next(coming)
            return {"type": "http.request", "body": content, "more_body": content != pieces[-1]}

        await body.read(scope, receive, limit=100, seconds=30)
        return len(held)

    assert asyncio.run(story([b"abcdefgh"])) == 0
    assert asyncio.run(story([b"abcd", b"ef"])) == 4
    with pytest.raises(Unavailable):
        asyncio.run(story([b"x" * 10, b"y" * 10, b"z"]))
