"""Input that procedures of monitors share: how they name an organization or a monitor (wire 8.1)."""

from msgspec import Struct

from analytics_box.products.monitors.monitor import Id


class MonitorOrganizationInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Id | None = None


class MonitorId(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a monitor."""

    scheduleId: Id
