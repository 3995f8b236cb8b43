"""The visible state of pages in memory: pages stay available and fast while the box is busy.

While a page is requested, one reader reads its days every five seconds, and again when one of its monitors changes.
Changes of monitors and of the page are visible immediately, with the known days. While the databases do not answer,
the last known state is shown.
"""

import asyncio
import logging
import math
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import background
from analytics_box.base.cache import BoundedCache
from analytics_box.base.errors import BoxError
from analytics_box.base.store.trouble import Seldom
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.products.status_pages.days import reading
from analytics_box.products.status_pages.days.rows import StoredDay
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.showing import Past, VisibleComponent, with_etag
from analytics_box.products.status_pages.view.sources import Sources

log = logging.getLogger(__name__)

SOON: Final = 5.0  # seconds after which days are read again, while those that are known are shown
OLD: Final = 10.0  # Seconds after which days are read again before they are shown.
LOOK: Final = 0.25  # seconds in which the state of monitors is not looked at twice
AGAIN: Final = 1.0  # seconds in which what was refused is not tried twice
PATIENCE: Final = 1.0  # seconds that a visitor waits for what is known a little older
FIRST_PATIENCE: Final = 5.0  # and where nothing is known
MOST_COMPONENTS: Final = 1_000  # of all pages that are kept: about 30 MB

_Measured = frozenset[tuple[str, int | None]]  # components, each with the number of its monitor


class _CachedPage(Struct):
    """The cached state of a page. Instants are monotonic seconds."""

    whole: Whole
    members: list[VisibleComponent]
    windows: list[MaintenanceWindow]
    looked_at: float
    past: Past | None = None
    of: _Measured = frozenset()  # what `past` is about
    zone: str = ""
    read_at: float = 0.0
    seen: PageSeen | None = None
    reading: asyncio.Task[None] | None = None
    began: float = 0.0
    failed_at: float = -math.inf

    @property
    def measured(self) -> _Measured:
        """The components that its days must cover."""
        return frozenset((one.component.id, one.monitor.number if one.monitor else None) for one in self.members)

    @property
    def is_covered(self) -> bool:
        """Whether what is known of days is about these components, in this zone."""
        return self.past is not None and self.zone == self.whole.page.zone and self.measured <= self.of


class PageSnapshots:
    """The pages that visitors ask for."""

    def __init__(self, given: Sources, most: int = MOST_COMPONENTS) -> None:
        self.sources = given
        self._kept: BoundedCache[str, _CachedPage] = BoundedCache(
            most_weight=most, weigh=lambda _, kept: max(len(kept.members), 1)
        )
        self._storing: set[asyncio.Task[None]] = set()
        self._may_complain = Seldom()

    async def of(self, whole: Whole) -> PageSeen:
        """The page as visitors see it now; it never fails. `stale_since` is set where its days could not be read."""
        now = self.sources.clock.monotonic()
        kept = self._look(whole, now)
        if kept.seen is not None and kept.seen.stale_since is None and now - kept.read_at < SOON:
            return kept.seen
        if kept.is_covered and now - kept.read_at < OLD:
            if now - kept.read_at >= SOON:
                self._begin(kept, now)
        else:
            was = kept.reading
            await self._wait(kept, now)
            if was is not None and not kept.is_covered:  # who read did not know of this change yet
                await self._wait(kept, now)
        return self._seen(kept)

    def _look(self, whole: Whole, now: float) -> _CachedPage:
        """The cached state of a page, without anything that a change of the page or of its monitors has made untrue.

        A request that began before a change may arrive here after it: a page never goes back to an earlier version.
        """
        kept = self._kept.get(whole.page.id)
        if kept is not None and whole.page.version < kept.whole.page.version:
            whole = kept.whole
        if kept is None:
            found = sources.members(self.sources, whole)
            kept = _CachedPage(whole, found, sources.announced_windows(self.sources, whole, found), now)
            self._kept.put(whole.page.id, kept)
        elif whole is not kept.whole or now - kept.looked_at >= LOOK:
            found = sources.members(self.sources, whole)
            windows = sources.announced_windows(self.sources, whole, found)
            if not _same(found, kept.members):
                kept.read_at = min(kept.read_at, now - SOON)  # today has changed with it
                kept.seen = None
            elif whole is not kept.whole or windows != kept.windows:
                kept.seen = None
            kept.whole, kept.members, kept.windows, kept.looked_at = whole, found, windows, now
            self._kept.put(whole.page.id, kept)
        return kept

    async def _wait(self, kept: _CachedPage, now: float) -> None:
        """Read, or wait for a read under way, but not for one that takes too long."""
        self._begin(kept, now)
        patience = (FIRST_PATIENCE if kept.past is None else PATIENCE) - (now - kept.began)
        if kept.reading is not None and patience > 0:
            await asyncio.wait({kept.reading}, timeout=patience)

    def _begin(self, kept: _CachedPage, now: float) -> None:
        if kept.reading is None and now - kept.failed_at >= AGAIN:
            kept.began = now
            kept.reading = asyncio.get_running_loop().create_task(self._read(kept))

    async def _read(self, kept: _CachedPage) -> None:
        """Read the days of a page; those that are over are stored."""
        zone, of = kept.whole.page.zone, kept.measured
        kept.failed_at = self.sources.clock.monotonic()  # until it has not
        try:
            found, settled = await sources.past(self.sources, kept.whole, kept.members, self.sources.clock.now())
            kept.past, kept.of, kept.zone, kept.seen = found, of, zone, None
            kept.read_at, kept.failed_at = self.sources.clock.monotonic(), -math.inf
            if settled:
                background.begin(self._store(settled, zone), self._storing)
        except BoxError as refused:
            if self._may_complain:
                log.warning("A status page shows its last known state: %s", refused.message)
        except Exception:
            if self._may_complain:
                log.exception("A status page shows its last known state")
        finally:
            kept.reading = None

    async def _store(self, settled: list[StoredDay], zone: str) -> None:
        """The job that stores days does it as well: so nothing is lost where it is refused, or the clock is doubted."""
        watch = self.sources.clock_watch
        try:
            if watch.is_doubted or not await watch.is_trusted():
                return
            await reading.store(self.sources.box_db, settled, zone)
        except BoxError as refused:
            log.info("Days of a status page are not stored yet: %s", refused.message)

    def _seen(self, kept: _CachedPage) -> PageSeen:
        """The page as it was built before, rebuilt if anything has changed since."""
        is_stale = not kept.is_covered or self.sources.clock.monotonic() - kept.read_at >= OLD
        if kept.seen is not None and (kept.seen.stale_since is not None) == is_stale:
            return kept.seen
        now = self.sources.clock.now()
        past = kept.past or sources.unknown_past(kept.whole, now)
        made = sources.assemble_page(self.sources, kept.whole, kept.members, past, now)
        kept.seen = with_etag(replace(made, stale_since=past.at)) if is_stale else made
        return kept.seen


def _same(some: list[VisibleComponent], others: list[VisibleComponent]) -> bool:
    """Whether nothing has changed of monitors and their states."""
    return len(some) == len(others) and all(
        one.monitor is other.monitor and _state(one.live) == _state(other.live)
        for one, other in zip(some, others, strict=True)
    )


def _state(live: MonitorStatus | None) -> tuple[str, int]:
    if live is None:
        return "", 0
    return live.state, live.last.http_code if live.last is not None else 0
