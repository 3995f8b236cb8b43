"""Monitors as alert rules need them; they are in a room above, and connected where the box is assembled."""

from collections.abc import Callable

from msgspec import Struct


class MonitorName(Struct, frozen=True):
    """A monitor to choose: its id and what people call it, its group and tags."""

    id: str
    name: str
    group: str = ""
    tags: tuple[str, ...] = ()


class MonitorsOfOrganization(Struct, frozen=True):
    """The monitors of an organization by its id, and whether the monitor of a website (by its id) is down now
    or in maintenance.

    `rests` is whether nobody is to be reminded of a monitor (by its id) now: it is paused, in maintenance, or gone,
    or what it depends on is in trouble.
    """

    of: Callable[[str], list[MonitorName]] = lambda _: []
    is_down: Callable[[str], bool] = lambda _: False
    rests: Callable[[str], bool] = lambda _: False
