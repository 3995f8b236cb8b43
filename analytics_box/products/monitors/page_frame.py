"""Parts that all pages of monitors share: their frame, the permission to edit, and the names of states."""

from analytics_box.base.identity import SignedInPerson
from analytics_box.base.texts import MonitorList
from analytics_box.products.monitors.engine import MonitorStatus
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell


def frame(person: SignedInPerson) -> Shell:
    """The frame of all pages of monitors."""
    return shell(person, "monitors")


def state_name(live: MonitorStatus | None) -> str:
    """The state of a monitor, as pages and their styles name it."""
    return live.state if live is not None else "unknown"


def state_label(live: MonitorStatus | None) -> str:
    """The label of a monitor's state."""
    return MonitorList.states[state_name(live)]
