"""Public dashboards of the last seconds, so that a crowd costs little more than one visitor, and how often each share
link was opened."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final

from analytics_box.base.cache import BoundedCache
from analytics_box.base.clock import Clock
from analytics_box.base.store.db import Db
from analytics_box.products.shares import change

_SECONDS: Final = 10.0
# Pages whose parts are still to come, so that a crowd that comes before they are ready does not ask for each again.
_UNFINISHED_SECONDS: Final = 1.0
_MOST_WEIGHT: Final = 16_000_000  # characters


class SharedPages:
    """Rendered pages by all that they depend on but the instant. Visitors who come at the same time wait for the same
    page."""

    def __init__(self, clock: Clock) -> None:
        self._kept, self._unfinished = (
            BoundedCache[Hashable, str](
                most_weight=_MOST_WEIGHT, weigh=lambda _key, text: len(text), seconds=seconds, clock=clock
            )
            for seconds in (_SECONDS, _UNFINISHED_SECONDS)
        )
        self._made: dict[Hashable, asyncio.Task[str]] = {}
        self._views: dict[str, tuple[int, int]] = {}

    def note_view(self, share_id: str, now: int) -> None:
        """Count a view of a share link; it is stored by `store_views`."""
        self._views[share_id] = self._views.get(share_id, (0, 0))[0] + 1, now

    async def store_views(self, box_db: Db) -> None:
        """Add the views since the last time to their share links."""
        views, self._views = self._views, {}
        if views:
            await box_db.write(lambda db: change.count_views(db, views))

    def has(self, key: Hashable) -> bool:
        """Whether this page is kept, so that it costs nothing."""
        return (self._kept.get(key) or self._unfinished.get(key)) is not None

    async def find(self, key: Hashable, make: Callable[[], Awaitable[tuple[str, bool]]]) -> str:
        """The page with this key. `make` returns it, and whether it has all of its parts, else it is kept
        for a second only. Raises what `make` raises."""
        kept = self._kept.get(key) or self._unfinished.get(key)
        if kept is not None:
            return kept
        making = self._made.get(key)
        if making is None:
            making = self._made[key] = asyncio.create_task(self._make(key, make))
            making.add_done_callback(lambda _task: self._made.pop(key, None))
        return await asyncio.shield(making)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[tuple[str, bool]]]) -> str:
        text, is_whole = await make()
        (self._kept if is_whole else self._unfinished).put(key, text)
        return text
