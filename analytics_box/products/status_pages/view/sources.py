"""The sources of a page's content: the monitors in memory and the days in both databases; pages built ahead of
visits."""

import asyncio
import logging
from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.errors import BoxError
from analytics_box.base.settings import Settings
from analytics_box.base.store.clock_watch import ClockWatch
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.window import MaintenanceWindow, is_covered
from analytics_box.products.status_pages.days import figures as day_figures
from analytics_box.products.status_pages.days import reading
from analytics_box.products.status_pages.days.reading import MeasuredComponent
from analytics_box.products.status_pages.days.rows import StoredDay
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.page import StatusPage, Whole
from analytics_box.products.status_pages.seen import PageSeen, monitor_of
from analytics_box.products.status_pages.view import showing
from analytics_box.products.status_pages.view.showing import Past, VisibleComponent
from analytics_box.query.ranges import zone
from analytics_box.tenants.tenancy.directory import OrganizationDirectory


class Sources(Struct, frozen=True):
    """The parts of the box that a view of a page needs."""

    box_db: Db
    events: Db
    monitors: Monitors
    organizations: OrganizationDirectory
    settings: Settings
    clock: Clock
    clock_watch: ClockWatch

    def url_of(self, page: StatusPage) -> str:
        """The absolute URL of a page, without a slash at its end."""
        return showing.url_of(page, self.settings.public_url, secure=self.settings.secure)


def members(sources: Sources, whole: Whole) -> list[VisibleComponent]:
    """The visible components: those without a monitor, and those of monitors of the page's organization."""
    found, own = [], whole.organization_id
    for component in whole.components:
        monitor = monitor_of(sources.monitors.find, own, component)
        if monitor is not None:
            found.append(VisibleComponent(component, monitor, sources.monitors.state_of(monitor)))
        elif component.monitor_id is None:
            found.append(VisibleComponent(component))
    return found


def announced_windows(sources: Sources, whole: Whole, shown: Sequence[VisibleComponent]) -> list[MaintenanceWindow]:
    """The maintenance windows of monitors that the page announces."""
    monitors = [one.monitor for one in shown if one.monitor is not None]
    return [
        window
        for window in sources.monitors.windows(whole.page.organization_id)
        if window.announced and any(is_covered(window, monitor) for monitor in monitors)
    ]


async def past(
    sources: Sources, whole: Whole, shown: Sequence[VisibleComponent], now: int
) -> tuple[Past, list[StoredDay]]:
    """The history of these components, and the days that can be stored. Raises Unavailable."""
    measured = [
        MeasuredComponent(one.component.id, one.monitor.number if one.monitor is not None else None) for one in shown
    ]
    days = await reading.read_days(sources.box_db, sources.events, measured, zone(whole.page.zone), now)
    counted = {}
    for component_id, figures in days.figures.items():
        counted[component_id] = showing.component_history(days.dates, figures)
        await asyncio.sleep(0)  # a page may have many
    return Past(now, days.dates, days.figures, counted), days.settled


def unknown_past(whole: Whole, now: int) -> Past:
    """No day is known."""
    return Past(now, day_figures.days_on_page(now, zone(whole.page.zone)), {})


def assemble_page(sources: Sources, whole: Whole, shown: Sequence[VisibleComponent], known: Past, now: int) -> PageSeen:
    """A page with its past and the current states of its monitors."""
    organization = sources.organizations.find(whole.page.organization_id)
    url = sources.url_of(whole.page)
    windows = announced_windows(sources, whole, shown)
    return showing.visible_page(whole, shown, known, organization, url, now, windows)


async def see(sources: Sources, whole: Whole, now: int) -> PageSeen:
    """A page as visitors would see it, even if it is not saved; nothing is stored. Raises Unavailable."""
    shown = members(sources, whole)
    known, _ = await past(sources, whole, shown, now)
    return assemble_page(sources, whole, shown, known, now)


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
    last = next(day for day in reversed(day_figures.days_on_page(now, tz)) if day_figures.is_settled(day, tz, now))
    shown = members(given, whole)
    stored = await reading.with_day(given.box_db, [one.component.id for one in shown], last)
    left = [one for one in shown if one.component.id not in stored]
    if left:
        _, settled = await past(given, whole, left, now)
        await reading.store(given.box_db, settled, whole.page.zone)
