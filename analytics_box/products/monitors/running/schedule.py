"""The schedule of checks. Pure, but for its state.

Due times of a monitor are on a grid: multiples of its interval plus an offset derived from its id. So they are spread,
and the same after a restart. Instants are UTC ms.
"""

import heapq
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from analytics_box.products.monitors.running.states import patience
from analytics_box.products.monitors.running.watched import WatchedMonitor

FIRST_ROUND: Final = 60  # seconds over which the first checks after a start are spread, at most
AT_ONCE: Final = 20  # monitors of one organization that are checked at once when they change at once
_AT_ONCE_MS: Final = 1_000


def phase(monitor_id: str, interval: int) -> int:
    """The offset of a monitor's due times within its interval (seconds), in ms."""
    return int.from_bytes(blake2b(monitor_id.encode(), digest_size=8).digest()) % (interval * 1000)


def next_due(monitor_id: str, interval: int, now: int) -> int:
    """The first time after now at which a monitor is due that is checked every `interval` seconds."""
    return _next(phase(monitor_id, interval), interval * 1000, now)


def first_due(monitor_id: str, interval: int, now: int) -> int:
    """The time of a monitor's first check after a start: soon, and at a due time if one is soon."""
    step = min(interval, FIRST_ROUND) * 1000
    return _next(phase(monitor_id, interval) % step, step, now)


def _next(phase_: int, step: int, now: int) -> int:
    return now + step - (now - phase_) % step


class Bursts:
    """Tells bursts of changes from single ones."""

    def __init__(self) -> None:
        self._since = 0
        self._counts: Counter[str] = Counter()

    def is_one(self, organization_id: str, now: int) -> bool:
        """Whether the organization changed its limit of monitors within a second, so that another change waits."""
        if not 0 <= now - self._since < _AT_ONCE_MS:
            self._since = now
            self._counts.clear()
        self._counts[organization_id] += 1
        return self._counts[organization_id] > AT_ONCE


class CheckSchedule:
    """A heap of what is due, by numbers. What was put off or dropped stays in the heap until its old time comes."""

    def __init__(self) -> None:
        self._due: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._due)

    def put(self, number: int, due: int) -> None:
        """Schedule a number for this time instead of an earlier set one."""
        if self._due.get(number) != due:
            self._due[number] = due
            heapq.heappush(self._heap, (due, number))
            if len(self._heap) > 64 + 4 * len(self._due):
                self._heap = [(due, number) for number, due in self._due.items()]
                heapq.heapify(self._heap)

    def drop(self, number: int) -> None:
        """Remove a number from the schedule."""
        self._due.pop(number, None)

    def due_at(self, number: int) -> int | None:
        """The next due time of a number."""
        return self._due.get(number)

    def next(self) -> int | None:
        """The next due time of any number."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: int) -> list[tuple[int, int]]:
        """Remove all that is due by now and return it with its time, the longest due first."""
        taken: list[tuple[int, int]] = []
        while (due := self.next()) is not None and due <= now:
            _, number = heapq.heappop(self._heap)
            del self._due[number]
            taken.append((number, due))
        return taken


class Planning:
    """Plans checks. Calls `woken` if something may be due earlier than known."""

    def __init__(self, woken: Callable[[], None]) -> None:
        self.due, self.changes = CheckSchedule(), CheckSchedule()
        self._bursts = Bursts()
        self._woken = woken

    def next(self) -> int | None:
        """The next time at which anything is due."""
        return min((at for at in (self.due.next(), self.changes.next()) if at is not None), default=None)

    def drop(self, number: int) -> None:
        """Remove a monitor from the schedule."""
        self.due.drop(number)
        self.changes.drop(number)

    def change(self, watched: WatchedMonitor, now: int) -> None:
        """Plan when its windows begin or end next."""
        change = watched.overlay.next_change(now)
        if change is None:
            self.changes.drop(watched.monitor.number)
        else:
            self.changes.put(watched.monitor.number, change)
            self._woken()

    def at_once(self, watched: WatchedMonitor, now: int) -> None:
        """Plan its next check now."""
        if watched.monitor.kind == "push":
            self.following(watched, now)
        elif not watched.monitor.is_paused:
            self.due.put(watched.monitor.number, now)
            self._woken()

    def soon(self, watched: WatchedMonitor, now: int) -> None:
        """Plan it now, unless many changed at once: then they are spread as after a start."""
        is_burst = not watched.monitor.is_paused and self._bursts.is_one(watched.monitor.organization_id, now)
        (self.first if is_burst else self.at_once)(watched, now)
        self._woken()

    def first(self, watched: WatchedMonitor, now: int) -> None:
        """Plan its first check after a start."""
        monitor = watched.monitor
        if monitor.kind == "push":
            self.following(watched, now)
        elif not monitor.is_paused:
            self.due.put(monitor.number, first_due(monitor.id, monitor.interval, now))

    def following(self, watched: WatchedMonitor, now: int) -> None:
        """Plan its next check on its grid; of one that waits to be told, when it is late."""
        monitor, standing = watched.monitor, watched.draft.standing
        if monitor.is_paused:
            return
        if monitor.kind != "push":
            self.due.put(monitor.number, next_due(monitor.id, monitor.interval, now))
        elif standing.heard:
            late_at = standing.heard + standing.extra + patience(monitor)
            self.due.put(monitor.number, late_at if late_at > now else now + patience(monitor))
        self._woken()
