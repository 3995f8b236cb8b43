"""Receivers that answer without end or not at all: bounded time and memory, and a message that is tried again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.notify import send
from tests.tenants.configuration.world import World, world_in

MEGABYTE = bytes(1_000_000)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path / "data") as found:
        found.channel()
        found.tell("incident 1")
        yield found


def outcome(here: World) -> tuple[str, str | None]:
    here.box.run(here.box.box.deliveries.run())
    (found,) = here.call("ada", "config.listDeliveries")["deliveries"]
    return found["status"], found["error"]


def test_of_an_answer_without_end_only_the_beginning_is_read(here: World) -> None:
    written = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        try:
            for _ in range(1_000):
                writer.write(MEGABYTE)
                await writer.drain()
                written += 1
        except OSError:
            pass
        finally:
            writer.close()

    here.web.serve = serve  # type: ignore[method-assign]  # the server calls it by name
    assert outcome(here) == ("sent", None)
    assert written < 50


def test_silent_mail_server_times_out(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "SECONDS", 0.05)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        await reader.read()  # until the other side hangs up
        writer.close()

    here.web.serve = serve  # type: ignore[method-assign]  # the server calls it by name
    status, error = outcome(here)
    assert status == "waiting"
    assert error is not None
    assert error.startswith("No complete response within")
