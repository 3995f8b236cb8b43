"""Rolling up days, in SQL that both engines understand: what of each UTC day of a website is kept (query.rollups).

The table `days` has every UTC day on which a website has an event, or a session began, and whether it is rolled up. A
day that is not there has nothing. Who keeps them says of a day that it is no longer, when a row of it comes or goes.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from analytics_box.clock import DAY
from analytics_box.facts.event import LASTS, PAGE_VIEW, VISITOR_BITS
from analytics_box.query.engines import sql
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import BOUNCED
from analytics_box.query.engines.sql.relations import relation
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import Plan
from analytics_box.query.rollups import BY_DIMENSION, OF_EVENTS, OF_SESSIONS, SLOT, STARTS, TIME, Roll

ALWAYS_PAYS = 1_000  # rows that a roll-up of a day may have whatever the day has
PAYS = 4  # events of a day for each row of a roll-up of it

_ALIKE = f"visitor & {LASTS} = 0"
# The id of a session's start, which is of its day unless that row was erased (names.STARTER).
_OF_THE_START = f"{_ALIKE} and (starter >> {VISITOR_BITS}) in (0, 2, 6)"
_VISITOR = f"starter % {1 << VISITOR_BITS}"
_WANTED = "in (select site, day from wanted_days)"

Do = Callable[..., object]  # runs a statement, with its values if it has any


class Day(NamedTuple):
    """A UTC day of a website."""

    site: int
    day: int


class Kept(NamedTuple):
    """A table of roll-ups: the columns that name a row, and the others, with their types."""

    key: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def columns(self) -> str:
        """All of them, as they are declared."""
        return ", ".join(f"{name}{'' if ' ' in name else ' bigint'}" for name in (*self.key, *self.others))


def _tables() -> Iterator[tuple[str, Kept]]:
    day = ("site", "day")
    yield "days", Kept(day, ("rolled boolean",))
    yield "rolled_days", Kept(day)  # that have rows in the tables below, whether or not they are true
    yield "not_rolled", Kept((*day, "roll varchar"))  # what did not pay on a day that is rolled
    slot = (*day, "slot integer")
    yield f"rolled_{TIME.name}", Kept(slot, ("pageviews", "total_events", "firsts", "lasts"))
    yield f"rolled_{TIME.name}_ids", Kept((*day, "visitor"), ("first_slot integer", "last_slot integer"))
    yield f"rolled_{STARTS.name}", Kept(slot, ("sessions", "bounces", "total_events", "duration_total"))
    yield "rolled_durations", Kept(slot, ("duration",))
    for roll in BY_DIMENSION:
        group = (*day, *(f"{name} integer" for name in roll.group))
        yield f"rolled_{roll.name}", Kept(group, tuple(sorted(roll.measures)))
        yield f"rolled_{roll.name}_ids", Kept((*group, "visitor"))


TABLES: Mapping[str, Kept] = dict(_tables())
OF_ROLLS = tuple(name for name in TABLES if name.startswith("rolled_"))


class Rolling(NamedTuple):
    """How an engine rolls up: the words of its statements, days with a number each from JSON ($1 or ?1) as a table
    site, day, events; all events of the sites in :sites that a batch reads, and what is kept of durations by slot."""

    dialect: Dialect
    listed: str
    events: str
    durations: str


class Batch:
    """Days that are rolled up together, with the number of the events of each: their statements, in their order."""

    def __init__(self, do: Do, rolling: Rolling, events: Mapping[Day, int]) -> None:
        self._run = do
        self._rolling = rolling
        self._events = events
        self._sites = tuple(sorted({day.site for day in events}))
        self._start = min(day.day for day in events) * DAY
        self._end = (max(day.day for day in events) + 1) * DAY
        do("create temp table wanted_days (site bigint, day bigint, events bigint)")
        do(
            f"insert into wanted_days {rolling.listed}",
            [json.dumps([[*day, number] for day, number in events.items()])],
        )

    def forget(self) -> None:
        """Remove what was rolled up of these days before."""
        for table in ("not_rolled", *OF_ROLLS):
            self._do(f"delete from {table} where (site, day) {_WANTED}")

    def roll(self) -> None:
        """Roll up all of them."""
        self._roll_events()
        self._roll_sessions()
        if any(number > ALWAYS_PAYS for number in self._events.values()):
            self._check_that_it_pays()
        self._do("insert into rolled_days select site, day from wanted_days")
        for table in ("wanted_days", "wanted_events", "wanted_visits", "wanted_sessions"):
            self._do(f"drop table {table}")

    def _do(self, statement: str, values: Values | None = None) -> None:
        self._run(self._rolling.dialect.finish(statement), values or {})

    def _roll_events(self) -> None:
        self._of_events("wanted_events", f"time % {DAY} / {SLOT} as slot, kind, visitor, path")
        self._roll_time()
        attributes = sorted({name for roll in OF_EVENTS for name in roll.group} - {"path"})
        by = ", ".join(str(number) for number in range(1, 4 + len(attributes)))
        views = "count(case when kind = 1 then 1 end) as views"
        self._of_events("wanted_visits", f"visitor, {', '.join(attributes)}, {views}", f"and kind <> 3\ngroup by {by}")
        for roll in OF_EVENTS:
            if roll.kinds == (PAGE_VIEW,):
                self._cells(roll, f"wanted_events where kind = {PAGE_VIEW}", "count(*)", _ALIKE)
            else:
                self._cells(roll, "wanted_visits where true", "sum(views)", _ALIKE)

    def _of_events(self, table: str, shown: str, more: str = "") -> None:
        """A table of what events of these days have."""
        day = f"time / {DAY}"
        within: Values = {"start": self._start, "end": self._end, "sites": json.dumps(self._sites)}
        found = (
            f"create temp table {table} as select site, {day} as day, {shown}\nfrom {self._rolling.events}"
            f" and time >= :start and time < :end and bot = 0 and (site, {day}) {_WANTED} {more}"
        )
        self._run(*sql.finished(found, "roll", self._rolling.dialect, within))

    def _roll_time(self) -> None:
        self._do(
            "create temp table seen as select site, day, visitor, min(slot) as first_slot, max(slot) as last_slot"
            " from wanted_events where kind <> 3 and visitor <> 0 group by 1, 2, 3"
        )
        self._do(
            f"insert into rolled_{TIME.name}_ids select site, day, visitor, first_slot, last_slot from seen"
            f" where not ({_ALIKE})"
        )
        self._do(
            f"insert into rolled_{TIME.name}"
            " select site, day, slot, sum(views), sum(events), sum(firsts), sum(lasts) from ("
            " select site, day, slot, count(case when kind = 1 then 1 end) as views,"
            " count(case when kind <> 3 then 1 end) as events, 0 as firsts, 0 as lasts from wanted_events"
            " group by 1, 2, 3"
            f" union all select site, day, first_slot, 0, 0, count(*), 0 from seen where {_ALIKE} group by 1, 2, 3"
            f" union all select site, day, last_slot, 0, 0, 0, count(*) from seen where {_ALIKE} group by 1, 2, 3"
            ") group by 1, 2, 3"
        )
        self._do("drop table seen")

    def _roll_sessions(self) -> None:
        plan = Plan("sessions", self._sites, self._start, self._end)
        shown = f"started % {DAY} / {SLOT} as slot, duration, events, case when {BOUNCED} then 1 else 0 end as bounced"
        self._sessions(plan, shown)
        self._do(
            f"insert into rolled_{STARTS.name} select site, day, slot, count(*), sum(bounced), sum(events),"
            " sum(duration) from wanted_sessions group by 1, 2, 3"
        )
        self._do(f"insert into rolled_durations {self._rolling.durations}")
        for roll in OF_SESSIONS:
            self._do("drop table wanted_sessions")
            self._sessions(
                Plan(roll.source, self._sites, self._start, self._end), f"path, starter, {_VISITOR} as visitor"
            )
            self._cells(roll, "wanted_sessions where true", "count(*)", _OF_THE_START)

    def _sessions(self, plan: Plan, shown: str) -> None:
        """The sessions that begin on these days, one by one."""
        values: Values = {}
        columns = f"site, started / {DAY} as day, {shown}"
        found = f"select {columns} from {relation(plan, columns, self._rolling.dialect, values)}"
        wanted = f"create temp table wanted_sessions as select * from ({found}) where (site, day) {_WANTED}"
        self._run(*sql.finished(wanted, "roll", self._rolling.dialect, values))

    def _cells(self, roll: Roll, source: str, counted: str, alike: str) -> None:
        """What a roll-up by dimensions has of these rows, which `counted` counts, and one by one the ids that are not
        `alike`."""
        group = ", ".join(roll.group)
        by = ", ".join(str(number) for number in range(1, 3 + len(roll.group)))
        self._do(
            f"insert into rolled_{roll.name} select site, day, {group}, {counted},"
            f" count(distinct case when {alike} then nullif(visitor, 0) end) from {source} group by {by}"
        )
        self._do(
            f"insert into rolled_{roll.name}_ids select distinct site, day, {group}, visitor"
            f" from {source} and not ({alike})"
        )

    def _check_that_it_pays(self) -> None:
        """Leave out what takes too many rows of a day for what it saves."""
        self._do(
            "create temp table taken as select roll, site, day, count(*) as number from ("
            + " union all ".join(
                f"select '{roll.name}' as roll, site, day from rolled_{roll.name}{kind} where (site, day) {_WANTED}"
                for roll in BY_DIMENSION
                for kind in ("", "_ids")
            )
            + ") as rolled group by 1, 2, 3"
        )
        self._do(
            "insert into not_rolled select site, day, roll from taken join wanted_days using (site, day)"
            f" where number > greatest({ALWAYS_PAYS}, events / {PAYS})"
        )
        for roll in BY_DIMENSION:
            found = "from not_rolled join wanted_days using (site, day)"
            gone = f"(site, day) in (select site, day {found} where roll = '{roll.name}')"
            self._do(f"delete from rolled_{roll.name} where {gone}")
            self._do(f"delete from rolled_{roll.name}_ids where {gone}")
        self._do("drop table taken")
