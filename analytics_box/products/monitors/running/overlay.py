"""The maintenance windows of a monitor, for questions about nearly the same instant again and again."""

from collections.abc import Iterable
from functools import lru_cache

from analytics_box.products.monitors.monitor import Monitor
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
