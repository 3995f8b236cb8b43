"""Results of the jobs since the box started, and their next runs."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.base.store.db import Connection

_LONGEST = 200  # characters of an error


class JobRun(Struct):
    """Of one job: how often it ran and failed, and in a row until now; when it last ended (Unix ms), how many seconds
    that took, and what was wrong when it last failed."""

    times: int = 0
    failures: int = 0
    in_a_row: int = 0
    ended_at: int = 0
    seconds: float = 0.0
    error: str = ""


class KnownJob(NamedTuple):
    """A job of the table: what it does, and the seconds between two runs."""

    text: str
    every: int


class Runs:
    """The runs of all jobs, by name. `known` is the table of jobs, `next_runs` says when each runs next (Unix ms);
    both are empty until the jobs are started."""

    def __init__(self) -> None:
        self.by_name: dict[str, JobRun] = {}
        self.known: Mapping[str, KnownJob] = {}
        self.next_runs: Callable[[], Mapping[str, int]] = dict

    def note(self, name: str, now: int, *, seconds: float = 0.0, failed: bool = False, error: str = "") -> None:
        """A job ended."""
        run = self.by_name.setdefault(name, JobRun())
        run.times += 1
        run.failures += failed
        run.in_a_row = run.in_a_row + 1 if failed else 0
        run.ended_at, run.seconds = now, seconds
        run.error = error or run.error


def error_text(broken: BaseException) -> str:
    """An error for administrators: ours in its words, any other by its kind first."""
    if isinstance(broken, BoxError):
        return broken.message
    return f"{type(broken).__name__}: {broken}".strip(": ")[:_LONGEST]


def last_runs(db: Connection, names: list[str], now: int) -> dict[str, int]:
    """The last runs of these jobs, in UTC ms; for one that never ran, the time since when the box knows it.

    A time in the future comes from a clock that was ahead: it counts as now, and is stored so, else it would count
    again
    after each restart and the interval never end.
    """
    for name in names:
        db.execute(
            "-- runs.last_runs\ninsert or ignore into job_runs (name, ran_at) values (?, ?)", (name, now)
        ).fetchall()
    db.execute("-- runs.last_runs\nupdate job_runs set ran_at = ?1 where ran_at > ?1", (now,)).fetchall()
    rows = db.execute("-- runs.last_runs\nselect name, ran_at from job_runs").fetchall()
    return {str(name): int(str(ran_at)) for name, ran_at in rows}


def note(db: Connection, name: str, now: int) -> None:
    """This job has just run."""
    db.execute("-- runs.note\ninsert or replace into job_runs (name, ran_at) values (?, ?)", (name, now)).fetchall()
