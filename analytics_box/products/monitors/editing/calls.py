"""Monitors over RPC (wire 8.1). Scopes: read:monitors, write:monitors."""

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.translation import _
from analytics_box.products.monitors.access import find_monitor, viewable_monitor, visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.editing.messages import (
    Bulk,
    CreateMonitor,
    GetMonitorByWebsite,
    TransferMonitor,
    UpdateMonitor,
)
from analytics_box.products.monitors.editing.shown import MonitorAnswer, monitor_answer, push_url
from analytics_box.products.monitors.erasing import Erasing
from analytics_box.products.monitors.monitor import GRANULARITIES, Granularity, Monitor, MonitorId, clean_tags
from analytics_box.resource.reach import check, reach
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call


class CreatedMonitor(Struct, frozen=True, kw_only=True, rename="camel"):
    """A new monitor. `pushUrl` is what a push goes to; it is shown only here and when it is rotated."""

    schedule_id: str
    url: str
    name: str | None
    granularity: Granularity
    push_url: str | None = None


class PauseAnswer(Struct, frozen=True, rename="camel"):
    """Whether a monitor is paused now."""

    is_paused: bool
    success: bool = True


class PushUrl(Struct, frozen=True, rename="camel"):
    """The new push URL."""

    push_url: str


class MonitorTransferAnswer(Struct, frozen=True, rename="camel"):
    """Whether headers, body and credentials were left out."""

    secrets_left_out: bool
    success: bool = True


class BulkAnswer(Struct, frozen=True, rename="camel"):
    """The number of monitors that were changed or deleted, the number that needed no change, and the unknown ids."""

    changed: int
    unchanged: int
    unknown: tuple[str, ...]


async def get_schedule(call: Call, given: MonitorId) -> MonitorAnswer:
    """uptime.getSchedule: get a monitor with its current state. Raises NotFound or Forbidden."""
    return _monitor_answer(call, await viewable_monitor(call, given.scheduleId))


async def get_schedule_by_website_id(call: Call, given: GetMonitorByWebsite) -> MonitorAnswer | None:
    """uptime.getScheduleByWebsiteId: get a website's monitor, or null. Raises NotFound for an unknown website, or
    Forbidden."""
    website = call.parts[Directory].find(given.websiteId)
    if website is None:
        raise errors.NotFound.of("website", given.websiteId)
    try:
        acting = reach(call, website.organization_id, restricted=True)
    except errors.Forbidden as refused:
        raise errors.NotFound.of("website", given.websiteId) from refused
    if not acting.reaches(website.id):
        raise errors.NotFound.of("website", given.websiteId)
    await call.read(lambda db: check(db, acting, "viewer"))
    found = call.parts[Monitors].of_website(website.id)
    return _monitor_answer(call, visible(call, found)) if found is not None and acting.covers(found) else None


async def create_schedule(call: Call, given: CreateMonitor) -> CreatedMonitor:
    """uptime.createSchedule: create a monitor and check it immediately. Raises Forbidden, BadRequest or Conflict."""
    acting = reach(call, given.organization_id, restricted=True)
    tools = call.parts[MonitorTools]
    made = await call.write(lambda db: change.create(db, tools, acting, given))
    call.parts[Monitors].remember(made)
    return _created_answer(call, made)


async def update_schedule(call: Call, given: UpdateMonitor) -> CreatedMonitor:
    """uptime.updateSchedule: update a monitor. Raises Forbidden, NotFound, BadRequest or Conflict.

    Omitted fields keep their values.
    """
    acting, _rest = find_monitor(call, given.schedule_id)
    tools = call.parts[MonitorTools]
    changed = await call.write(lambda db: change.update(db, tools, acting, given))
    _tell(call, changed)
    return CreatedMonitor(
        schedule_id=changed.monitor.id,
        url=changed.monitor.url,
        name=changed.monitor.name,
        granularity=GRANULARITIES[changed.monitor.interval],
    )


async def delete_schedule(call: Call, given: MonitorId) -> Success:
    """uptime.deleteSchedule: delete a monitor and its checks. Raises Forbidden or NotFound."""
    acting, _rest = find_monitor(call, given.scheduleId)
    gone = await call.write(lambda db: change.delete(db, acting, given.scheduleId))
    call.parts[Monitors].forget(gone)
    call.parts[Erasing].begin([gone.number])
    return Success()


