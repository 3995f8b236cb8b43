"""Access to links: who can see and change them."""

from analytics_box.base.store.db import Connection
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.rows import LINKS
from analytics_box.resource.reach import check, in_reach, reach
from analytics_box.web.call import Call


async def find_link(call: Call, link_id: str, organization_id: str | None = None) -> ShortLink:
    """A link that somebody may see. Raises Forbidden or NotFound."""
    own = reach(call, organization_id)

    def read(db: Connection) -> ShortLink:
        check(db, own, "viewer")
        return in_reach(own, LINKS.find(db, link_id), "link", link_id)

    return await call.read(read)
