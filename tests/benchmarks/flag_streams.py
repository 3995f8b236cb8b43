"""Streams of changed flags: what they take of memory and of the processor, how soon a change reaches the last client,
and what others wait meanwhile."""

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.benchmarks.figures import machine, percentile, report
from tests.benchmarks.server import box, memory_mb, processor_seconds
from tests.running import Account, Server

CHANGES = 10
IDLE_SECONDS = 30
_WARM = 200  # requests before memory is looked at


class Client:
    """An open stream: what it was told so far."""

    def __init__(self) -> None:
        self.events = 0
        self.told = asyncio.Event()
        self.opened = asyncio.Event()
        self.writer: asyncio.StreamWriter | None = None

    async def listen(self, host: str, port: int, target: str) -> None:
        """Read until the server ends the stream."""
        reader, self.writer = await asyncio.open_connection(host, port)
        self.writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode())
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                if line.startswith(b"retry:"):
                    self.opened.set()
                elif line.startswith(b"data:"):
                    self.events += 1
                    self.told.set()


def main(number: int) -> None:
    """Print the figures of so many streams."""
    machine()
    changed = {"max_connections_address": 0, "flag_streams_address": number, "flag_streams": number}
    with tempfile.TemporaryDirectory() as folder, box(Path(folder) / "data", **changed) as (server, account):
        asyncio.run(_run(server, account, number))
        began = time.monotonic()
        server.stop()
        report("flag streams, stop of the box", stop_seconds=time.monotonic() - began)


async def _run(server: Server, account: Account, number: int) -> None:
    async with httpx.AsyncClient(base_url=server.url, headers={"x-api-key": account.api_key}) as http:
        flag = await _call(http, "flags/create", {"websiteId": account.website_id, "key": "load", "type": "boolean"})
        bulk = f"/public/v1/flags/{account.website_id}/ofrep/v1/evaluate/flags"
        for _ in range(_WARM):
            answer = await http.post(bulk, json={"context": {}})
        target: str = answer.json()["eventStreams"][0]["endpoint"]["requestUri"]
        pid, before = server.process.pid, memory_mb(server.process.pid)
        clients = [Client() for _ in range(number)]
        address = urlsplit(server.url)
        tasks = []
        for client in clients:
            tasks.append(asyncio.create_task(client.listen(address.hostname or "", address.port or 0, target)))
            await client.opened.wait()
        report("flag streams, open", streams=number, memory_mb=memory_mb(pid) - before, all_mb=memory_mb(pid))
        used = processor_seconds(pid)
        await asyncio.sleep(IDLE_SECONDS)
        report("flag streams, idle", processor_percent=(processor_seconds(pid) - used) / IDLE_SECONDS * 100)
        await _change(http, str(flag["id"]), clients, pid)
        for client in clients[number // 2 :]:
            if client.writer is not None:
                client.writer.close()
        await asyncio.sleep(2)
        report("flag streams, half have left", all_mb=memory_mb(pid))
        for task in tasks:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _change(http: httpx.AsyncClient, flag: str, clients: list[Client], pid: int) -> None:
    """Change the flag some times: when each client has heard of it, counted from before the request."""
    first, last, others = [], [], []
    used = processor_seconds(pid)
    for number in range(CHANGES):
        for client in clients:
            client.told.clear()
        began = time.perf_counter()
        changing = asyncio.create_task(_call(http, "flags/update", {"id": flag, "defaultValue": number % 2 == 0}))
        telling = asyncio.create_task(_told(clients, began))
        while not telling.done():
            asked = time.perf_counter()
            assert (await http.get("/health")).status_code == 200
            others.append((time.perf_counter() - asked) * 1000)
        await changing
        first.append((await telling)[0])
        last.append((await telling)[1])
        await asyncio.sleep(0.5)
    report(
        "flag streams, changes",
        first_ms=max(first),
        last_ms=max(last),
        health_p99_ms=percentile(others, 99),
        health_slowest_ms=max(others),
        processor_ms_of_a_change=(processor_seconds(pid) - used) / CHANGES * 1000,
    )


async def _told(clients: list[Client], began: float) -> tuple[float, float]:
    """When the first and the last client have heard, in ms."""
    waiting = [asyncio.create_task(client.told.wait()) for client in clients]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    first = (time.perf_counter() - began) * 1000
    await asyncio.wait(waiting)
    return first, (time.perf_counter() - began) * 1000


async def _call(http: httpx.AsyncClient, procedure: str, given: dict[str, object]) -> dict[str, object]:
    answer = await http.post(f"/{procedure}", json=given)
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found
