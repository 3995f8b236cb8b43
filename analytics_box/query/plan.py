"""The plan that an engine answers: engine-free, frozen, with every time zone and name already resolved."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.query.filters import FilterCondition, FunnelPlan, Where
from analytics_box.query.ranges import TimeWindow

# What a plan scans: events; the sessions that start in the range, their first page views, their last ones, both of
# them, or each page view with the next; the properties of custom events one by one; one of the tables of spans; the
# visitors whom one flag gave something, each with what came of it; the sessions that met an error on a page, and those
# that saw the page without it; the clicks on links, whose numbers are then the sites; the sessions on the box's own
# websites that followed such clicks; or the checks of monitors and how these were, with the numbers of the monitors as
# sites; or the visits that entered a funnel, each with the times of its steps. Of the requests of AI agents all are
# taken, or those of pages that no person has viewed in the range. Of the spans of monitors all are taken that overlap
# the range, as they are. Of visitors who can be recognized on another day: the periods in which each was
# there, or in which it came back after its first; the people who did something first in the range, and how often it was
# done. Or the steps of sessions from node to node.
Source = Literal[
    "events",
    "sessions",
    "entries",
    "exits",
    "journeys",
    "steps",
    "properties",
    "vitals",
    "errors",
    "outgoing_links",
    "engagement",
    "flag_exposures",
    "mcp_calls",
    "ai_requests",
    "ai_unvisited",
    "experiments",
    "exposures",
    "met",
    "transactions",
    "link_clicks",
    "landings",
    "funnels",
    "activity",
    "retention",
    "profile_retention",
    "activations",
    "flows",
    "checks",
    "monitor_spans",
]
AI_SOURCES: frozenset[Source] = frozenset(("ai_requests", "ai_unvisited"))
OF_SESSIONS: frozenset[Source] = frozenset(("sessions", "entries", "exits", "journeys", "steps"))

# Dimensions that a plan explains itself: by `runs`, by `offsets`, and by which lasting visitors were
# there in the 90 days before it.
BUCKET, HOUR_OF_DAY, DAY_OF_WEEK, RETURNING = "bucket", "hour_of_day", "day_of_week", "returning"
LOOK_BACK = 90 * DAY

# The longest gap between two periods of a visitor that is distinguished: active in a month means in 30 days.
LONGEST_GAP = 30

# How far the events of a session that starts in a range may lie outside it (semantics 10). Leave beacons further before
# its start, whose page views never came, are not looked at.
SESSION_BEFORE, SESSION_AFTER = 30 * MINUTE, DAY
# A page view follows a click on a short link within this time.
SOON = 5 * MINUTE

# Means and percentiles come as integers, in so many parts of one, so that they are the same from every engine.
PARTS_OF_ONE = 100_000_000

_MEASURED = re.compile(r"(.*_)?(avg|mean|p\d\d)|median_.*")


def nothing(measure: str) -> int | None:
    """The value of a measure if there are no facts: None for means and percentiles, 0 for everything else."""
    return None if _MEASURED.fullmatch(measure) else 0


class BucketRun(Struct, frozen=True):
    """Neighbouring buckets of one width: from `start` (UTC ms) on, each `width` ms long, numbered from `first`."""

    start: int
    width: int
    first: int


class Offset(NamedTuple):
    """From `start` (UTC ms) on, local time is UTC plus `offset` ms."""

    start: int
    offset: int


# How a key is made of names, as the field is that it sorts by (engines/sql/ordering.py).
Way = Literal[
    "text",  # that may be unknown
    "digits",  # of a number, as text
    "id",  # a visitor's; 0 is nobody
    "mean",  # of what was measured, as a ratio; unknown where nothing was
    "session",  # the id that a client has sent, else the number
    "session_end",  # the last six digits of the number
    "device",  # a kind of device, desktop where it is unknown
    "ratio",  # 0 of nothing
    "version",  # after what has it
    "place",  # within another
    "step",  # from page to page
    "variant",  # of a flag
    "coded",  # what `codes` has for a value
    "money",  # an amount in minor units of a currency
    "attributed",  # of the session that a payment is attributed to, or that it is not
    "domain",  # the same for a source; else itself where it is a host
]


class DerivedKey(NamedTuple):
    """A key that consists of names of the plan. `codes` are the texts of the first name's values."""

    way: Way
    of: tuple[str, ...]
    codes: Callable[[], Mapping[Any, str]] | None = None


Key = str | DerivedKey  # a measure, dimension or column, or what is made of some


