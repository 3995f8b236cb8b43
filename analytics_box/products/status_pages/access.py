"""Access to status pages: people by their role, API keys with global access by their scope; each change refreshes
memory."""

from collections.abc import Callable
from typing import TypeVar

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import rows, states
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.reach import Reach, check, find_in_reach, in_reach
from analytics_box.web.call import Call, Parts


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


T = TypeVar("T")


async def save(parts: Parts, page_id: str, work: Callable[[Connection], T], *, adds: bool = False) -> T:
    """Change a page, and return after the commit when the directory has the new version.

    Work that `adds` data is refused on a full disk. Raises what `work` raises, NotFound or Unavailable.
    """
    now = parts.clock.now()

    def saved(db: Connection) -> tuple[T, Whole]:
        done = work(db)
        return done, touch_page(db, page_id, now)

    done, whole = await parts.box_db.write(saved, adds=adds)
    parts[StatusPages].remember(whole)
    return done


def touch_page(db: Connection, page_id: str, now: int) -> Whole:
    """Store a new version of a page after a change in the caller's transaction. Remember the result after the commit.

    Raises NotFound for an unknown page.
    """
    rows.touch(db, page_id, now)
    whole = rows.whole(db, page_id)
    if whole is None:
        raise errors.NotFound.of("statusPage", page_id)
    states.note(db, whole, now)
    return whole
