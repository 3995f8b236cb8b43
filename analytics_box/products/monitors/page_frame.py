"""What all pages of monitors share: their frame, who may change something, and how states are named."""

from analytics_box.base.identity import Person
from analytics_box.base.texts import MonitorList
from analytics_box.products.monitors.engine import Live
from analytics_box.tenants.websites.shell import shell
from analytics_box.web.page.shell import Shell


def frame(person: Person) -> Shell:
    """The frame of all pages of monitors."""
    return shell(person, "monitors")


def state_name(live: Live | None) -> str:
    """How a monitor is, as pages and their styles call it."""
    return live.state if live is not None else "unknown"


def state_label(live: Live | None) -> str:
    """How a monitor is, in words."""
    return MonitorList.states[state_name(live)]
