"""Lists and manual checks of monitors over RPC (wire 8.1). Scopes: read:monitors, write:monitors."""

import asyncio
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.errors import BadRequest, Unavailable
from analytics_box.base.translation import _
from analytics_box.products.monitors.access import find_monitor, visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.editing.draft import apply_fields
from analytics_box.products.monitors.editing.messages import TryMonitor
from analytics_box.products.monitors.editing.shown import CheckAnswer, MonitorAnswer, check_answer, monitor_answer
from analytics_box.products.monitors.engine import MonitorEngine, State
from analytics_box.products.monitors.monitor import Group, Id, Kind, Monitor, MonitorId, MonitorOrganizationInput, Tags
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.selection import MonitorSelection, Order, select_monitors, tags_of
from analytics_box.resource.reach import check, reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

MOST_LISTED = 100  # wire 8.1


class MonitorPage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.paginated. `search` is looked for in name, URL, group and tags."""

    organization_id: Id | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    search: Annotated[str, Meta(max_length=255)] = ""
    tags: Tags = ()
    group: Group | None = None
    state: State | None = None
    kind: Kind | None = None
    website_id: Id | None = None
    sort: Order = "newest"


class MonitorPageAnswer(Struct, frozen=True, rename="camel"):
    """A page of monitors, and how many there are on all pages."""

    items: list[MonitorAnswer]
    total: int
    has_more: bool


class MonitorTagAnswer(Struct, frozen=True):
    """A tag, and how many monitors have it."""

    tag: str
    monitors: int


async def list_schedules(call: Call, given: MonitorOrganizationInput) -> list[MonitorAnswer]:
    """uptime.listSchedules: list the newest 100 monitors. Raises Forbidden."""
    found = await reachable_monitors(call, given.organizationId)
    return _all_shown(call, select_monitors(found, MonitorSelection(), call.parts[Monitors])[:MOST_LISTED])


async def list_page(call: Call, given: MonitorPage) -> MonitorPageAnswer:
    """uptime.paginated: list a page of matching monitors. Raises Forbidden."""
    found = await reachable_monitors(call, given.organization_id)
    fitting = select_monitors(
        found,
        MonitorSelection(
            search=given.search,
            tags=given.tags,
            group=given.group,
            state=given.state,
            kind=given.kind,
            website_id=given.website_id,
            sort=given.sort,
        ),
        call.parts[Monitors],
    )
    end = given.offset + given.limit
    return MonitorPageAnswer(_all_shown(call, fitting[given.offset : end]), len(fitting), len(fitting) > end)


async def list_tags(call: Call, given: MonitorOrganizationInput) -> list[MonitorTagAnswer]:
    """uptime.listTags: list monitor tags by name. Raises Forbidden."""
    return [MonitorTagAnswer(*one) for one in tags_of(await reachable_monitors(call, given.organizationId))]


async def reachable_monitors(call: Call, organization_id: str | None) -> list[Monitor]:
    """The monitors that someone may see, the oldest first. Raises Forbidden."""
    acting = reach(call, organization_id, restricted=True)
    await call.read(lambda db: check(db, acting, "viewer"))
    return [visible(call, one) for one in call.parts[Monitors].of(acting.organization_id) if acting.covers(one)]


def _all_shown(call: Call, found: list[Monitor]) -> list[MonitorAnswer]:
    monitors, websites = call.parts[Monitors], call.parts[Directory]
    return [monitor_answer(one, monitors, websites) for one in found]


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
