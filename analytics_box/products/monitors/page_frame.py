"""Parts that all pages of monitors share: their frame, the permission to edit, and the names of states."""

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.translation import _
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.tenants.websites.shell import shell
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
    "created": _("The monitor is set up. Its first check is under way."),
    "saved": _("Saved. The next check uses the new settings."),
    "deleted": _("The monitor is deleted, and its checks with it."),
    "paused": _("Paused. It is not checked until you resume it, and the time counts neither as up nor as down."),
    "resumed": _("Resumed. It is being checked now."),
    "checked": _("Checked just now."),
    "rotated": _("It has a new address. The old one works no more."),
    "maintenance-made": _("The maintenance is planned."),
    "maintenance-saved": _("The maintenance is saved."),
    "maintenance-deleted": _("The maintenance is deleted."),
    "maintenance-ended": _("The maintenance is over. Checks count again."),
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
    "certificate_days": _("Days of the certificate"),
    "record": _("DNS record"),
    "banner": _("First line of the server"),
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
    "exists": _("is there"),
    "not_exists": _("is not there"),
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