class PlanOrder(NamedTuple):
    """By a measure, dimension or column of the plan, or by what is made of them. What is unknown comes last."""

    key: Key
    descending: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plan that it takes."""
        return names_of(self.key)


def names_of(key: Key) -> tuple[str, ...]:
    """The names of the plan that something to sort by is made of."""
    return (key,) if isinstance(key, str) else key.of


class Having(Struct, frozen=True):
    """A condition on a measure: it is one of the numbers, or with `negated` none of them."""

    measure: str
    numbers: tuple[float, ...]
    negated: bool


MOST_STEPS = 10
# Upper limits in ms of the first ranges of times to convert; the last range has none.
TIME_EDGES = (10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, DAY)


class PeriodPlan(Struct, frozen=True):
    """The periods that visitors are looked for in. The plan's `runs` number those from `shown` (UTC ms) on; the period
    before them, which begins at `previous`, is -1, and whatever is earlier -2. The first `finished` of them are over.

    Cohorts begin with the custom event `activation`, and come back with `comeback`; an empty one is any visit. People
    come back within `horizon` ms, before the instant `until` (UTC ms); of events in a `namespace`, if there is one.
    """

    shown: int
    previous: int
    finished: int
    activation: str = ""
    comeback: str = ""
    namespace: str | None = None
    horizon: int = 0
    until: int = 0


# What a node of a journey is: patterns are numbered from the last one on.
PAGE_NODE, EVENT_NODE, OTHER_NODE, END_NODE, PATTERN_NODE = 1, 2, 3, 4, 10


class FlowPlan(Struct, frozen=True):
    """Journeys of `steps` steps, from the `anchor` on, or to it: a page view or a custom event with this name, or the
    first page of the session, or its last. Each step has its `nodes` commonest nodes; the others are one node. Pages
    that match one of the patterns in `collapsed` are one node, too. With `events` custom events are nodes as well."""

    steps: int
    nodes: int
    backwards: bool = False
    anchor: FilterCondition | None = None
    collapsed: tuple[FilterCondition, ...] = ()
    events: bool = False


class QueryPlan(Struct, frozen=True):
    """A scan of the facts of some sites in [start, end).

    With `group` there is a row per group (its dimensions, then `measures`); without it, one row of measures; with
    `columns`, single rows. `share_of` adds the sum of that measure over all groups as the last column, or
    over those that have the same dimensions `share_within`. Sources of
    sessions take the sessions that start in the range, so that their scan looks a little further.

    `timed` takes events with more than the first and less than the second number of engaged seconds, `metrics` vitals
    of these numbers, `least` groups in which a measure reaches a number; `present` names columns that must not be
    empty. Flag exposures match conditions from `given_before` ms before the start on. `runs` number the bucket of an
    instant, for the dimension `bucket`; `offsets` give local time, for `hour_of_day` (0–23) and `day_of_week` (0 is
    Sunday). Groups that are equal in `order` are sorted by their dimensions. `per` keeps the best rows of each value of
    the first dimensions: (number of dimensions, number of rows). `limit` 0 is unlimited. `funnel` has the steps of the
    source funnels, `periods` what activity, retention, profile_retention and activations need, `flow` the journeys of
    the source flows.
    """

    source: Source
    sites: tuple[int, ...]
    start: int
    end: int
    measures: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kinds: tuple[int, ...] = ()
    bots: bool = False
    timed: tuple[int, int] = (0, 0)
    metrics: tuple[int, ...] = ()
    least: tuple[str, int] = ("", 0)
    present: tuple[str, ...] = ()
    where: tuple[Where, ...] = ()
    given_before: int = 0
    having: tuple[Having, ...] = ()
    runs: tuple[BucketRun, ...] = ()
    offsets: tuple[Offset, ...] = ()
    order: tuple[PlanOrder, ...] = ()
    share_of: str = ""
    share_within: tuple[str, ...] = ()
    per: tuple[int, int] = (0, 0)
    limit: int = 0
    offset: int = 0
    funnel: FunnelPlan | None = None
    periods: PeriodPlan | None = None
    flow: FlowPlan | None = None

    @property
    def finds_nothing(self) -> bool:
        """Whether it wants buckets and there are none: a day that its zone has left out."""
        return BUCKET in self.group and not self.runs

    @property
    def names(self) -> tuple[str, ...]:
        """The names of a row's values, in order."""
        if self.columns:
            return self.columns
        return (*self.group, *self.measures, *(("whole",) if self.share_of else ()))


def runs_of(window: TimeWindow) -> tuple[BucketRun, ...]:
    """The buckets of a window as runs of equal width; a change of the clock makes a new run."""
    starts = [bucket.start for bucket in window.buckets] + [window.end]
    runs: list[BucketRun] = []
    for number, (start, end) in enumerate(pairwise(starts)):
        width = end - start
        if width and not (runs and _goes_on(runs[-1], start, width, number)):
            runs.append(BucketRun(start, width, number))
    return tuple(runs)


def _goes_on(run: BucketRun, start: int, width: int, number: int) -> bool:
    """Whether this bucket is the next of the run; after a day that did not exist the numbers no longer match."""
    return run.width == width and run.first + (start - run.start) // width == number
