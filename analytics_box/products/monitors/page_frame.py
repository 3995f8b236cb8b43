"""Parts that all pages of monitors share: their frame, the permission to edit, the names of states, and
places that announce outages.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.call import Call
from analytics_box.web.page.shell import Shell

STATE_LABELS = {
    "up": _("Up"),
    "down": _("Down"),
    "degraded": _("Degraded"),
    "verifying": _("Verifying"),
    "maintenance": _("Maintenance"),
    "paused": _("Paused"),
    "unknown": _("Unknown"),
    "new": _("Waiting"),
}
DONE = {
    "created": _("Monitor created. Its first check is running."),
    "saved": _("Saved. The next check uses the new settings."),
    "deleted": _("Monitor and its checks deleted."),
    "paused": _("Monitor paused. Paused time does not count toward uptime."),
    "resumed": _("Monitor resumed. A check is running."),
    "checked": _("Check finished."),
    "rotated": _("Heartbeat URL replaced. The old URL no longer works."),
    "maintenance-made": _("Maintenance scheduled."),
    "maintenance-saved": _("Maintenance saved."),
    "maintenance-deleted": _("Maintenance deleted."),
    "maintenance-ended": _("Maintenance ended. Checks count again."),
}
KIND_LABELS = {
    "http": _("Website or API"),
    "tcp": _("TCP port"),
    "dns": _("DNS record"),
    "tls": _("Certificate"),
    "ping": _("Ping"),
    "push": _("Heartbeat"),
}
EVERY_LABELS = {
    "minute": _("Every minute"),
    "five_minutes": _("Every 5 minutes"),
    "ten_minutes": _("Every 10 minutes"),
    "thirty_minutes": _("Every 30 minutes"),
    "hour": _("Every hour"),
    "six_hours": _("Every 6 hours"),
    "twelve_hours": _("Every 12 hours"),
    "day": _("Every day"),
}
SUBJECT_LABELS = {
    "status": _("Status"),
    "response_time": _("Response time (ms)"),
    "body": _("Body"),
    "json": _("JSON value"),
    "header": _("Header"),
    "certificate_days": _("Certificate days left"),
    "record": _("DNS record"),
    "banner": _("Server greeting"),
}
COMPARISON_LABELS = {
    "equals": _("is"),
    "not_equals": _("is not"),
    "contains": _("contains"),
    "not_contains": _("does not contain"),
    "matches": _("matches the pattern"),
    "less_than": _("is less than"),
    "greater_than": _("is greater than"),
    "in": _("is one of"),
    "exists": _("is present"),
    "not_exists": _("is not present"),
}


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of monitors."""
    return shell(person, "monitors")


def state_name(live: MonitorStatus | None) -> str:
    """The state of a monitor, as pages and their styles name it."""
    return live.state if live is not None else "unknown"


def state_label(live: MonitorStatus | None) -> str:
    """The label of a monitor's state."""
    return STATE_LABELS[state_name(live)]


class OutageReport(Struct, frozen=True):
    """A way to report an outage: its link and label, and whether the outage is reported already."""

    href: str
    label: str
    is_told: bool


class Reporting(Struct, frozen=True):
    """Ways for a caller to report an outage of a monitor, by its id and its organization, from the room of status
    pages."""

    of: Callable[[Call, str, str], Sequence[OutageReport]]
