"""Clicks on short links on their way to events.db: they wait in memory for a moment and join a group commit.

Nothing is written before a redirect is answered. A kill -9 loses the last 100 ms at most, SIGTERM nothing.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from analytics_box.base.clock import DAY, Clock, utc_day
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.event import CLICK
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.strings import Strings
from analytics_box.base.store.trouble import Seldom
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.rows import ClickTotal, LinkClick, Orphan
from analytics_box.products.links.lookup import without_link

log = logging.getLogger(__name__)

WAIT: Final = 0.05  # seconds until what waits is written; writing it takes the rest of the 100 ms
AT_ONCE: Final = 256  # clicks that are written without waiting for more
MOST_WAITING: Final = 50_000  # clicks that wait for a disk that refuses: some 50 MB
ERASED_AT_ONCE: Final = 2_000  # clicks that are removed or imported in one write
_IDS_AT_ONCE: Final = 100_000  # of old clicks
_LINKS_AT_ONCE: Final = 500
ORPHAN_SLUGS: Final = 100  # unknown slugs by name, of a domain and a day


class Clicks:
    """The clicks of a box that are not on disk yet, and the counts of links that end after so many."""

    def __init__(self, events: Db, strings: Strings, clock: Clock) -> None:
        self.events = events
        self._strings = strings
        self._clock = clock
        self._waiting: list[LinkClick] = []
        self._orphans: Counter[Orphan] = Counter()
        self._named: dict[tuple[str, int], set[str]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: set[asyncio.Task[None]] = set()
        self._counts: dict[int, int] = {}
        self._may_complain = Seldom()

    def note(self, click: LinkClick) -> None:
        """A visit of a link. Must be called on the event loop."""
        self._waiting.append(click)
        if click.kind == CLICK and click.link in self._counts:
            self._counts[click.link] += 1
        self._plan()

    def note_orphan(self, domain: str, kind: int, slug: str) -> None:
        """An orphan click: the short URL has no link. `slug` is empty for what could be none."""
        day = utc_day(self._clock.now())
        named = self._named.get((domain, day))
        if named is None:
            self._named = {key: slugs for key, slugs in self._named.items() if key[1] == day}
            named = self._named[domain, day] = set()
        if slug not in named:
            if len(named) < ORPHAN_SLUGS:
                named.add(slug)
            else:
                slug = ""
        self._orphans[Orphan(domain, day, kind, slug)] += 1
        self._plan()

    async def count_of(self, link: int) -> int:
        """The number of clicks by people on this link so far, exact from now on."""
        if link not in self._counts:
            await self.flush()
            stored = await self.events.read(lambda db: click_rows.totals(db, [link]))
            total = stored[link].clicks if link in stored else 0
            self._counts.setdefault(link, total + sum(one.link == link and one.kind == CLICK for one in self._waiting))
        return self._counts[link]

    def counted(self, link: int) -> int | None:
        """The count without waiting; None if it is not known yet."""
        return self._counts.get(link)

    def store_older(self, db: Connection, link: int, clicks: Iterable[Mapping[str, Any]]) -> None:
        """Store clicks of another server by the names of their columns, in the caller's transaction. Then `recount`."""
        older = [LinkClick(link=link, **click) for click in clicks]
        click_rows.append(db, strings=self._strings, clicks=older, orphans={})

    def recount(self, link: int) -> None:
        """Count the clicks on this link again when the number is needed."""
        self._counts.pop(link, None)

    async def totals(self, links: Sequence[int]) -> dict[int, ClickTotal]:
        """The clicks by people on these links so far, by link number; links without clicks are left out."""
        if not links:
            return {}
        await self.flush()
        return await self.events.read(lambda db: click_rows.totals(db, links))

    async def add_history(self, clicks: Sequence[LinkClick]) -> int:
        """Write earlier clicks of one link in small writes; return the number of those that were not there yet."""
        added = 0
        for first in range(0, len(clicks), ERASED_AT_ONCE):
            some = clicks[first : first + ERASED_AT_ONCE]
            work = partial(click_rows.append_missing, strings=self._strings, clicks=some)
            added += await self.events.write(work, adds=True)
        self._forget([click.link for click in clicks[:1]])
        return added

    async def erase(self, links: Sequence[int]) -> int:
        """Remove all clicks on these links, which are gone, in small writes; how many there were."""
        await self.flush()
        self._forget(links)
        removed = 0
        for first in range(0, len(links), _LINKS_AT_ONCE):
            some = links[first : first + _LINKS_AT_ONCE]
            while gone := await self.events.write(partial(click_rows.remove, links=some, limit=ERASED_AT_ONCE)):
                removed += gone
                if gone < ERASED_AT_ONCE:
                    break
        return removed

    async def begin_to_erase(self, link: int) -> None:
        """Remove clicks on a link, which is gone, as many as one write can; retention.sweep removes the rest."""
        await self.flush()
        self._forget([link])
        await self.events.write(partial(click_rows.remove, links=[link], limit=ERASED_AT_ONCE))

    def _forget(self, links: Sequence[int]) -> None:
        for link in links:
            self._counts.pop(link, None)

    async def flush(self) -> None:
        """Returns when all that was noted before is on disk, or cannot be written now."""
        self._begin()
        waiting = tuple(self._writing)  # and none of those that begin in the meantime
        if waiting:
            await asyncio.gather(*waiting)

    def write_now(self) -> None:
        """Write what waits at the end of the box, without an event loop."""
        clicks, orphans = self._take()
        if not clicks and not orphans:
            return
        try:
            self.events.write_now(partial(click_rows.append, strings=self._strings, clicks=clicks, orphans=orphans))
        except Unavailable:
            log.warning("The most recent %d clicks on short links are lost", len(clicks))

    def _plan(self) -> None:
        if len(self._waiting) >= AT_ONCE:
            self._begin()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WAIT, self._begin)

    def _begin(self) -> None:
        clicks, orphans = self._take()
        if clicks or orphans:
            task = asyncio.ensure_future(self._write(clicks, orphans))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def _take(self) -> tuple[list[LinkClick], Counter[Orphan]]:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        clicks, self._waiting = self._waiting, []
        orphans, self._orphans = self._orphans, Counter()
        return clicks, orphans

    async def _write(self, clicks: list[LinkClick], orphans: Counter[Orphan]) -> None:
        work = partial(click_rows.append, strings=self._strings, clicks=clicks, orphans=orphans)
        try:
            await self.events.write(work, adds=True)
        except Unavailable as refused:
            self._put_back(clicks, orphans)
            if self._may_complain:
                log.warning("Clicks on short links wait for the disk: %s", refused.message)
        except Exception:
            log.exception("%d clicks on short links could not be written", len(clicks))

    def _put_back(self, clicks: list[LinkClick], orphans: Counter[Orphan]) -> None:
        self._waiting = clicks + self._waiting
        self._orphans += orphans
        if len(self._waiting) > MOST_WAITING:
            if self._may_complain:
                log.error("Clicks on short links are lost: more than %d wait for the disk", MOST_WAITING)
            del self._waiting[:-MOST_WAITING]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(1.0, self._begin)


