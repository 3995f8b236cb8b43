"""Checks as tests make them: a monitor in one line, and one check of it on the loop that the box runs on."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

import uvloop

from analytics_box.products.monitors.monitor import (
    Assertion,
    Comparison,
    Kind,
    Monitor,
    MonitorSecrets,
    Options,
    Subject,
)
from analytics_box.products.monitors.probing.probe import Prober
from analytics_box.products.monitors.result import CheckResult
from tests.base.outgoing.places import Names, clients_of

NOW = 1_795_000_000_000
T = TypeVar("T")


def monitor(
    url: str, kind: Kind = "http", *, secrets: MonitorSecrets | None = None, ms: int = 5_000, **options: Any
) -> Monitor:
    """One that gives a check so many ms."""
    cache_bust = options.pop("cache_bust", False)
    return Monitor(
        number=1,
        id="m",
        organization_id="o",
        kind=kind,
        url=url,
        timeout=ms,
        cache_bust=cache_bust,
        options=Options(**options),
        secrets=secrets or MonitorSecrets(),
    )


def that(subject: Subject, comparison: Comparison, value: str = "", **more: Any) -> tuple[Assertion, ...]:
    """One assertion, as a monitor has them."""
    return (Assertion(subject, comparison, value, **more),)


async def check(asked: Monitor, server: Names | None = None, **given: Any) -> CheckResult:
    """One check through a client that may reach the tests' own address."""
    return await Prober(clients_of(server, **given)).check(asked, NOW)


def run(work: Awaitable[T]) -> T:
    """On the loop that the box runs on."""

    async def main() -> T:
        return await work

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main())
