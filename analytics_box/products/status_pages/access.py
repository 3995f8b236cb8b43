"""Access to status pages: people by their role, API keys with global access by their scope."""

from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.reach import Reach, check, find_in_reach, in_reach
from analytics_box.web.call import Call


def find_reachable_page(call: Call, page_id: str) -> tuple[Reach, Whole]:
    """Find a page in reach of a caller. Raises NotFound, Forbidden or AuthRequired."""
    return find_in_reach(call, call.parts[StatusPages].find(page_id), "statusPage", page_id)


def page_in_reach(db: Connection, own: Reach, page_id: str) -> StatusPage:
    """The page as it is stored. Raises NotFound for an unknown page and for one of another organization."""
    return in_reach(own, PAGES.find(db, page_id), "statusPage", page_id)


async def find_viewable_page(call: Call, page_id: str) -> Whole:
    """Find a page that the caller can see in the dashboard. Raises NotFound or Forbidden."""
    own, found = find_reachable_page(call, page_id)
    await call.read(lambda db: check(db, own, "viewer"))
    return found
