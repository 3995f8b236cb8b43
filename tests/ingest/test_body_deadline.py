"""Reading a body ends at its deadline, and only then is it the client's fault."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from analytics_box.base.errors import BrokenBody, PayloadTooLarge, RequestTimeout
from analytics_box.web import body


def sender(*messages: dict[str, Any]) -> Any:
    """A client that sends these and then nothing any more."""
    waiting = iter(messages)

    async def receive() -> dict[str, Any]:
        message = next(waiting, None)
        if message is None:
            await asyncio.Event().wait()
        return message or {}

    return receive


def read(receive: Any, *, limit: int, seconds: float, length: str = "") -> Coroutine[Any, Any, bytes]:
    headers = [(b"content-length", length.encode())] if length else []
    return body.read_body({"headers": headers}, receive, limit=limit, seconds=seconds)


def part(content: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": content, "more_body": more}


def test_a_body_in_parts_is_put_together() -> None:
    parts = (part(b"a"), part(b""), part(b"bc"), part(b"d", more=False))
    assert asyncio.run(read(sender(*parts), limit=4, seconds=30)) == b"abcd"
    assert asyncio.run(read(sender(part(b"", more=False)), limit=0, seconds=30)) == b""


def test_a_body_as_long_as_was_said_is_whole() -> None:
    assert asyncio.run(read(sender(part(b"abcd")), limit=4, seconds=30, length="4")) == b"abcd"
    parts = (part(b"ab"), part(b"cd"))
    assert asyncio.run(read(sender(*parts), limit=4, seconds=30, length="4")) == b"abcd"
    assert asyncio.run(read(sender(part(b"", more=False)), limit=4, seconds=30, length="0")) == b""
    with pytest.raises(PayloadTooLarge):
        asyncio.run(read(sender(part(b"abcd")), limit=3, seconds=30, length="4"))
    with pytest.raises(BrokenBody):
        asyncio.run(read(sender(part(b"ab"), {"type": "http.disconnect"}), limit=4, seconds=30, length="4"))


def test_oversized_or_missing_body_is_reported() -> None:
    with pytest.raises(PayloadTooLarge):
        asyncio.run(read(sender(part(b"abc"), part(b"de")), limit=4, seconds=30))
    with pytest.raises(BrokenBody):
        asyncio.run(read(sender(part(b"abc"), {"type": "http.disconnect"}), limit=4, seconds=30))


def test_a_body_that_never_ends_is_given_up_and_its_task_lives_on() -> None:
    async def story() -> int:
        with pytest.raises(RequestTimeout, match=r"0\.01 seconds"):
            await read(sender(part(b"abc")), limit=100, seconds=0.01)
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(story()) == 0


def test_a_deadline_in_time_leaves_nothing_behind() -> None:
    async def story() -> bytes:
        found = await read(sender(part(b"abc", more=False)), limit=100, seconds=0)
        for _ in range(5):  # a deadline that was left would end these
            await asyncio.sleep(0)
        return found

    assert asyncio.run(story()) == b"abc"


def test_aborted_request_is_not_answered_with_a_deadline() -> None:
    async def story() -> None:
        task = asyncio.create_task(read(sender(), limit=100, seconds=30))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(story())


def test_bodies_that_stall_together_are_each_given_up_in_time_and_no_other() -> None:
    async def story() -> None:
        patient = asyncio.create_task(read(sender(), limit=100, seconds=30))
        stalled = [read(sender(part(b"abc")), limit=100, seconds=0.01) for _ in range(3)]
        for outcome in await asyncio.gather(*stalled, return_exceptions=True):
            assert isinstance(outcome, RequestTimeout)
        assert not patient.done()
        patient.cancel()

    asyncio.run(story())
