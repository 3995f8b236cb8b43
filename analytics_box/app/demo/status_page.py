"""The demo's status page: the shop's components, a past incident and a scheduled maintenance."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

import msgspec

from analytics_box.app.demo.found import SHOP_DOWN
from analytics_box.app.demo.monitors import DemoMonitors, Name
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, HOUR, MINUTE, utc_day
from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.sealing import OpenedMonitors
from analytics_box.products.sample_data.site import NAME
from analytics_box.products.status_pages.access import touch_page
from analytics_box.products.status_pages.editing import change, components
from analytics_box.products.status_pages.incidents import change as incidents
from analytics_box.products.status_pages.incidents.messages import (
    CreateIncident,
    CreatePageMaintenance,
    UpdateIncident,
)
from analytics_box.products.status_pages.page import StatusPage
from analytics_box.products.status_pages.rows import PAGES
from analytics_box.resource.reach import Reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

SLUG: Final = "inkwell"
_BY: Final = "demo"
_AHEAD: Final = 3  # Days until the scheduled maintenance.
_SHOWN: Final[tuple[tuple[Name, str, str], ...]] = (
    ("site", "Shop", "Browsing and checkout"),
    ("api", "Partner API", "Catalog and orders"),
    ("server", "Server", ""),
)


class DemoUpdate(NamedTuple):
    """An update of the demo's incident, in minutes after the outage began."""

    minute: int
    status: Literal["identified", "monitoring", "resolved", "postmortem"]
    message: str


_BEGAN: Final = "The shop is not loading. We are investigating."
_WENT_ON: Final = (
    DemoUpdate(14, "identified", "A full disk stopped our database. We are freeing up space."),
    DemoUpdate(43, "monitoring", "The shop is back. We are monitoring the results."),
    DemoUpdate(95, "resolved", "The shop has been stable for an hour. Thank you for your patience."),
    DemoUpdate(
        1_500,
        "postmortem",
        "Old backups filled the disk. To prevent this:\n\n- Backups are now **deleted after a week**.\n"
        "- We are alerted when the disk is 80 % full.",
    ),
)


def make(db: Connection, website: Website, watched: DemoMonitors, first_day: int, *, now: int) -> None:
    """Create the page on the first start, dated back to the demo's first day."""
    organization_id = website.organization_id
    if PAGES.count(db, "organization_id = ?", organization_id) or any(
        name not in watched.monitors for name, _, _ in _SHOWN
    ):
        return
    known = Monitors(OpenedMonitors(tuple(watched.monitors.values())), (), Directory([website]))
    page, shown = _page(db, Reach(organization_id, By(_BY, first_day * DAY)), watched)
    _incident(db, known, organization_id, page, shown, first_day)
    _maintenance(db, known, Reach(organization_id, By(_BY, now)), page, shown, now)


def _page(db: Connection, own: Reach, watched: DemoMonitors) -> tuple[StatusPage, list[str]]:
    """The page and the ids of the components of its shop."""
    page = change.create(
        db, own, {"name": NAME, "slug": SLUG, "description": "Live status of our shop and partner API."}
    ).page
    group = components.add_group(db, own, page.id, {"name": "Online shop"})
    shown = [
        components.add(
            db,
            own,
            page.id,
            {
                "name": called,
                "description": description,
                "group_id": group.id,
                "hide_url": True,
                "hide_latency": name == "server",
            },
            watched.monitors[name].id,
        ).id
        for name, called, description in _SHOWN
    ]
    components.add(db, own, page.id, {"name": "Customer service", "description": "Email and phone"})
    touch_page(db, page.id, own.by.now)  # The first state of its components is recorded for this instant.
    return page, shown


def _incident(
    db: Connection, known: Monitors, organization_id: str, page: StatusPage, shown: Sequence[str], first_day: int
) -> None:
    began = (first_day + SHOP_DOWN.age) * DAY + SHOP_DOWN.minute * MINUTE

    def own(minute: int) -> Reach:
        return Reach(organization_id, By(_BY, began + minute * MINUTE))

    first = {
        "statusPageId": page.id,
        "title": "Shop unavailable",
        "message": _BEGAN,
        "severity": "critical",
        "affectedMonitors": [{"statusPageMonitorId": one, "impact": "down"} for one in shown],
    }
    made = incidents.create(db, known, own(4), msgspec.convert(first, CreateIncident))
    for said in _WENT_ON:
        given = UpdateIncident(incident_id=made.id, status=said.status, message=said.message)
        incidents.update(db, known, own(said.minute), given)


def _maintenance(db: Connection, known: Monitors, own: Reach, page: StatusPage, shown: Sequence[str], now: int) -> None:
    start = (utc_day(now) + _AHEAD) * DAY + 3 * HOUR
    given = {
        "statusPageId": page.id,
        "title": "Server upgrade",
        "message": "The shop and the partner API will be unavailable for a few minutes. No orders are lost.",
        "scheduledFor": datetime.fromtimestamp(start / 1000, UTC),
        "scheduledUntil": datetime.fromtimestamp((start + HOUR) / 1000, UTC),
        "affectedMonitors": shown,
    }
    incidents.create_maintenance(db, known, own, msgspec.convert(given, CreatePageMaintenance))
