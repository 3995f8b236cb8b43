"""Lists of monitors over RPC (wire 8.1). Scope: read:monitors."""

from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.products.monitors.access import check, reach, visible
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing.messages import Group, Tag
from analytics_box.products.monitors.editing.shown import ScheduleShown, shown
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.messages import Id, OfOrganization
from analytics_box.products.monitors.monitor import Kind, Monitor
from analytics_box.products.monitors.selection import Order, Selection, selected, tags_of
from analytics_box.tenants.websites.directory import Directory
from analytics_box.web.call import Call

MOST_LISTED = 100  # wire 8.1


class MonitorPage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of uptime.paginated. `search` is looked for in name, URL, group and tags."""

    organization_id: Id | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    search: Annotated[str, Meta(max_length=255)] = ""
    tags: Annotated[tuple[Tag, ...], Meta(max_length=20)] = ()
    group: Group | None = None
    state: State | None = None
    kind: Kind | None = None
    website_id: Id | None = None
    sort: Order = "newest"


class PageShown(Struct, frozen=True, rename="camel"):
    """A page of monitors, and how many there are on all pages."""

    items: list[ScheduleShown]
    total: int
    has_more: bool


class TagShown(Struct, frozen=True):
    """A tag, and how many monitors have it."""

    tag: str
    monitors: int


async def list_schedules(call: Call, given: OfOrganization) -> list[ScheduleShown]:
    """uptime.listSchedules: the newest 100 monitors. Raises Forbidden."""
    found = await reached(call, given.organizationId)
    return _all_shown(call, selected(found, Selection(), call.parts[Monitors])[:MOST_LISTED])


async def paginated(call: Call, given: MonitorPage) -> PageShown:
    """uptime.paginated: a page of the monitors that fit. Raises Forbidden."""
    found = await reached(call, given.organization_id)
    fitting = selected(
        found,
        Selection(
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
    return PageShown(_all_shown(call, fitting[given.offset : end]), len(fitting), len(fitting) > end)


async def list_tags(call: Call, given: OfOrganization) -> list[TagShown]:
    """uptime.listTags: the tags of monitors by name. Raises Forbidden."""
    return [TagShown(*one) for one in tags_of(await reached(call, given.organizationId))]


async def reached(call: Call, organization_id: str | None) -> list[Monitor]:
    """The monitors that somebody may see, the oldest first. Raises Forbidden."""
    acting = reach(call, organization_id)
    await call.read(lambda db: check(db, acting, "viewer"))
    return [visible(call, one) for one in call.parts[Monitors].of(acting.organization_id) if acting.covers(one)]


def _all_shown(call: Call, found: list[Monitor]) -> list[ScheduleShown]:
    monitors, websites = call.parts[Monitors], call.parts[Directory]
    return [shown(one, monitors, websites) for one in found]
