"""What this room asks of whatever runs its monitors (monitors.running)."""

from collections.abc import Iterable
from typing import Literal, Protocol

from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.result import Result
from analytics_box.products.monitors.window import Window

State = Literal["new", "up", "degraded", "verifying", "down", "unknown", "maintenance", "paused"]


class Live(Protocol):
    """How a monitor is now: its state, since when, what the latest check found, and when the next one is (UTC ms)."""

    @property
    def state(self) -> State: ...

    @property
    def since(self) -> int | None: ...

    @property
    def last(self) -> Result | None: ...

    @property
    def next_at(self) -> int | None: ...


class Engine(Protocol):
    """Runs monitors. What is not awaited returns at once."""

    def put(self, monitor: Monitor, windows: Iterable[Window]) -> None:
        """A monitor is there, or has changed: this is how it is from now on. A new one is checked at once."""

    def remove(self, number: int) -> None:
        """A monitor is gone."""

    async def check_now(self, number: int) -> Result:
        """Check a monitor beside its schedule; the result counts."""

    async def try_now(self, monitor: Monitor) -> Result:
        """Check what may never be stored; nothing of it is."""

    async def pushed(self, number: int, at: int, ok: bool, message: str) -> None:
        """A monitor that waits was told how things are; resumes when that is on disk. Raises Unavailable."""

    def state_of(self, number: int) -> Live | None:
        """How it is now; None for one that is not run here."""
