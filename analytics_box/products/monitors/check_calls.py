"""Checks of monitors at once, over RPC (wire 8.1). Scope: write:monitors."""

import asyncio
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.translation import _
from analytics_box.products.monitors.access import find_monitor
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.editing.draft import apply_fields
from analytics_box.products.monitors.editing.messages import TryMonitor
from analytics_box.products.monitors.editing.shown import CheckAnswer, check_answer
from analytics_box.products.monitors.engine import MonitorEngine
from analytics_box.products.monitors.messages import MonitorId
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.resource.reach import check, reach
from analytics_box.web.call import Call

CHECKS: Final = 30  # a minute, for each caller
_SECONDS: Final = 10.0  # that an answer waits for a check
_WAITS: Final = "This monitor waits for heartbeats and cannot be checked"


class ManualCheckAnswer(Struct, frozen=True):
    """A check has begun. `check` is what it found; null if it is not over within ten seconds."""

    check: CheckAnswer | None
    success: bool = True


async def manual_check(call: Call, given: MonitorId) -> ManualCheckAnswer:
    """uptime.manualCheck: check a monitor now and store the result. Raises Forbidden, NotFound, RateLimited,
    Unavailable, or BadRequest for one that is paused."""
    acting, found = find_monitor(call, given.scheduleId)
    await call.read(lambda db: check(db, acting, "member"))
    monitors = call.parts[Monitors]
    if found.kind == "push":
        raise BadRequest(_WAITS)
    if monitors.rests(found):
        raise BadRequest(monitors.problem(found) or "This monitor is paused. Resume it first")
    engine = _engine(call)
    task = asyncio.create_task(engine.check_now(found.number))
    done, _rest = await asyncio.wait({task}, timeout=_SECONDS)
    if not done:
        _WAITED_FOR.add(task)
        task.add_done_callback(_WAITED_FOR.discard)
        return ManualCheckAnswer(None)
    return ManualCheckAnswer(check_answer(task.result(), found))


_WAITED_FOR: set[asyncio.Task[CheckResult]] = set()  # or nothing would hold them


async def try_check(call: Call, given: TryMonitor) -> CheckAnswer:
    """uptime.tryCheck: check a monitor without storing anything. Raises Forbidden, NotFound, BadRequest, RateLimited or
    Unavailable."""
    acting = reach(call, given.organization_id, restricted=True)
    if given.schedule_id is not None:
        acting, found = find_monitor(call, given.schedule_id)
        wanted = apply_fields(found, given, call.parts[MonitorTools].fence_of(acting))
    else:
        wanted = change.draft_monitor(call.parts[MonitorTools].fence_of(acting), acting, given, given.kind)
    await call.read(lambda db: check(db, acting, "member"))
    if wanted.kind == "push":
        raise BadRequest(_WAITS)
    return check_answer(await _engine(call).try_now(_free(wanted)), wanted)


def _free(monitor: Monitor) -> Monitor:
    """The monitor as one that nothing else is known of."""
    return replace(monitor, number=0, is_paused=False, parent_id=None)


def _engine(call: Call) -> MonitorEngine:
    """The engine that runs monitors. Raises RateLimited, or Unavailable if there is none."""
    call.parts.limits.take("monitor checks", call.identity.limit_name, CHECKS)
    engine = call.parts[Monitors].engine
    if engine is None:
        raise Unavailable(_("The server is not running, so monitors are not checked"))
    return engine
