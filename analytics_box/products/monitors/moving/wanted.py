"""The contents of an import file: monitors and maintenance windows, from any program. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from analytics_box.base.file_queue import keep_going
from analytics_box.base.translation import _
from analytics_box.base.wrong_values import wrong_value
from analytics_box.products.monitors.editing.messages import CreateMonitor
from analytics_box.products.monitors.monitor import SECONDS, Granularity
from analytics_box.products.monitors.moving.history import MonitorHistory
from analytics_box.products.monitors.windows.messages import CreateMaintenanceWindow

T = TypeVar("T")

Form = Literal["yaml", "json"]  # of an export
Source = Literal[
    "analytics-box", "uptime-kuma", "gatus", "uptimerobot", "better-stack", "healthchecks", "list"
]  # whose file it is

MOST: Final = 10_000  # monitors of a file
MOST_WINDOWS: Final = 1_000  # maintenance windows of a file


class MonitorImportItem(Struct, frozen=True, kw_only=True):
    """A monitor of a file. `given` is None for one that cannot be: then `error` says why.

    `ref` is its id in the file, and `parent` the id of the monitor above. `website` is a domain. `token` identifies a
    heartbeat. `keeps_send` is true if the file omits the text that a check sends over TCP, `keeps_url` if it omits
    values of the URL's query. `notifications` are ids of the file's notifications. `taken` are imported fields, `notes`
    are about the others. A monitor that lost a setting that `decides` the result of its checks is paused.
    """

    number: int
    name: str
    ref: str = ""
    given: CreateMonitor | None = None
    parent: str = ""
    website: str = ""
    token: str = ""
    history: MonitorHistory | None = None
    keeps_send: bool = False
    keeps_url: bool = False
    notifications: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decides: bool = False
    error: str = ""
    field: str = ""


class WindowImportItem(Struct, frozen=True, kw_only=True):
    """A maintenance window of a file. Of `given` the monitor ids are what the file calls them."""

    ref: str
    given: CreateMaintenanceWindow


class ImportNotification(Struct, frozen=True):
    """A notification of another program. `kind` is its type as channels name it; `ref` is its id in the file."""

    ref: str
    name: str
    kind: str


class MonitorImportFile(Struct, frozen=True, kw_only=True):
    """The contents of an import file. `notes` are about the file as a whole."""

    monitors: tuple[MonitorImportItem, ...]
    notifications: tuple[ImportNotification, ...] = ()
    windows: tuple[WindowImportItem, ...] = ()
    notes: tuple[str, ...] = ()


def parents_first(listed: Sequence[T], parent: Callable[[T], T | None]) -> tuple[list[T], list[T]]:
    """The list in its order, but no item before its parent; and the items that are in a cycle or below one."""
    done: dict[int, T] = {}
    circles: set[int] = set()
    for one in listed:
        above: dict[int, T] = {}
        upper: T | None = one
        while upper is not None and id(upper) not in done and id(upper) not in above and id(upper) not in circles:
            above[id(upper)] = upper
            upper = parent(upper)
        if upper is None or id(upper) in done:
            done |= reversed(above.items())
        else:
            circles |= above.keys()
    return list(done.values()), [one for one in listed if id(one) in circles]


class MonitorImportNotes:
    """Notes on one monitor, collected while it is read."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.decides = False

    def say(self, text: str, *, decides: bool = False) -> None:
        """Add a note on a setting that is missing or different here."""
        self.said.append(text)
        self.decides = self.decides or decides

    def lost(self, name: str, *, decides: bool = False) -> None:
        """Note that this field is not supported."""
        self.say(_("{name} is not supported").format(name=name), decides=decides)


def new_monitor(fields: Mapping[str, Any]) -> tuple[CreateMonitor | None, str, str]:
    """The message that makes a monitor; None with the field that is wrong and why."""
    keep_going()
    try:
        return msgspec.convert(dict(fields), CreateMonitor), "", ""
    except msgspec.ValidationError as wrong:
        found = wrong_value(wrong, CreateMonitor)
        return None, found.path, found.message


def granularity(seconds: float, notes: MonitorImportNotes) -> Granularity:
    """The interval of the box that is nearest to this number of seconds."""
    seconds = max(seconds, 1.0)
    name = min(SECONDS, key=lambda one: abs(math.log(SECONDS[one] / seconds)))
    if SECONDS[name] != seconds:
        notes.say(
            _("An interval of {seconds} becomes {seconds2}").format(
                seconds=_seconds(seconds), seconds2=_seconds(SECONDS[name])
            )
        )
    return name


def times(wanted: float, notes: MonitorImportNotes, name: str) -> int:
    """A threshold of checks: at least 1, at most 10."""
    found = min(max(round(wanted), 1), 10)
    if found != wanted:
        notes.say(_("{name} becomes {found}").format(name=name, found=found))
    return found


def timeout(seconds: float) -> int:
    """A timeout in ms, as far as one may go."""
    return min(max(round(seconds * 1000), 1_000), 120_000)


def _seconds(seconds: float) -> str:
    return "1 second" if seconds == 1 else f"{seconds:,g} seconds"
