"""Long answers are sent in pieces, and end if they are not read."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from analytics_box.web.unread import PIECE, NotRead, UnreadAnswers
from tests.inprocess import WholeBox, whole_box


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data") as made:
        yield made


CONTENT = b"x" * (5 * PIECE + 7)


class Client:
    """A client that reads a number of pieces and then nothing."""

    def __init__(self, reads: int) -> None:
        self.got: list[dict[str, Any]] = []
        self._reads = reads

    async def send(self, message: dict[str, Any]) -> None:
        if len(self.got) == self._reads:
            await asyncio.Event().wait()
        self.got.append(message)


def test_answer_arrives_whole_in_pieces() -> None:
    client, unread = Client(reads=100), UnreadAnswers()
    asyncio.run(unread.send(client.send, CONTENT, network="one", more=False))
    assert b"".join(message["body"] for message in client.got) == CONTENT
    assert [message["more_body"] for message in client.got] == [True] * 5 + [False]
    assert max(len(message["body"]) for message in client.got) == PIECE
    assert (len(unread), unread.held) == (0, 0)


def test_part_of_a_stream_is_not_its_end() -> None:
    client = Client(reads=100)
    asyncio.run(UnreadAnswers().send(client.send, CONTENT, network="one", more=True))
    assert all(message["more_body"] for message in client.got)


def test_answer_without_progress_is_broken_off() -> None:
    unread = UnreadAnswers(patience=0)
    with pytest.raises(NotRead):
        asyncio.run(unread.send(Client(reads=2).send, CONTENT, network="one", more=False))
    assert (len(unread), unread.held) == (0, 0)


def test_shared_content_counts_once() -> None:
    async def story() -> tuple[int, int]:
        unread = UnreadAnswers()
        first = asyncio.create_task(unread.send(Client(0).send, CONTENT, network="one", more=False))
        await asyncio.sleep(0)
        alone = unread.held
        second = asyncio.create_task(unread.send(Client(0).send, CONTENT, network="two", more=False))
        await asyncio.sleep(0)
        both = unread.held
        for task in (first, second):
            task.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert unread.held == 0
        return alone, both

    alone, both = asyncio.run(story())
    assert both == 2 * (alone - len(CONTENT)) + len(CONTENT)


def test_crowded_address_makes_room_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_box.web.unread._LATE", -1.0)

    async def story() -> Counter[str]:
        unread = UnreadAnswers(most_bytes=1_000_000)
        networks = ["quiet", *["loud"] * 8]
        tasks = [
            asyncio.create_task(unread.send(Client(0).send, CONTENT, network=network, more=False))
            for network in networks
        ]
        for _ in range(10):
            await asyncio.sleep(0)
        unread.make_room()
        for _ in range(10):
            await asyncio.sleep(0)
        assert unread.held <= 1_000_000
        ended = Counter(network for network, task in zip(networks, tasks, strict=True) if task.done())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return ended

    ended = asyncio.run(story())
    assert ended["quiet"] == 0
    assert ended["loud"] >= 2


@pytest.mark.parametrize("path", ["/openapi.json", "/sign-in"])
def test_stranger_who_reads_nothing_writes_no_error_into_the_log(
    box: WholeBox, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def unread(*_: Any, **__: Any) -> None:
        raise NotRead("The client does not read its answer")

    monkeypatch.setattr(UnreadAnswers, "send", unread)
    monkeypatch.setattr("analytics_box.web.front.PIECE", 10)
    box.ask("GET", path)
    assert not caplog.records
