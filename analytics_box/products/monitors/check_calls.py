"""Checks of monitors at once, over RPC (wire 8.1). Scope: write:monitors."""

import asyncio
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.products.monitors.access import check, known, reach
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import Tools
from analytics_box.products.monitors.editing.draft import applied
from analytics_box.products.monitors.editing.messages import TriedMonitor
from analytics_box.products.monitors.editing.shown import CheckShown, check_shown
from analytics_box.products.monitors.engine import Engine
from analytics_box.products.monitors.messages import OneSchedule
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import Result
from analytics_box.web.call import Call

CHECKS: Final = 30  # a minute, for each caller
_SECONDS: Final = 10.0  # that an answer waits for a check
_WAITS: Final = "This monitor waits to be told; nothing is checked"


class Started(Struct, frozen=True):
    """A check has begun. `check` is what it found; null if it is not over within ten seconds."""

    check: CheckShown | None
    success: bool = True


async def manual_check(call: Call, given: OneSchedule) -> Started:
    """uptime.manualCheck: check a monitor now; the result counts.

    Raises Forbidden, NotFound, RateLimited, Unavailable, or BadRequest for one that is paused.
    """
    acting, found = known(call, given.scheduleId)
    await call.read(lambda db: check(db, acting, "member"))
    monitors = call.parts[Monitors]
    if found.kind == "push":
        raise BadRequest(_WAITS)
    if monitors.rests(found):
        raise BadRequest(monitors.problem(found) or "This monitor is paused; resume it first")
    engine = _engine(call)
    task = asyncio.create_task(engine.check_now(found.number))
    done, _ = await asyncio.wait({task}, timeout=_SECONDS)
    if not done:
        _WAITED_FOR.add(task)
        task.add_done_callback(_WAITED_FOR.discard)
        return Started(None)
    return Started(check_shown(task.result(), found))


_WAITED_FOR: set[asyncio.Task[Result]] = set()  # or nothing would hold them


async def try_check(call: Call, given: TriedMonitor) -> CheckShown:
    """uptime.tryCheck: check a monitor as it would be; nothing is stored.

    Raises Forbidden, NotFound, BadRequest, RateLimited or Unavailable.
    """
    acting = reach(call, given.organization_id)
    if given.schedule_id is not None:
        acting, found = known(call, given.schedule_id)
        wanted = applied(found, given, call.parts[Tools].fence_of(acting))
    else:
        wanted = change.drafted(call.parts[Tools].fence_of(acting), acting, given, given.kind)
    await call.read(lambda db: check(db, acting, "member"))
    if wanted.kind == "push":
        raise BadRequest(_WAITS)
    return check_shown(await _engine(call).try_now(_free(wanted)), wanted)


def _free(monitor: Monitor) -> Monitor:
    """The monitor as one that nothing else is known of."""
    return replace(monitor, number=0, is_paused=False, parent_id=None)


def _engine(call: Call) -> Engine:
    """What runs monitors. Raises RateLimited, or Unavailable where nothing does."""
    call.parts.limits.take("monitor checks", call.identity.limit_name, CHECKS)
    engine = call.parts[Monitors].engine
    if engine is None:
        raise Unavailable("Monitors are not checked here, because the server does not run")
    return engine
