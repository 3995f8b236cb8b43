"""What an engine is asked for: engine-free, frozen, with every zone and name already resolved."""

from itertools import pairwise
from typing import Literal

from msgspec import Struct

from analytics_box.clock import DAY, MINUTE
from analytics_box.query.filters import Condition
from analytics_box.query.ranges import Window

Grain = Literal["events", "sessions"]

# How far the events of a session that starts in a range may lie outside it (semantics 10).
SESSION_BEFORE, SESSION_AFTER = 30 * MINUTE, DAY


class Run(Struct, frozen=True):
    """Neighbouring buckets of one width: from `start` (UTC ms) on, each `width` ms long, numbered from `first`."""

    start: int
    width: int
    first: int


class Plan(Struct, frozen=True):
    """One scan of the facts of some sites in [start, end), grouped by bucket or by a dimension.

    The grain `events` measures single events in the range; `sessions` measures sessions that start in it, so its
    scan looks a little further. Rows come as (group, measure, …) in the order of `measures`; without a group there
    is one row without it. `order` names measures, best first, then the group; `limit` 0 is all.
    """

    grain: Grain
    sites: tuple[int, ...]
    start: int
    end: int
    measures: tuple[str, ...]
    kinds: tuple[int, ...] = ()
    dimension: str = ""
    runs: tuple[Run, ...] = ()
    conditions: tuple[Condition, ...] = ()
    order: str = ""
    descending: bool = True
    share_of: str = ""
    limit: int = 0
    offset: int = 0


def runs_of(window: Window) -> tuple[Run, ...]:
    """The buckets of a window as runs of equal width; a change of the clock makes a new run."""
    starts = [bucket.start for bucket in window.buckets] + [window.end]
    runs: list[Run] = []
    for number, (start, end) in enumerate(pairwise(starts)):
        width = end - start
        if width and not (runs and _goes_on(runs[-1], start, width, number)):
            runs.append(Run(start, width, number))
    return tuple(runs)


def _goes_on(run: Run, start: int, width: int, number: int) -> bool:
    """Whether this bucket is the next of the run; after a day that did not exist the numbers no longer match."""
    return run.width == width and run.first + (start - run.start) // width == number
