"""The corpus of hostile addresses, as the target of a check of every kind and as its name server."""

import re
from typing import Any

from analytics_box.products.monitors.monitor import Kind
from tests.base.outgoing.hostile import ADDRESSES, NAMES, PUBLIC
from tests.base.outgoing.places import names, web
from tests.products.monitors.probing.checking import check, monitor, run

_HOST = re.compile(r"https?://(\[[^\]]*\]|[^/:@\\]+)(?!\S*@)")
HOSTS = sorted({found[1] for url in ADDRESSES if (found := _HOST.match(url))} - {PUBLIC})


def asked(kind: Kind, host: str, port: int) -> dict[str, Any]:
    """What is given to a monitor of this kind that is to reach the host."""
    if kind == "dns":
        return {"url": "dns://example.com", "server": f"{host}:{port}"}
    place = {"ping": host, "http": f"{host}:{port}/"}.get(kind, f"{host}:{port}")
    return {"url": f"{kind}://{place}"}


def test_none_is_reached_by_a_check_of_any_kind() -> None:
    async def verdicts() -> dict[str, str]:
        found: dict[str, str] = {}
        async with names() as server, web("127.0.0.1") as victim:
            server.records |= {name: [answers] for name, answers in NAMES.items()}
            kinds: tuple[Kind, ...] = ("http", "tcp", "tls", "ping", "dns")
            for kind in kinds:
                for host in HOSTS:
                    result = await check(monitor(kind=kind, **asked(kind, host, victim.port)), server)
                    found[f"{kind} {host}"] = result.reason
            assert victim.connections == 0
            assert {"example.com"}.isdisjoint(name for name, _ in server.asked)
        return found

    found = run(verdicts())
    assert len(HOSTS) >= 60
    assert {what: reason for what, reason in found.items() if reason != "refused"} == {}
