"""The tags of links over RPC: `links.listTags`."""

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.products.links import list_rows
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.web.call import Call


class LinkTagAnswer(Struct, frozen=True):
    """A tag, and how many links have it."""

    tag: str
    links: int


async def list_tags(call: Call, given: LinkOrganizationInput) -> list[LinkTagAnswer]:
    """links.listTags: list tags by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[tuple[str, int]]:
        check(db, Reach(organization_id, by), "viewer")
        return list_rows.tags(db, organization_id)

    return [LinkTagAnswer(*one) for one in await call.read(read)]
