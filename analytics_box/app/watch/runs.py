"""Results of jobs and of outgoing requests since the box started, and the next runs of jobs."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal, NamedTuple

from msgspec import Struct, field

from analytics_box.base.errors import BoxError, Unavailable
from analytics_box.base.notify.receivers import Queue
from analytics_box.base.store.db import Connection

OutboxName = Literal["channels", "subscribers", "reports", "primary"]
OUTCOMES: Final = ("sent", "failed", "given_up")


class WatchedOutbox(Struct, frozen=True):
    """An outbox: a function that returns its queue, and the live counts of attempts since the start by outcome."""

    queue: Callable[[], Awaitable[Queue]]
    outcomes: Mapping[str, int] = {}


class OutgoingWatch(Struct, frozen=True):
    """The messages and checks of other rooms; filled while the box is put together.

    `monitors` counts monitors by state, `refused` those whose last check was refused because of its network, and
    `lookups` the questions to domain registries by outcome.
    """

    outboxes: dict[OutboxName, WatchedOutbox] = field(default_factory=dict)
    monitors: Callable[[], Mapping[str, int]] = dict
    refused: Callable[[], int] = int
    lookups: list[Mapping[str, int]] = field(default_factory=list)


class OutboxState(Struct, frozen=True):
    """An outbox now. `oldestAt` is UTC ms; `sent`, `failed` and `givenUp` count attempts since the start."""

    name: OutboxName
    waiting: int
    oldestAt: int | None
    failing: int
    sent: int
    failed: int
    givenUp: int


async def states(outgoing: OutgoingWatch) -> list[OutboxState]:
    """The outboxes now; none that cannot be read."""
    found = []
    for name, outbox in outgoing.outboxes.items():
        try:
            queue = await outbox.queue()
        except Unavailable:
            continue
        sent, failed, given_up = (outbox.outcomes.get(outcome, 0) for outcome in OUTCOMES)
        found.append(OutboxState(name, queue.waiting, queue.oldest_at, queue.failing, sent, failed, given_up))
    return found


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
