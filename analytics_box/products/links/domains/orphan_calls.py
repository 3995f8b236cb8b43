"""Orphan clicks, on short URLs without a link, over RPC: `links.listOrphans`."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base.clock import utc_day
from analytics_box.base.facts.clicks import KINDS
from analytics_box.base.store.db import Connection
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.domains import rows as domain_rows
from analytics_box.products.links.messages import Id
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.web.call import Call

MOST_ORPHANS = 500
_EPOCH = date(1970, 1, 1).toordinal()


class GivenOrphans(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.listOrphans."""

    days: Annotated[int, Meta(ge=1, le=90)] = 30
    organizationId: Id | None = None


class OrphanShown(Struct, frozen=True):
    """Orphan clicks on a short URL; an empty slug stands for many, or for what is no slug."""

    domain: str
    slug: str
    kind: str
    count: int
    lastDay: str


async def list_orphans(call: Call, given: GivenOrphans) -> list[OrphanShown]:
    """links.listOrphans: list clicks on unknown slugs of the organization's domains and the box's host, most clicked
    first. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[str]:
        check(db, Reach(organization_id, by), "viewer")
        return ["", *(one.domain for one in domain_rows.of(db, organization_id))]

    domains = await call.read(read)
    first = utc_day(call.now) - given.days + 1
    clicks = call.parts[Clicks]
    await clicks.flush()
    found = await clicks.events.read(lambda db: click_rows.orphans_since(db, domains, first, MOST_ORPHANS))
    return [
        OrphanShown(one.domain, one.slug, KINDS[one.kind], one.count, date.fromordinal(_EPOCH + one.day).isoformat())
        for one in found
    ]
