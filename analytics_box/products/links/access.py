"""Access to links: who can see and change them."""

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.identity import Role, require
from analytics_box.base.store.db import Connection
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.rows import LINKS
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy.acting import acting
from analytics_box.web.call import Call


def check(db: Connection, organization_id: str, by: By, role: Role) -> None:
    """Raises Forbidden for those who do not belong to the organization, or not with this role."""
    require(access.role_of(db, organization_id, by), role)


def existing(db: Connection, organization_id: str, link_id: str) -> ShortLink:
    """Raises NotFound for an unknown link and for one of another organization."""
    found = LINKS.find(db, link_id)
    if found is None or found.organization_id != organization_id:
        raise errors.NotFound.of("link", link_id)
    return found


async def find_link(call: Call, link_id: str, organization_id: str | None = None) -> ShortLink:
    """A link that somebody may see. Raises Forbidden or NotFound."""
    own, by = acting(call, organization_id)

    def read(db: Connection) -> ShortLink:
        check(db, own, by, "viewer")
        return existing(db, own, link_id)

    return await call.read(read)
