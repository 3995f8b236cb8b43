"""Lists of monitors over RPC (wire 8.1). Scope: read:monitors."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.monitors.access import visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing.shown import MonitorAnswer, monitor_answer
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.messages import MonitorOrganizationInput
from analytics_box.products.monitors.monitor import Group, Id, Kind, Monitor, Tags
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
