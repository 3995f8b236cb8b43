"""A check of a monitor of any kind, in bounded time and memory. It never raises because of the other side."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from analytics_box.base.errors import Unavailable
from analytics_box.base.outgoing import messages
from analytics_box.base.outgoing.client import Clients
from analytics_box.base.outgoing.crowd import Crowd, CrowdSpot
from analytics_box.base.outgoing.failures import RequestFailed
from analytics_box.base.outgoing.fences import ADMINISTRATOR, member_of
from analytics_box.base.outgoing.messages import CANARIES, BodyBudget, RequestCourse, Share
from analytics_box.base.translation import _
from analytics_box.products.monitors.monitor import Kind, Monitor
from analytics_box.products.monitors.probing import http, json_values, kinds
from analytics_box.products.monitors.probing.asking import RunningCheck
from analytics_box.products.monitors.probing.assertions import Verdict, evaluate_assertions
from analytics_box.products.monitors.probing.seen import CheckObservations
from analytics_box.products.monitors.result import CheckPhases, CheckResult, Reason

_log = logging.getLogger(__name__)
_LONG: Final = 4_096  # bytes of an answer that is looked at beside everything else

Look = Callable[[RunningCheck], Awaitable[None]]

KINDS: Final[dict[Kind, Look]] = {
    "http": http.look,
    "tcp": kinds.check_tcp,
    "dns": kinds.check_dns,
    "tls": kinds.check_tls,
    "ping": kinds.check_ping,
}


class Prober:
    """Checks monitors, each as a member of its organization."""

    def __init__(self, clients: Clients, budget: BodyBudget | None = None, crowd: Crowd | None = None) -> None:
        self._clients = clients
        self._budget = budget or BodyBudget()
        self._crowd = crowd or Crowd()

    async def check(self, monitor: Monitor, now: int) -> CheckResult:
        """Ask once, within `monitor.seconds`; `now` is UTC ms.

        Raises Unavailable where the box has no room for the check, so that it says nothing; and CancelledError.
        """
        group = monitor.organization_id or CANARIES
        client = self._clients.of(member_of(monitor.organization_id) if monitor.organization_id else ADMINISTRATOR)
        spot = CrowdSpot(self._crowd, group, client.fence)
        try:
            with Share(self._budget, group) as share:
                found = await _run_check(
                    RunningCheck(client, monitor, now, share, course=RequestCourse(group=group, spot=spot))
                )
        finally:
            spot.leave()
        if spot.is_waiting and found.reason == "timeout":
            raise Unavailable(_("The check did not start because other checks of the same network took too long"))
        return found


async def _run_check(asking: RunningCheck) -> CheckResult:
    monitor = asking.monitor
    try:
        look = KINDS.get(monitor.kind)
        if look is None:
            raise RequestFailed(_("This monitor waits to be told; it is not asked"))
        await look(asking)
        _measure(asking)
        verdict, data = await _judge_answer(monitor, asking.seen, asking.now)
    except RequestFailed as failed:
        _measure(asking)
        return _result(asking, Verdict("fail", str(failed), ()), failed.code)
    except Exception:
        _log.exception("A check of a monitor of the kind %s broke off", monitor.kind)
        _measure(asking)
        return _result(
            asking, Verdict("fail", "The check failed because of an internal error. See the server log", ()), "failed"
        )
    if asking.share.is_short and verdict.outcome != "pass" and _is_by_body(asking):
        raise Unavailable(_("The response could not be read because running checks use all the memory for responses"))
    return _result(asking, verdict, _reason(verdict, asking.seen), data)


def _is_by_body(asking: RunningCheck) -> bool:
    """Whether it would have passed but for what was not kept of the answer."""
    others = tuple(each for each in asking.monitor.options.assertions if each.subject not in {"body", "json"})
    return evaluate_assertions(others, asking.seen, asking.now).outcome == "pass"


def _measure(asking: RunningCheck) -> None:
    if asking.seen.total is None:
        asking.seen.total = asking.elapsed


async def _judge_answer(monitor: Monitor, seen: CheckObservations, now: int) -> tuple[Verdict, str | None]:
    """The verdict, and JSON text of what is kept; of a long answer in a thread, so that nothing else waits."""
    if len(seen.body or b"") > _LONG:
        return await asyncio.to_thread(_judge, monitor, seen, now)
    return _judge(monitor, seen, now)


def _judge(monitor: Monitor, seen: CheckObservations, now: int) -> tuple[Verdict, str | None]:
    return evaluate_assertions(monitor.options.assertions, seen, now), _data(monitor, seen)


def _reason(verdict: Verdict, seen: CheckObservations) -> Reason:
    if verdict.outcome == "pass":
        return ""
    if seen.tls_wrong:
        return "tls"
    return "bad_answer" if seen.unreadable and verdict.error == seen.unreadable else "assertion"


def _result(asking: RunningCheck, verdict: Verdict, reason: Reason, data: str | None = None) -> CheckResult:
    seen, course = asking.seen, asking.course
    return CheckResult(
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
        data=data,
    )


def _phases(found: messages.RequestPhases) -> CheckPhases:
    return CheckPhases(
        dns=_us(found.dns),
        connect=_us(found.connect),
        tls=_us(found.tls),
        first_byte=_us(found.first_byte),
        transfer=_us(found.transfer),
    )


def _us(ms: float | None) -> int | None:
    return None if ms is None else round(ms * 1000)


def _data(monitor: Monitor, seen: CheckObservations) -> str | None:
    wanted = monitor.options.json_parsing
    if not wanted.enabled or not seen.body:
        return None
    try:
        return json_values.extract_values(json_values.parse_json(seen.body, complete=seen.complete), wanted)
    except json_values.NotJson:
        return None
