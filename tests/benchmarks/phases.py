"""Phases of checks beside those of `curl -w`, on a server of this machine that lets both wait for known times."""

import asyncio
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from statistics import median
from typing import Final

import uvloop

from analytics_box.base.outgoing.client import Clients, Trust
from analytics_box.base.outgoing.fences import ALL, Fences
from analytics_box.base.outgoing.resolve import SystemResolver
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.probing.probe import Prober
from analytics_box.products.monitors.result import CheckResult
from tests.base.outgoing.places import PEM
from tests.products.monitors.faults import secure

BEFORE, BETWEEN = 0.025, 0.030  # seconds before the first byte, and in the middle of the body
STEPS: Final = ("dns", "connect", "tls", "first_byte", "transfer", "total")
_TIMES: Final = ("namelookup", "connect", "appconnect", "pretransfer", "starttransfer", "total")
_WRITTEN: Final = "{" + ",".join(f'"{name}":%{{time_{name}}}' for name in _TIMES) + "}"
_BODY: Final = b"x" * 20_000


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(BEFORE)
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % (2 * len(_BODY)) + _BODY)
    await writer.drain()
    await asyncio.sleep(BETWEEN)
    writer.write(_BODY)
    writer.close()


@contextmanager
def _served(context: ssl.SSLContext | None) -> Iterator[int]:
    """The port of the server, which has a thread and a loop of its own."""
    loop, ports = asyncio.new_event_loop(), []

    async def listen() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0, ssl=context)
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()

    ready = threading.Event()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(listen(), loop)
    ready.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def main(rounds: int) -> None:
    """Ask both in turns; medians in ms, and how far they are apart."""
    for scheme in ("http", "https"):
        with (
            _served(secure() if scheme == "https" else None) as port,
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            trust = ssl.create_default_context(cafile=PEM)
            trust.check_hostname = False
            prober = Prober(
                Clients(
                    Fences((ip_network("127.0.0.0/8"),), opened=lambda _: ALL),
                    SystemResolver(),
                    agent="",
                    trust=Trust(trust),
                )
            )
            url = f"{scheme}://localhost:{port}/"
            asked = Monitor(number=1, id="", organization_id="", url=url)
            runner.run(prober.check(asked, 0))
            ours, theirs = [], []
            for _ in range(rounds):
                ours.append(_ours(runner.run(prober.check(asked, 0))))
                theirs.append(_theirs(url))
                time.sleep(0.01)
        for step in STEPS:
            one, other = (median(each[step] for each in found) for found in (ours, theirs))
            print(json.dumps({"scheme": scheme, "step": step, "check": one, "curl": other, "apart": abs(one - other)}))


def _ours(found: CheckResult) -> dict[str, float]:
    steps = {step: getattr(found.phases, step) for step in STEPS[:-1]} | {"total": found.total}
    return {step: round((took or 0) / 1000, 3) for step, took in steps.items()}


def _theirs(url: str) -> dict[str, float]:
    said = subprocess.run(
        ["curl", "-4sk", "--http1.1", "-o", "/dev/null", "-w", _WRITTEN, url], capture_output=True, check=True
    ).stdout
    at = json.loads(said)
    secured = at["appconnect"] or at["connect"]
    steps = {
        "dns": at["namelookup"],
        "connect": at["connect"] - at["namelookup"],
        "tls": secured - at["connect"],
        "first_byte": at["starttransfer"] - at["pretransfer"],
        "transfer": at["total"] - at["starttransfer"],
        "total": at["total"],
    }
    return {step: round(took * 1000, 3) for step, took in steps.items()}
