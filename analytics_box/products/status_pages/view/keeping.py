"""Storage of finished days of components: later changes of the monitor do not change them."""

import logging

from analytics_box.base.errors import BoxError
from analytics_box.products.status_pages.days import calendar, reading
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.sources import Sources
from analytics_box.query.ranges import zone

log = logging.getLogger(__name__)


async def store_days(given: Sources, pages: StatusPages) -> None:
    """Store the finished days of all pages that are not stored yet. A failure of one page does not stop the others."""
    for whole in pages.all():
        try:
            await _store(given, whole)
        except BoxError as refused:
            log.warning("Past days of the status page %s are not stored yet: %s", whole.page.slug, refused.message)
        except Exception:
            log.exception("Days of the status page %s could not be stored", whole.page.slug)


async def _store(given: Sources, whole: Whole) -> None:
    now, tz = given.clock.now(), zone(whole.page.zone)
    last = next(day for day in reversed(calendar.days_on_page(now, tz)) if calendar.is_settled(day, tz, now))
    shown = sources.members(given, whole)
    stored = await reading.with_day(given.box_db, [one.component.id for one in shown], last)
    left = [one for one in shown if one.component.id not in stored]
    if left:
        _, settled = await sources.past(given, whole, left, now)
        await reading.store(given.box_db, settled, whole.page.zone)
