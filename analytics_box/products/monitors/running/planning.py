"""Due times of checks, and of changes of the maintenance windows over them. Instants are UTC ms."""

from collections.abc import Callable

from analytics_box.products.monitors.running import schedule
from analytics_box.products.monitors.running.schedule import Bursts, CheckSchedule
from analytics_box.products.monitors.running.states import patience
from analytics_box.products.monitors.running.watched import WatchedMonitor


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
        """Nothing of it is due any more."""
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
            self.due.put(monitor.number, schedule.first_due(monitor.id, monitor.interval, now))

    def following(self, watched: WatchedMonitor, now: int) -> None:
        """Plan its next check on its grid; of one that waits to be told, when it is late."""
        monitor, standing = watched.monitor, watched.draft.standing
        if monitor.is_paused:
            return
        if monitor.kind != "push":
            self.due.put(monitor.number, schedule.next_due(monitor.id, monitor.interval, now))
        elif standing.heard:
            late_at = standing.heard + standing.extra + patience(monitor)
            self.due.put(monitor.number, late_at if late_at > now else now + patience(monitor))
        self._woken()
