"""What happens to clicks on short links on its own: old ones go, and old counts of addresses that lead nowhere."""

import logging
from functools import partial
from typing import Final

from analytics_box.clock import DAY, utc_day
from analytics_box.links import click_rows
from analytics_box.links.parts import Links, erase_older
from analytics_box.settings import Settings

log = logging.getLogger(__name__)

ORPHAN_DAYS: Final = 90


async def retain(links: Links, settings: Settings, now: int) -> None:
    """Remove clicks from before the last `link_clicks_days` whole UTC days, and orphans from before the last 90."""
    today = utc_day(now)
    if settings.link_clicks_days:
        removed = await erase_older(links.events, (today - settings.link_clicks_days) * DAY)
        if removed:
            log.info("Removed %d clicks on short links, older than %d days", removed, settings.link_clicks_days)
    await links.events.write(partial(click_rows.forget_orphans, day=today - ORPHAN_DAYS))
