"""The SQL that rolls up days: what of each UTC day of a website is kept (query.rollups).

The table `days` has every UTC day on which a website has an event, or a session began, the number of its roll-up or 0,
and about how many events it has. A day that is not there has nothing. Who keeps them says of a day that it is no
longer rolled up, when a row of it comes or goes.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from analytics_box.base.clock import DAY
from analytics_box.base.facts.event import LASTS, PAGE_VIEW, VISITOR_BITS
from analytics_box.query.engines import sql, sqlite
from analytics_box.query.engines.sql.names import BOUNCED
from analytics_box.query.engines.sql.relations import relation
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.engines.transfer import RELATION
from analytics_box.query.plan import QueryPlan, Source
from analytics_box.query.rollups import BY_DIMENSION, OF_EVENTS, OF_SESSIONS, SLOT, STARTS, TIME, Roll, days_in

ALWAYS_PAYS = 1_000  # rows that a roll-up of a day may have whatever the day has
PAYS = 4  # events of a day for each row of a roll-up of it

_ALIKE = f"visitor & {LASTS} = 0"
# The id of a session's start, which is of its day unless that row was erased (names.STARTER). Then it may be of the day
# after: ids of a day that were in a session from before are listed there as well.
_OF_THE_START = (
    f"{_ALIKE} and (starter >> {VISITOR_BITS}) in (0, 2, 6)"
    " and (site_day, visitor) not in (select site_day, visitor from wanted_overnight)"
)
_VISITOR = f"starter % {1 << VISITOR_BITS}"
_WANTED = "in (select site, day from wanted_days)"
# A day and its website as one number, because what is grouped by less is grouped sooner.
_DAYS = 1 << 24  # more than any UTC day
SITE_AND_DAY = f"site_day / {_DAYS} as site, site_day % {_DAYS} as day"
_AMONG_WANTED = f"in (select site * {_DAYS} + day from wanted_days)"

# Days with a number each from JSON, and all events of the sites that a batch reads.
_LISTED = "select value ->> 0, value ->> 1, value ->> 2 from json_each(?1)"
_EVENTS = f"{RELATION}\nwhere site in (select value from json_each(:sites))"

Do = Callable[..., int]  # runs a statement, with its values if it has any; how many rows it wrote, or a few more


class SiteDay(NamedTuple):
    """A UTC day of a website."""

    site: int
    day: int


class RollupTable(NamedTuple):
    """A table of roll-ups: the columns that name a row, and the others, with their types."""

    key: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def columns(self) -> str:
        """All of them, as they are declared."""
        return ", ".join(f"{name}{'' if ' ' in name else ' bigint'}" for name in (*self.key, *self.others))


def _tables() -> Iterator[tuple[str, RollupTable]]:
    day = ("site", "day")
    yield "days", RollupTable(day, ("rolled", "events"))
    yield "not_rolled", RollupTable((*day, "roll varchar"))  # what did not pay on a day that is rolled
    slot = (*day, "slot integer")
    yield f"rolled_{TIME.name}", RollupTable(slot, ("pageviews", "total_events", "firsts", "lasts"))
    yield f"rolled_{TIME.name}_ids", RollupTable((*day, "visitor"), ("first_slot integer", "last_slot integer"))
    yield f"rolled_{STARTS.name}", RollupTable(slot, ("sessions", "bounces", "total_events", "duration_total"))
    yield "rolled_durations", RollupTable(day, ("durations blob",))
    for roll in BY_DIMENSION:
        group = (*day, *(f"{name} integer" for name in roll.group))
        yield f"rolled_{roll.name}", RollupTable(group, tuple(sorted(roll.measures)))
        yield f"rolled_{roll.name}_ids", RollupTable((*group, "visitor"))


TABLES: Mapping[str, RollupTable] = dict(_tables())
OF_ROLLS = tuple(name for name in TABLES if name.startswith("rolled_"))


class RollupBatch:
    """Days that are rolled up together, with the number of the events of each: their statements, in their order."""

    def __init__(self, do: Do, events: Mapping[SiteDay, int]) -> None:
        self._run = do
        self._events = events
        self._sites = tuple(sorted({day.site for day in events}))
        self._start = min(day.day for day in events) * DAY
        self._end = (max(day.day for day in events) + 1) * DAY
        self._written: Counter[str] = Counter()  # rows by roll-up
        self._has_lasting = False
        self._listed(
            "wanted_days (site bigint, day bigint, events bigint)",
            [[*day, number] for day, number in events.items()],
        )

    def forget(self) -> None:
        """Remove what was rolled up of these days before."""
        for table in ("not_rolled", *OF_ROLLS):
            self._do(f"delete from {table} where (site, day) {_WANTED}")

    def roll(self) -> None:
        """Roll up all of them."""
        self._roll_events()
        self._roll_sessions()
        self._check_that_it_pays()
        self._done("wanted_events", "wanted_overnight", "wanted_visits", "wanted_sessions")

    def put_together(self) -> None:
        """Roll up spans of days (query.rollups.span) from the roll-ups of their days. If one of the days lacks a
        roll-up, the span lacks it as well, and no plan reads it.
        """
        self._listed(
            "span_days (site bigint, day bigint, span bigint)",
            [[span.site, day, span.day] for span in self._events for day in days_in(span.day)],
        )
        for roll in BY_DIMENSION:
            self._put_together(roll)
        self._done("span_days")

    def _put_together(self, roll: Roll) -> None:
        name, group = f"rolled_{roll.name}", ", ".join(roll.group)
        sums = ", ".join(f"sum({measure})" for measure in sorted(roll.measures))
        days = "join span_days using (site, day)"
        gone = f"select 1 from not_rolled as n where n.site = s.site and n.day = s.day and roll = '{roll.name}'"
        paid = f"(site, span) not in (select site, span from span_days as s where exists ({gone}))"
        self._do(
            f"insert into {name} select site, span, {group}, {sums} from {name} {days} where {paid}"
            f" group by site, span, {group}"
        )
        self._do(
            f"insert into {name}_ids select distinct site, span, {group}, visitor from {name}_ids {days} where {paid}"
        )

    def _listed(self, table: str, rows: list[list[int]]) -> None:
        """A table with these rows of three numbers."""
        self._run(f"create temp table {table}")
        self._run(f"insert into {table.partition(' ')[0]} {_LISTED}", [json.dumps(rows)])

    def _done(self, *tables: str) -> None:
        for table in ("wanted_days", *tables):
            self._do(f"drop table {table}")

    def _do(self, statement: str, values: Values | None = None) -> int:
        return self._run(sqlite.DIALECT.finish(statement), values or {})

    def _roll_events(self) -> None:
        overnight = f"case when session_started > 0 and session_started < time - time % {DAY} then 1 else 0 end"
        self._of_events(
            "wanted_events", f"time % {DAY} / {SLOT} as slot, kind, visitor, path, {overnight} as overnight"
        )
        self._do(
            "create temp table wanted_overnight as select distinct site_day, visitor from wanted_events"
            " where overnight = 1"
        )
        self._roll_time()
        attributes = sorted({name for roll in OF_EVENTS for name in roll.group} - {"path"})
        by = ", ".join(str(number) for number in range(1, 3 + len(attributes)))
        views = "count(case when kind = 1 then 1 end) as views"
        self._of_events("wanted_visits", f"visitor, {', '.join(attributes)}, {views}", f"and kind <> 3\ngroup by {by}")
        for roll in OF_EVENTS:
            if roll.kinds == (PAGE_VIEW,):
                source, counted = f"wanted_events where kind = {PAGE_VIEW}", "count(*)"
            else:
                source, counted = "wanted_visits where true", "sum(views)"
            self._cells(roll, source, counted, _ALIKE)
            if self._has_lasting:
                self._ids(roll, source, _ALIKE)

    def _of_events(self, table: str, shown: str, more: str = "") -> None:
        """A table of what events of these days have."""
        site_day = f"site * {_DAYS} + time / {DAY}"
        within: Values = {"start": self._start, "end": self._end, "sites": json.dumps(self._sites)}
        found = (
            f"create temp table {table} as select {site_day} as site_day, {shown}\nfrom {_EVENTS}"
            f" and time >= :start and time < :end and bot = 0 and {site_day} {_AMONG_WANTED} {more}"
        )
        self._run(*sql.finish_statement(found, "roll", sqlite.DIALECT, within))

    def _roll_time(self) -> None:
        self._do(
            "create temp table seen as select site_day, visitor, min(slot) as first_slot, max(slot) as last_slot"
            " from wanted_events where kind <> 3 and visitor <> 0 group by 1, 2"
        )
        lasting = self._do(
            f"insert into rolled_{TIME.name}_ids select {SITE_AND_DAY}, visitor, first_slot, last_slot from seen"
            f" where not ({_ALIKE})"
        )
        self._has_lasting = lasting > 0
        self._add_up(
            TIME,
            ("pageviews", "total_events", "firsts", "lasts"),
            "select site_day, slot, count(case when kind = 1 then 1 end) as pageviews,"
            " count(case when kind <> 3 then 1 end) as total_events, 0 as firsts, 0 as lasts from wanted_events"
            " group by 1, 2"
            f" union all select site_day, first_slot, 0, 0, count(*), 0 from seen where {_ALIKE} group by 1, 2"
            f" union all select site_day, last_slot, 0, 0, 0, count(*) from seen where {_ALIKE} group by 1, 2",
        )
        self._do("drop table seen")

    def _add_up(self, roll: Roll, measures: tuple[str, ...], slots: str) -> None:
        """Sums since midnight, a row for each slot that has something: any part of a day is the difference of two."""
        sums = ", ".join(f"sum(sum({name})) over so_far" for name in measures)
        self._do(
            f"insert into rolled_{roll.name} select {SITE_AND_DAY}, slot, {sums} from ({slots})"
            " group by site_day, slot window so_far as (partition by site_day order by slot)"
        )

    def _roll_sessions(self) -> None:
        shown = f"started % {DAY} / {SLOT} as slot, duration, events, case when {BOUNCED} then 1 else 0 end as bounced"
        self._sessions("sessions", shown)
        self._add_up(
            STARTS,
            ("sessions", "bounces", "total_events", "duration_total"),
            "select site_day, slot, count(*) as sessions, sum(bounced) as bounces, sum(events) as total_events,"
            " sum(duration) as duration_total from wanted_sessions group by site_day, slot",
        )
        self._do(
            f"insert into rolled_durations select {SITE_AND_DAY}, packed(duration, slot) from wanted_sessions"
            " group by site_day"
        )
        for roll in OF_SESSIONS:
            self._do("drop table wanted_sessions")
            self._sessions(roll.source, f"path, starter, {_VISITOR} as visitor")
            self._cells(roll, "wanted_sessions where true", "count(*)", _OF_THE_START)
            self._ids(roll, "wanted_sessions where true", _OF_THE_START)

    def _sessions(self, source: Source, shown: str) -> None:
        """The sessions that begin on these days, one by one."""
        plan = QueryPlan(source, self._sites, self._start, self._end)
        values: Values = {}
        columns = f"site * {_DAYS} + started / {DAY} as site_day, {shown}"
        found = f"select {columns} from {relation(plan, columns, sqlite.DIALECT, values)}"
        wanted = f"create temp table wanted_sessions as select * from ({found}) where site_day {_AMONG_WANTED}"
        self._run(*sql.finish_statement(wanted, "roll", sqlite.DIALECT, values))

    def _cells(self, roll: Roll, source: str, counted: str, alike: str) -> None:
        """Insert a roll-up by dimensions of these rows, with the aggregates `counted` and the number of distinct ids
        that `alike` selects; other ids are listed (`_ids`).
        """
        group = ", ".join(roll.group)
        self._written[roll.name] += self._do(
            f"insert into rolled_{roll.name} select {SITE_AND_DAY}, {group}, {counted},"
            f" count(distinct case when {alike} then nullif(visitor, 0) end) from {source} group by site_day, {group}"
        )

    def _ids(self, roll: Roll, source: str, alike: str) -> None:
        """All other ids of these rows one by one."""
        self._written[roll.name] += self._do(
            f"insert into rolled_{roll.name}_ids select distinct {SITE_AND_DAY}, {', '.join(roll.group)}, visitor"
            f" from {source} and not ({alike})"
        )

    def _check_that_it_pays(self) -> None:
        """Leave out what takes too many rows of a day for what it saves."""
        for roll in BY_DIMENSION:
            if self._written[roll.name] > ALWAYS_PAYS and self._leave_out(roll):
                for kind in ("", "_ids"):
                    gone = f"select site, day from not_rolled where roll = '{roll.name}' and (site, day) {_WANTED}"
                    self._do(f"delete from rolled_{roll.name}{kind} where (site, day) in ({gone})")

    def _leave_out(self, roll: Roll) -> int:
        """Note the days on which a roll-up has too many rows; how many they are."""
        rows = " union all ".join(
            f"select site, day from rolled_{roll.name}{kind} where (site, day) {_WANTED}" for kind in ("", "_ids")
        )
        return self._do(
            f"insert into not_rolled select site, day, '{roll.name}' from ("
            f"select site, day, count(*) as number from ({rows}) as rolled group by 1, 2"
            f") as taken join wanted_days using (site, day) where number > greatest({ALWAYS_PAYS}, events / {PAYS})"
        )
