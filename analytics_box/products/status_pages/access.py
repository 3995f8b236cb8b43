"""Access to status pages: people by their role, API keys with global access by their scope."""

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.identity import Role, require
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.whole import Whole
from analytics_box.tenants.tenancy import access
from analytics_box.tenants.tenancy.acting import acting
from analytics_box.web.call import Call


class StatusPageReach(Struct, frozen=True):
    """The organization whose status pages a caller may use, and the actor of the change."""

    organization_id: str
    by: By


def reach(call: Call, organization_id: str | None = None) -> StatusPageReach:
    """The organization that a caller acts in: the given one, else the caller's.

    Raises Forbidden for an organization that is not the caller's and for a restricted key, or AuthRequired.
    """
    return StatusPageReach(*acting(call, organization_id))


def find_reachable_page(call: Call, page_id: str) -> tuple[StatusPageReach, Whole]:
    """A page in reach of a caller. Raises NotFound, Forbidden or AuthRequired."""
    found = call.parts[StatusPages].find(page_id)
    key = call.identity.key
    if key is not None and key.websites is not None:
        raise errors.Forbidden("This needs a key with global access")
    if found is None:
        raise errors.NotFound.of("statusPage", page_id)
    try:
        return reach(call, found.page.organization_id), found
    except errors.Forbidden as refused:
        raise errors.NotFound.of("statusPage", page_id) from refused


def check(db: Connection, own: StatusPageReach, role: Role) -> None:
    """Raises Forbidden for those who do not belong to the organization, or not with this role."""
    require(access.role_of(db, own.organization_id, own.by), role)


def existing(db: Connection, own: StatusPageReach, page_id: str) -> StatusPage:
    """The page as it is stored. Raises NotFound for an unknown one and for one of another organization."""
    found = rows.find(db, page_id)
    if found is None or found.organization_id != own.organization_id:
        raise errors.NotFound.of("statusPage", page_id)
    return found


async def find_viewable_page(call: Call, page_id: str) -> Whole:
    """A page that somebody may see as those who keep it do. Raises NotFound or Forbidden."""
    own, found = find_reachable_page(call, page_id)
    await call.read(lambda db: check(db, own, "viewer"))
    return found
