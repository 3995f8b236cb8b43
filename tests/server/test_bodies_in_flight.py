"""The bytes of bodies that the box holds at the same time are bounded, most tightly for strangers."""

import asyncio
from typing import Any

import pytest

from analytics_box.base.errors import BrokenBody, Unavailable
from analytics_box.web import body
from analytics_box.web.body import BytesInFlight


def request(address: str = "203.0.113.7", *, known: str = "") -> dict[str, Any]:
    return {"address": address, "known": known, "headers": []}


def test_callers_with_a_credential_have_half_each_and_together_all_of_it() -> None:
    held = BytesInFlight(100)
    for known in ("organization:one", "user:two"):
        held.take(request(known=known), 50)
        with pytest.raises(Unavailable):
            held.take(request(known=known), 1)
    with pytest.raises(Unavailable):
        held.take(request(known="user:three"), 1)


def test_large_bodies_leave_room_for_small_ones() -> None:
    held = BytesInFlight(32 << 20)
    for number in range(3):
        held.take(request(known=f"organization:{number}"), 8 << 20)
    with pytest.raises(Unavailable):
        held.take(request(known="user:file"), 8 << 20)
    held.take(request(known="user:question"), 100_000)
    held.take(request("203.0.113.7"), 60_000)


def test_an_address_has_an_eighth_and_strangers_a_quarter() -> None:
    held = BytesInFlight(80)
    held.take(request("203.0.113.7"), 10)
    with pytest.raises(Unavailable):
        held.take(request("203.0.113.7"), 1)
    held.take(request("203.0.113.8"), 10)
    with pytest.raises(Unavailable):
        held.take(request("203.0.113.9"), 1)
    held.take(request(known="user:one"), 40)


def test_ended_request_gives_its_bytes_back() -> None:
    held, scope = BytesInFlight(80), request()
    held.take(scope, 4)
    held.take(scope, 6)
    held.give_back(scope["body_bytes"])
    assert len(held) == 0
    held.take(request(), 10)


def test_empty_pieces_of_two_requests_are_given_back() -> None:
    held, scopes = BytesInFlight(80), [request(), request()]
    for scope in scopes:
        held.take(scope, 0)
    for scope in scopes:
        held.give_back(scope["body_bytes"])
    assert len(held) == 0


def test_body_in_pieces_is_counted_while_it_arrives_and_one_in_one_piece_is_not() -> None:
    async def story(pieces: list[bytes]) -> int:
        held, scope = BytesInFlight(100), request()
        scope["bodies"] = held
        coming = iter(pieces)

        async def receive() -> dict[str, Any]:
            content = next(coming)
            return {"type": "http.request", "body": content, "more_body": content != pieces[-1]}

        await body.read_body(scope, receive, limit=100, seconds=30)
        return len(held)

    assert asyncio.run(story([b"abcdefgh"])) == 0
    assert asyncio.run(story([b"abcd", b"ef"])) == 4
    with pytest.raises(Unavailable):
        asyncio.run(story([b"x" * 10, b"y" * 10, b"z"]))


@pytest.mark.parametrize("length", [{}, {"headers": [(b"content-length", b"64000")]}])
def test_body_in_many_short_pieces_is_refused_before_most_of_them_are_read(length: dict[str, Any]) -> None:
    async def story(size: int) -> int:
        scope, taken = request() | length, 0
        scope["bodies"] = BytesInFlight(1 << 20)

        async def receive() -> dict[str, Any]:
            nonlocal taken
            taken += 1
            return {"type": "http.request", "body": b"x" * size, "more_body": taken * size < 64_000}

        try:
            await body.read_body(scope, receive, limit=64_000, seconds=30)
        except BrokenBody:
            return taken
        return 0

    assert 0 < asyncio.run(story(1)) < 500
    assert 0 < asyncio.run(story(32)) < 500
    assert asyncio.run(story(500)) == 0


def test_only_so_many_refused_bodies_are_passed_over_at_once() -> None:
    declared = request() | {"headers": [(b"content-length", b"1000000")]}

    async def story() -> tuple[int, int]:
        asked, ends = 0, asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal asked
            asked += 1
            await ends.wait()
            return {"type": "http.request", "body": b"", "more_body": False}

        tasks = [asyncio.create_task(body.pass_over(declared, receive)) for _ in range(body.MOST_PASSED_OVER + 5)]
        await asyncio.sleep(0)
        first = asked
        ends.set()
        await asyncio.gather(*tasks)
        await body.pass_over(declared, receive)
        return first, asked

    assert asyncio.run(story()) == (body.MOST_PASSED_OVER, body.MOST_PASSED_OVER + 1)
