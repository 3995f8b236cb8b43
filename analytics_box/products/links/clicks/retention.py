"""Retention of clicks on short links and of orphan clicks: old ones are removed."""

import logging
from functools import partial
from typing import Final

from analytics_box.base.clock import DAY, utc_day
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Db
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.waiting import ERASED_AT_ONCE, Clicks
from analytics_box.products.links.lookup import without_link

log = logging.getLogger(__name__)

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
    return removed


async def count_older(events: Db, before: int) -> int:
    """The number of clicks that `erase_older` would remove."""
    return await events.read(partial(click_rows.count_older, before=before), seconds=_SCAN_SECONDS, long=True)