async def pause_schedule(call: Call, given: MonitorId) -> PauseAnswer:
    """uptime.pauseSchedule: pause a monitor. Raises Forbidden, NotFound or BadRequest."""
    return await _pause(call, given.scheduleId, paused=True)


async def resume_schedule(call: Call, given: MonitorId) -> PauseAnswer:
    """uptime.resumeSchedule: resume a monitor and check it immediately. Raises Forbidden, NotFound or BadRequest."""
    return await _pause(call, given.scheduleId, paused=False)


async def toggle_pause(call: Call, given: MonitorId) -> PauseAnswer:
    """uptime.togglePause: pause or resume a monitor. Raises Forbidden or NotFound."""
    return await _pause(call, given.scheduleId, paused=None)


async def transfer(call: Call, given: TransferMonitor) -> MonitorTransferAnswer:
    """uptime.transfer: transfer a monitor to another of the caller's organizations. Raises NotFound, Forbidden or
    Conflict.

    Its website and parent are removed. Headers, body and credentials are kept only if the caller is an admin of the
    first organization.
    """
    if call.identity.person is None:
        raise errors.Forbidden(_("Sign in to do this. API keys are not accepted"))
    acting, _rest = find_monitor(call, given.scheduleId)
    tools, target = call.parts[MonitorTools], given.targetOrganizationId
    moved = await call.write(lambda db: change.transfer(db, tools, acting, given.scheduleId, target))
    call.parts[Monitors].move(moved.monitor, readable=moved.readable)
    return MonitorTransferAnswer(moved.secrets_left_out)


async def rotate_push_url(call: Call, given: MonitorId) -> PushUrl:
    """uptime.rotatePushUrl: replace a heartbeat's URL. Raises NotFound or BadRequest."""
    acting, _rest = find_monitor(call, given.scheduleId)
    tools = call.parts[MonitorTools]
    rotated = await call.write(lambda db: change.rotate(db, tools, acting, given.scheduleId))
    call.parts[Monitors].remember(rotated)
    return PushUrl(push_url(rotated.secrets.token, call.parts.settings))


async def bulk(call: Call, given: Bulk) -> BulkAnswer:
    """uptime.bulk: pause, resume, delete, tag or untag up to 1,000 monitors. Raises Forbidden or BadRequest."""
    tags = clean_tags(given.tags)
    if given.action in {"tag", "untag"} and not tags:
        raise errors.BadRequest.about("tags", _("Enter a tag"))
    first = call.parts[Monitors].find(given.scheduleIds[0])
    acting = reach(call, restricted=True) if first is None else find_monitor(call, first.id)[0]
    tools = call.parts[MonitorTools]
    done = await call.write(lambda db: change.bulk(db, tools, acting, given, tags))
    for changed in done.changed:
        _tell(call, changed)
    for gone in done.gone:
        call.parts[Monitors].forget(gone)
    call.parts[Erasing].begin([gone.number for gone in done.gone])
    count = len(done.changed) + len(done.gone)
    return BulkAnswer(count, len({*given.scheduleIds}) - count - len(done.unknown), done.unknown)


async def _pause(call: Call, monitor_id: str, *, paused: bool | None) -> PauseAnswer:
    acting, _rest = find_monitor(call, monitor_id)
    tools = call.parts[MonitorTools]
    changed = await call.write(lambda db: change.pause(db, tools, acting, monitor_id, paused=paused))
    _tell(call, changed)
    return PauseAnswer(changed.monitor.is_paused)


def _tell(call: Call, changed: change.MonitorChange) -> None:
    call.parts[Monitors].remember(changed.monitor, readable=changed.readable)


def _created_answer(call: Call, made: Monitor) -> CreatedMonitor:
    token = made.secrets.token
    return CreatedMonitor(
        schedule_id=made.id,
        url=made.url,
        name=made.name,
        granularity=GRANULARITIES[made.interval],
        push_url=push_url(token, call.parts.settings) if token else None,
    )


def _monitor_answer(call: Call, monitor: Monitor) -> MonitorAnswer:
    return monitor_answer(monitor, call.parts[Monitors], call.parts[Directory])
