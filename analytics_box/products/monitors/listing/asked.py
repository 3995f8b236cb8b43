"""The state of the monitor list, as its URL has it."""

from typing import Final
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import HOME
from analytics_box.products.monitors.selection import MonitorSelection

# What needs somebody first.
ORDER: Final[tuple[State, ...]] = ("down", "verifying", "degraded", "unknown", "new", "maintenance", "up", "paused")


class MonitorListState(Struct, frozen=True):
    """?search= &state= &group= &tag= &page=."""

    search: str = ""
    state: str = ""
    group: str = ""
    tag: str = ""
    page: int = 1

    @property
    def narrowed(self) -> bool:
        """Whether it leaves out monitors."""
        return bool(self.search or self.state or self.group or self.tag)

    @property
    def selection(self) -> MonitorSelection:
        """The monitors that it asks for, in whatever state."""
        return MonitorSelection(
            search=self.search, tags=(self.tag,) if self.tag else (), group=self.group or None, sort="state"
        )

    def link(self, **changes: object) -> str:
        """The URL of this list with some of it changed, for templates."""
        wanted = msgspec.structs.replace(self, **changes)
        given = {
            "search": wanted.search,
            "state": wanted.state,
            "group": wanted.group,
            "tag": wanted.tag,
            "page": str(wanted.page) if wanted.page > 1 else "",
        }
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{HOME}?{query}" if query else HOME
