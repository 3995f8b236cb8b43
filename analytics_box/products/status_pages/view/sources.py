"""Where what a page shows comes from: the monitors in memory, and the days in both databases."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base.clock import Clock
from analytics_box.base.settings import Settings
from analytics_box.base.store.clock_watch import ClockWatch
from analytics_box.base.store.db import Db
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.status_pages.days import calendar, reading
from analytics_box.products.status_pages.days.reading import Measured
from analytics_box.products.status_pages.days.rows import Stored
from analytics_box.products.status_pages.page import Page
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view import showing
from analytics_box.products.status_pages.view.showing import Member, Past
from analytics_box.products.status_pages.whole import Whole
from analytics_box.query.ranges import zone
from analytics_box.tenants.tenancy.directory import Organizations


class Sources(Struct, frozen=True):
    """What seeing a page needs."""

    box_db: Db
    events: Db
    monitors: Monitors
    organizations: Organizations
    settings: Settings
    clock: Clock
    clock_watch: ClockWatch

    def url_of(self, page: Page) -> str:
        """The absolute URL of a page, without a slash at its end."""
        return showing.url_of(page, self.settings.public_url, secure=self.settings.secure)


def members(sources: Sources, whole: Whole) -> list[Member]:
    """The components that may be seen: those that people keep, and those of monitors of the page's organization."""
    found = []
    for component in whole.components:
        if component.monitor_id is None:
            found.append(Member(component))
            continue
        monitor = sources.monitors.find(component.monitor_id)
        if monitor is not None and monitor.organization_id == whole.page.organization_id:
            found.append(Member(component, monitor, sources.monitors.state_of(monitor)))
    return found


async def past(sources: Sources, whole: Whole, shown: Sequence[Member], now: int) -> tuple[Past, list[Stored]]:
    """How these components were, and the days that can be stored. Raises Unavailable."""
    measured = [Measured(one.component.id, one.monitor.number if one.monitor is not None else None) for one in shown]
    days = await reading.read(sources.box_db, sources.events, measured, zone(whole.page.zone), now)
    counted = {}
    for component_id, figures in days.figures.items():
        counted[component_id] = showing.counted(days.dates, figures)
        await asyncio.sleep(0)  # a page may have many
    return Past(now, days.dates, days.figures, counted), days.settled


def unknown_past(whole: Whole, now: int) -> Past:
    """No day is known."""
    return Past(now, calendar.shown(now, zone(whole.page.zone)), {})


def seen(sources: Sources, whole: Whole, shown: Sequence[Member], known: Past, now: int) -> PageSeen:
    """A page with what was read of its past, and with how its monitors are now."""
    organization = sources.organizations.find(whole.page.organization_id)
    url = sources.url_of(whole.page)
    return showing.shown(whole, shown, known, organization, url, now)


async def see(sources: Sources, whole: Whole, now: int) -> PageSeen:
    """A page as visitors would see it, also one that is not saved; nothing is stored. Raises Unavailable."""
    shown = members(sources, whole)
    known, _ = await past(sources, whole, shown, now)
    return seen(sources, whole, shown, known, now)
