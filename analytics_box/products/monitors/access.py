"""Access to monitors: people by their role, keys by their scope and, if they are restricted, only the monitors of their
websites.
"""

from collections.abc import Set

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.base.acting import By
from analytics_box.base.identity import Role, require
from analytics_box.base.store.db import Connection
from analytics_box.products.monitors import rows
from analytics_box.products.monitors.directory import Monitors
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.rows import StoredMonitor
from analytics_box.tenants.tenancy import access
from analytics_box.web.call import Call


class MonitorReach(Struct, frozen=True):
    """The monitors that a caller may act on: those of this organization and, for a restricted key, only those of these
    websites.
    """

    organization_id: str
    by: By
    websites: Set[str] | None = None

    def covers(self, monitor: Monitor) -> bool:
        """Whether a monitor is one of theirs."""
        return monitor.organization_id == self.organization_id and self.reaches(monitor.website_id)

    def reaches(self, website_id: str | None) -> bool:
        """Whether they may act on a monitor of this website; None for one of no website."""
        return self.websites is None or website_id in self.websites


def reach(call: Call, organization_id: str | None = None) -> MonitorReach:
    """The monitors that a caller may act on: in the named organization, else in the caller's. Raises Forbidden or
    AuthRequired.
    """
    key = call.identity.key
    return MonitorReach(call.organization(organization_id), call.by, key.websites if key is not None else None)


def global_reach(call: Call, organization_id: str | None = None) -> MonitorReach:
    """The reach for an action on the whole organization. Raises Forbidden for a restricted key."""
    found = reach(call, organization_id)
    if found.websites is not None:
        raise errors.Forbidden("This needs a key with global access")
    return found


def find_monitor(call: Call, monitor_id: str) -> tuple[MonitorReach, Monitor]:
    """A monitor in reach of a caller. Raises NotFound or AuthRequired."""
    found = call.parts[Monitors].find(monitor_id)
    if found is None:
        raise errors.NotFound.of("schedule", monitor_id)
    try:
        acting = reach(call, found.organization_id)
    except errors.Forbidden as refused:
        raise errors.NotFound.of("schedule", monitor_id) from refused
    if not acting.covers(found):
        raise errors.NotFound.of("schedule", monitor_id)
    return acting, found


def check(db: Connection, acting: MonitorReach, role: Role) -> None:
    """Raises Forbidden for those who do not belong to the organization, or not with this role."""
    require(access.role_of(db, acting.organization_id, acting.by), role)


def existing(db: Connection, acting: MonitorReach, monitor_id: str) -> StoredMonitor:
    """The monitor as it is stored. Raises NotFound for an unknown one and for one out of reach."""
    found = rows.find(db, monitor_id)
    if found is None or not acting.covers(found.monitor):
        raise errors.NotFound.of("schedule", monitor_id)
    return found


async def viewable_monitor(call: Call, monitor_id: str) -> Monitor:
    """A monitor that somebody may see. Raises NotFound or Forbidden."""
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
