"""The interface of the engine that runs monitors (monitors.running)."""

from collections.abc import Iterable
from typing import Literal, Protocol

from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import CheckResult
from analytics_box.products.monitors.window import MaintenanceWindow

State = Literal["new", "up", "degraded", "verifying", "down", "unknown", "maintenance", "paused"]


class MonitorStatus(Protocol):
    """The current state of a monitor: the state, its beginning, the latest result, and the time of the next check (UTC
    ms).
    """

    @property
    def state(self) -> State: ...

    @property
    def since(self) -> int | None: ...

    @property
    def last(self) -> CheckResult | None: ...

    @property
    def next_at(self) -> int | None: ...


class MonitorEngine(Protocol):
    """Runs monitors. Methods that are not awaited return immediately."""

    def put(self, monitor: Monitor, windows: Iterable[MaintenanceWindow]) -> None:
        """A monitor is there, or has changed: this is how it is from now on. A new one is checked immediately."""

    def remove(self, number: int) -> None:
        """A monitor is gone."""

    async def check_now(self, number: int) -> CheckResult:
        """Check a monitor next to its schedule; the result counts."""

    async def try_now(self, monitor: Monitor) -> CheckResult:
        """Check what may never be stored; nothing of it is."""

    async def pushed(self, number: int, at: int, ok: bool, message: str) -> None:
        """A monitor that waits was told how things are; resumes when that is on disk. Raises Unavailable."""

    def state_of(self, number: int) -> MonitorStatus | None:
        """The current state of a monitor; None if it is not run here."""
