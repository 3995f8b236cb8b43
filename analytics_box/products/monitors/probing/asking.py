"""What the check of every kind gets: whom to ask, for how long, and where to write what it saw."""

import time

from msgspec import Struct, field

from analytics_box.base.outgoing.budget import Share
from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.messages import Course, ms
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.probing.seen import Seen


class Asking(Struct):
    """One check under way. `now` is UTC ms; `began` is of perf_counter; `share` is for what it keeps of an answer.

    `seen` and `course` are written as the check goes on, so that a check that fails tells what it got.
    """

    client: Client
    monitor: Monitor
    now: int
    share: Share
    seen: Seen = field(default_factory=Seen)
    course: Course = field(default_factory=Course)
    began: float = field(default_factory=time.perf_counter)

    def begin(self) -> None:
        """Let the clock run now, after what has to be loaded is."""
        self.began = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """For how long it has been under way, in ms, without what it had to wait for others."""
        return max(0.0, ms(self.began) - self.course.waited)

    @property
    def left(self) -> float:
        """How many seconds are left."""
        return self.monitor.seconds - ms(self.began) / 1000
