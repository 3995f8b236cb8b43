"""Access to monitors: people by their role, keys by their scope and, if they are restricted, only the monitors of their
websites.
"""

from analytics_box.base.store.db import Connection
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.rows import MONITORS, StoredMonitor
from analytics_box.resource.reach import Reach, check, find_in_reach, in_reach
from analytics_box.web.call import Call


def find_monitor(call: Call, monitor_id: str) -> tuple[Reach, Monitor]:
    """A monitor in reach of a caller. Raises NotFound or AuthRequired."""
    return find_in_reach(call, call.parts[Monitors].find(monitor_id), "schedule", monitor_id, restricted=True)


def existing(db: Connection, acting: Reach, monitor_id: str) -> StoredMonitor:
    """The monitor as it is stored. Raises NotFound for an unknown one and for one out of reach."""
    return in_reach(acting, MONITORS.find(db, monitor_id), "schedule", monitor_id)


async def viewable_monitor(call: Call, monitor_id: str) -> Monitor:
    """A monitor that someone may see. Raises NotFound or Forbidden."""
    acting, found = find_monitor(call, monitor_id)
    await call.read(lambda db: check(db, acting, "viewer"))
    return visible(call, found)


def visible(call: Call, monitor: Monitor) -> Monitor:
    """A monitor as a caller may see it: secrets in its URL, and what it sends, only if they can change it."""
    person, key = call.identity.person, call.identity.key
    if person is not None:
        return monitor if person.may("member") else monitor.masked
    if key is not None:
        writes = "write:monitors" in key.scopes or key.may("write:monitors", monitor.website_id or "")
        return monitor if writes else monitor.masked
    return monitor
