"""Saving of status pages: box.db gets a new version of the page, and memory follows after the commit."""

from collections.abc import Callable
from typing import TypeVar

from analytics_box.base import errors
from analytics_box.base.store.db import Connection
from analytics_box.products.status_pages import rows, states
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole
from analytics_box.web.call import Parts

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
