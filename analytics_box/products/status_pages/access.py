"""Access to status pages: people by their role, API keys with global access by their scope."""

from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import rows
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.whole import Whole
from analytics_box.resource.reach import Reach, check, find_in_reach, in_reach
from analytics_box.web.call import Call


def find_reachable_page(call: Call, page_id: str) -> tuple[Reach, Whole]:
    """A page in reach of a caller. Raises NotFound, Forbidden or AuthRequired."""
    return find_in_reach(call, call.parts[StatusPages].find(page_id), "statusPage", page_id)


def existing(db: Connection, own: Reach, page_id: str) -> StatusPage:
    """The page as it is stored. Raises NotFound for an unknown one and for one of another organization."""
    return in_reach(own, rows.find(db, page_id), "statusPage", page_id)


async def find_viewable_page(call: Call, page_id: str) -> Whole:
    """A page that somebody may see as those who keep it do. Raises NotFound or Forbidden."""
    own, found = find_reachable_page(call, page_id)
    await call.read(lambda db: check(db, own, "viewer"))
    return found
