"""The context of a check of any kind: the target, the time left, and the place for its observations."""

import time

from msgspec import Struct, field

from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.messages import RequestCourse, Share, ms
from analytics_box.products.monitors.monitor import Monitor
from analytics_box.products.monitors.probing.seen import CheckObservations


class RunningCheck(Struct):
    """A check in progress. `now` is UTC ms; `began` is of perf_counter; `share` is the memory for what it keeps of an
    answer.

    `seen` and `course` are written as the check proceeds, so that a failed check also reports its observations.
    """

    client: Client
    monitor: Monitor
    now: int
    share: Share
    seen: CheckObservations = field(default_factory=CheckObservations)
    course: RequestCourse = field(default_factory=RequestCourse)
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
        """The seconds that are left before the timeout."""
        return self.monitor.seconds - ms(self.began) / 1000