ORPHAN_DAYS: Final = 90
_SCAN_SECONDS: Final = 60.0  # for a look through all clicks


async def sweep(clicks: Clicks, box_db: Db) -> None:
    """Remove what is left of the clicks on links that are gone: there were many, or a crash came in between."""
    numbers = await clicks.events.read(click_rows.numbers_with_clicks, seconds=_SCAN_SECONDS)
    gone = await box_db.read(partial(without_link, numbers=numbers))
    if gone:
        removed = await clicks.erase(gone)
        log.info("Removed %d clicks on deleted short links", removed)


async def retain(events: Db, settings: Settings, now: int) -> None:
    """Remove clicks from before the last `link_clicks_days` whole UTC days, and orphans from before the last 90."""
    today = utc_day(now)
    if settings.link_clicks_days:
        removed = await erase_older(events, (today - settings.link_clicks_days) * DAY)
        if removed:
            log.info("Removed %d clicks on short links, older than %d days", removed, settings.link_clicks_days)
    await events.write(partial(click_rows.forget_orphans, day=today - ORPHAN_DAYS))


async def erase_older(events: Db, before: int) -> int:
    """Remove the clicks from before this instant (UTC ms), but not their totals; how many there were."""
    removed = 0
    while gone := await events.write(lambda db: click_rows.remove_older(db, before, ERASED_AT_ONCE)):
        removed += gone
    find = partial(click_rows.older_ids, before=before, limit=_IDS_AT_ONCE)
    while ids := await events.read(find, seconds=_SCAN_SECONDS, long=True):
        for first in range(0, len(ids), ERASED_AT_ONCE):
            some = ids[first : first + ERASED_AT_ONCE]
            removed += await events.write(partial(click_rows.remove_ids, ids=some))
    return removed


async def count_older(events: Db, before: int) -> int:
    """The number of clicks that `erase_older` would remove."""
    return await events.read(partial(click_rows.count_older, before=before), seconds=_SCAN_SECONDS, long=True)
