"""What became of the jobs since the box started."""

from msgspec import Struct


class Run(Struct):
    """Of one job: how often it ran and failed, and when it last ended (Unix ms)."""

    times: int = 0
    failures: int = 0
    ended_at: int = 0


class Runs:
    """The runs of all jobs, by name."""

    def __init__(self) -> None:
        self.by_name: dict[str, Run] = {}

    def note(self, name: str, now: int, *, failed: bool) -> None:
        """A job ended."""
        run = self.by_name.setdefault(name, Run())
        run.times += 1
        run.failures += failed
        run.ended_at = now
