"""The demo's monitors of its shop, with maintenance and an alert rule that is switched off."""

from collections.abc import Mapping, Sequence
from ipaddress import ip_network
from typing import Any, Final, Literal, NamedTuple

import msgspec

from analytics_box.app.demo import shop
from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, MINUTE
from analytics_box.base.notify.change import ChannelTools
from analytics_box.base.outgoing.fences import ALL, Fences
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.products.alerts import change as alert_rules
from analytics_box.products.alerts.alert_rule import Conditions, Destination
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.editing import change
from analytics_box.products.monitors.editing.change import MonitorTools
from analytics_box.products.monitors.editing.messages import CreateMonitor, UpdateMonitor
from analytics_box.products.monitors.monitor import Kind, Monitor
from analytics_box.products.monitors.rows import MONITORS
from analytics_box.products.monitors.sealing import OpenedMonitors
from analytics_box.products.monitors.window import MaintenanceWindow
from analytics_box.products.monitors.windows import change as windows
from analytics_box.products.monitors.windows.change import WINDOWS
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow
from analytics_box.resource.fields import date
from analytics_box.resource.reach import Reach
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

Name = Literal["server", "site", "api", "backup"]

SLOW: Final = 400  # ms from which on the shop's API is slow
MOVED: Final = (84, 21 * 60, 120)  # the maintenance of the past: days after the first day, minute of it, minutes
_SHOP, _OFFICE = "Shop", "Back office"
_BY: Final = "demo"
_GRACE: Final = 604_800  # the most: nobody makes backups while the demo runs


class PlannedMonitor(NamedTuple):
    """A monitor of the demo. `path` is the place in the shop."""

    name: Name
    kind: Kind
    path: str
    given: Mapping[str, Any]
    is_of_website: bool = False
    parent: Name | None = None

    def url(self, port: int) -> str:
        """The address that it checks in a shop at this port; empty for a push monitor."""
        match self.kind:
            case "http":
                return f"http://{shop.HOST}:{port}{self.path}"
            case "tcp":
                return f"tcp://{shop.HOST}:{port}"
            case _:
                return ""


PLANNED: Final = (
    PlannedMonitor(
        "server",
        "tcp",
        "",
        {"granularity": "five_minutes", "name": "Shop: server", "group": _SHOP, "tags": ["infrastructure"]},
    ),
    PlannedMonitor(
        "site",
        "http",
        shop.SITE,
        {
            "granularity": "five_minutes",
            "name": "Shop: website",
            "group": _SHOP,
            "tags": ["customers", "production"],
            "options": {"assertions": [{"subject": "status", "comparison": "in", "value": "200-299"}]},
        },
        is_of_website=True,
        parent="server",
    ),
    PlannedMonitor(
        "api",
        "http",
        shop.API,
        {
            "granularity": "five_minutes",
            "name": "Shop: API",
            "group": _SHOP,
            "tags": ["customers", "production"],
            "options": {
                "assertions": [
                    {"subject": "json", "comparison": "equals", "value": "ok", "property": "/status"},
                    {"subject": "response_time", "comparison": "less_than", "value": str(SLOW), "level": "warn"},
                ]
            },
        },
        parent="server",
    ),
    PlannedMonitor(
        "backup",
        "push",
        "",
        {
            "granularity": "day",
            "kind": "push",
            "name": "Nightly backup",
            "group": _OFFICE,
            "tags": ["infrastructure"],
            "options": {"grace": _GRACE},
        },
    ),
)


class DemoMonitors(NamedTuple):
    """The monitors of the demo that are still there, by name, and all maintenance windows of its organization."""

    monitors: dict[Name, Monitor]
    windows: list[MaintenanceWindow]


def make(
    db: Connection, seal: Seal, website: Website, first_day: int, *, now: int, port: int, before: int
) -> DemoMonitors:
    """The monitors as they are, made at the first start as if on the demo's first day; they follow the shop from the
    port where it was before to another one."""
    organization_id = website.organization_id
    tools = MonitorTools(
        seal, Fences((ip_network(shop.NETWORK),), opened=lambda _: ALL), len(PLANNED), Directory([website])
    )
    if not MONITORS.count(db, "organization_id = ?", organization_id):
        _first(db, tools, website, Reach(organization_id, By(_BY, first_day * DAY)), first_day, port)
    elif before != port:
        _follow(db, tools, Reach(organization_id, By(_BY, now)), before, port)
    return DemoMonitors(_find_monitors(db, organization_id, port), _windows(db, organization_id))


def _first(db: Connection, tools: MonitorTools, website: Website, acting: Reach, first_day: int, port: int) -> None:
    made: dict[Name, Monitor] = {}
    for planned in PLANNED:
        places = {
            "url": planned.url(port),
            "websiteId": website.id if planned.is_of_website else None,
            "parentId": made[planned.parent].id if planned.parent is not None else None,
        }
        given = msgspec.convert({**planned.given, **places}, CreateMonitor)
        made[planned.name] = change.create(db, tools, acting, given)
    if not _windows(db, acting.organization_id):
        known = Monitors(OpenedMonitors(tuple(made.values())), (), tools.websites)
        for window in _maintenance(first_day):
            windows.create(db, known, acting, window)
    values = {
        "name": "The shop is down",
        "description": "Disabled, because its channel is an example. Choose one of yours and enable the rule.",
        "enabled": False,
        "trigger": "uptime",
        "conditions": Conditions(groups=(_SHOP,)),
    }
    destinations = (Destination("webhook", f"https://hooks.{website.domain}/alerts"),)
    alert_rules.create(db, ChannelTools(tools.seal, tools.fences), acting, values, destinations)


def _maintenance(first_day: int) -> Sequence[CreateMaintenanceWindow]:
    age, minute, minutes = MOVED
    began = (first_day + age) * DAY + minute * MINUTE
    planned: Sequence[dict[str, Any]] = (
        {
            "name": "Server updates",
            "startsAt": date(first_day * DAY),
            "repeat": {"every": "week", "weekdays": [7], "time": "03:00", "minutes": 60},
        },
        {
            "name": "Database migration",
            "startsAt": date(began),
            "endsAt": date(began + minutes * MINUTE),
        },
    )
    return [msgspec.convert(one | {"covers": {"groups": [_SHOP]}}, CreateMaintenanceWindow) for one in planned]


def _follow(db: Connection, tools: MonitorTools, acting: Reach, before: int, port: int) -> None:
    for name, monitor in _find_monitors(db, acting.organization_id, before).items():
        (planned,) = (one for one in PLANNED if one.name == name)
        if planned.url(port):
            change.update(db, tools, acting, UpdateMonitor(schedule_id=monitor.id, url=planned.url(port)))


def _find_monitors(db: Connection, organization_id: str, port: int) -> dict[Name, Monitor]:
    """The monitors of the shop at this port, and the oldest push monitor."""
    own = [one.monitor for one in MONITORS.all(db, "organization_id = ? order by number", organization_id)]
    found: dict[Name, Monitor] = {}
    for planned in PLANNED:
        url = planned.url(port)
        for monitor in own:
            if monitor.kind == planned.kind and url in {"", monitor.url}:
                found.setdefault(planned.name, monitor)
    return found


def _windows(db: Connection, organization_id: str) -> list[MaintenanceWindow]:
    return WINDOWS.all(db, "organization_id = ? order by created_at, id", organization_id)
