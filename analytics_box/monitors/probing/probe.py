"""One check of a monitor of any kind, in bounded time and memory, which never raises for what the other side does."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from analytics_box.monitors.monitor import Kind, Monitor
from analytics_box.monitors.probing import dns, http, json_values, ping, tcp, tls
from analytics_box.monitors.probing.asking import Asking
from analytics_box.monitors.probing.assertions import Verdict, judged
from analytics_box.monitors.probing.seen import Seen
from analytics_box.monitors.result import Phases, Reason, Result
from analytics_box.outgoing import messages
from analytics_box.outgoing.client import Client
from analytics_box.outgoing.failures import Failed

_log = logging.getLogger(__name__)
_LONG: Final = 4_096  # bytes of a text that is searched beside everything else

Look = Callable[[Asking], Awaitable[None]]

KINDS: Final[dict[Kind, Look]] = {
    "http": http.look,
    "tcp": tcp.look,
    "dns": dns.look,
    "tls": tls.look,
    "ping": ping.look,
}


class Prober:
    """Checks monitors, all through the one client to the outside."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def check(self, monitor: Monitor, now: int) -> Result:
        """Ask once, within `monitor.seconds`; `now` is UTC ms. Raises nothing but CancelledError."""
        asking = Asking(self._client, monitor, now)
        try:
            look = KINDS.get(monitor.kind)
            if look is None:
                raise Failed("This monitor waits to be told; it is not asked")
            await look(asking)
            _measure(asking)
            verdict = await _judged(monitor, asking.seen, now)
        except Failed as failed:
            _measure(asking)
            return _result(asking, Verdict("fail", str(failed), ()), failed.code)
        except Exception:
            _log.exception("A check of a monitor of the kind %s broke off", monitor.kind)
            _measure(asking)
            return _result(
                asking, Verdict("fail", "The check itself broke off; the log of the box says why", ()), "failed"
            )
        return _result(asking, verdict, _reason(verdict, asking.seen))


def _measure(asking: Asking) -> None:
    if asking.seen.total is None:
        asking.seen.total = asking.elapsed


async def _judged(monitor: Monitor, seen: Seen, now: int) -> Verdict:
    """The verdict; in a thread where a pattern is searched in a long text, which RE2 does without holding others up."""
    assertions = monitor.options.assertions
    if any(each.comparison == "matches" for each in assertions) and len(seen.body or b"") > _LONG:
        return await asyncio.to_thread(judged, assertions, seen, now)
    return judged(assertions, seen, now)


def _reason(verdict: Verdict, seen: Seen) -> Reason:
    if verdict.outcome == "pass":
        return ""
    return "tls" if seen.tls_wrong else "assertion"


def _result(asking: Asking, verdict: Verdict, reason: Reason) -> Result:
    seen, course = asking.seen, asking.course
    return Result(
        at=asking.now,
        outcome=verdict.outcome,
        reason=reason,
        error=verdict.error,
        total=_us(seen.total),
        ttfb=_us(seen.ttfb),
        phases=_phases(course.phases),
        http_code=seen.status or 0,
        bytes=seen.size,
        redirects=course.redirects,
        address=course.address,
        certificate_ends=seen.certificate_ends,
        certificate_valid=seen.certificate_valid,
        held=verdict.held,
        data=_data(asking),
    )


def _phases(found: messages.Phases) -> Phases:
    return Phases(
        dns=_us(found.dns),
        connect=_us(found.connect),
        tls=_us(found.tls),
        first_byte=_us(found.first_byte),
        transfer=_us(found.transfer),
    )


def _us(ms: float | None) -> int | None:
    return None if ms is None else round(ms * 1000)


def _data(asking: Asking) -> str | None:
    wanted, seen = asking.monitor.options.json_parsing, asking.seen
    if not wanted.enabled or not seen.body:
        return None
    try:
        return json_values.kept(json_values.parsed(seen.body, complete=seen.complete), wanted)
    except json_values.NotJson:
        return None
