"""A monitor at work: what is in memory of it while the box runs."""

import asyncio
from collections.abc import Iterable
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.facts.uptime import MAINTENANCE, PAUSED, STATES, UNKNOWN
from analytics_box.base.urls import url_parts
from analytics_box.products.monitors.engine import State
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.running.pool import Pool
from analytics_box.products.monitors.running.states import MonitorStanding
from analytics_box.products.monitors.window import MaintenanceWindow, change_after, is_covered, is_on


class Overlay:
    """The times of maintenance of a monitor, with these windows of its organization. Instants are UTC ms."""

    __slots__ = ("_phases",)

    def __init__(self, monitor: Monitor, windows: Iterable[MaintenanceWindow]) -> None:
        self._phases = tuple([_phase(window) for window in windows if is_covered(window, monitor)])

    def in_maintenance(self, instant: int) -> bool:
        """Whether one of them holds then."""
        return any(phase.at(instant)[0] for phase in self._phases)

    def next_change(self, instant: int) -> int | None:
        """The first instant after that at which one begins or ends; None if none ever does."""
        changes = (phase.at(instant)[1] for phase in self._phases)
        return min((change for change in changes if change is not None), default=None)


class _Phase:
    """Whether a window holds, from some instant until it changes. All monitors in it ask this one."""

    __slots__ = ("_change", "_is_on", "_start", "_window")

    def __init__(self, window: MaintenanceWindow) -> None:
        self._window = window
        self._start, self._is_on = 0, False
        self._change: int | None = 0

    def at(self, instant: int) -> tuple[bool, int | None]:
        """Whether it holds then, and when that changes."""
        if instant < self._start or (self._change is not None and instant >= self._change):
            self._start = instant
            self._is_on, self._change = is_on(self._window, instant), change_after(self._window, instant)
        return self._is_on, self._change


@lru_cache(maxsize=4_096)
def _phase(window: MaintenanceWindow) -> _Phase:
    return _Phase(window)


class CurrentStatus(Struct, frozen=True):
    """The current state of a monitor. `since` is its beginning, 0 for a new one; `next_at` is the next
    check (UTC ms)."""

    state: State
    since: int = 0
    last: CheckResult | None = None
    next_at: int | None = None
    is_flapping: bool = False


class WatchedDraft(Struct):
    """The state that follows commits: a monitor's standing, its open span (0: none), and what overlays its checks."""

    standing: MonitorStanding = MonitorStanding()
    shown: int = 0
    shown_since: int = 0
    is_unknown: bool = False
    is_paused: bool = False
    last: CheckResult | None = None
    seen: int = 0  # when it was last heard of, so that nothing is told out of order


class WatchedMonitor(Struct):
    """A monitor and its draft. A check of it under way has a `ticket` of its `lane`; `version` is of the monitor.

    `heard` is when a check of it last ended, or it was put in a place to be checked (UTC ms).
    """

    monitor: Monitor
    overlay: Overlay
    draft: WatchedDraft
    host: str
    ticket: int = 0
    lane: Pool | None = None
    is_running: bool = False
    version: int = 0
    heard: int = 0
    waiting: list[asyncio.Future[CheckResult]] | None = None


def without_data(result: CheckResult) -> CheckResult:
    """A result as it is remembered: what a JSON answer said is on disk."""
    return result if result.data is None else replace(result, data=None)


def host_of(monitor: Monitor) -> str:
    """The host of a monitor, which many may share, so that their checks of it are limited."""
    return url_parts(monitor.url).hostname or monitor.url


def live(watched: WatchedMonitor, next_at: int | None) -> CurrentStatus:
    """The current state of a monitor."""
    draft, standing = watched.draft, watched.draft.standing
    state: State
    if watched.monitor.is_paused:
        state = "paused"
    elif draft.shown in (UNKNOWN, MAINTENANCE, PAUSED):
        state = STATES[draft.shown]  # type: ignore[assignment]  # one of three words
    else:
        state = "verifying" if standing.is_verifying else standing.base
    since = {"verifying": standing.turned, "new": 0}.get(state, draft.shown_since)
    return CurrentStatus(state, since, draft.last, None if watched.monitor.is_paused else next_at, standing.flapping)
