"""Durations of rolled days as DuckDB keeps them, and the median of many: without putting all of them in order.

There is a row for each day and class of durations: its `durations` by the slot in which their sessions began, and
`ends`, how many of them began before each slot, and before the next day. So those of any part of a day are a piece of
a list, and how many they are is known without it. A day of very many sessions has several such rows of a class, each
of them a portion of the slots, because DuckDB reads the lists of many rows at once.
"""

from collections.abc import Sequence

from analytics_box.clock import DAY
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.engines.sql.times import bucket, start_of_bucket
from analytics_box.query.plan import Plan
from analytics_box.query.rollups import SLOT

PORTION = 50_000  # sessions of a day in one portion, if they begin evenly
LONG = 28  # days, from which on the class in the middle is looked for before durations are read
_LONGEST = (1 << 31) - 1  # ms, longer than any duration, and an integer of 32 bits as all of them
_TABLE = "rolled_durations"
_KEY = "site_day, class, portion"
_THOSE = "durations[low + 1 : high]"  # of a part of a day


def packed(class_of: str, columns: str) -> str:
    """The rows of the table for the sessions in wanted_sessions, whose site and day are these `columns`."""
    slots = DAY // SLOT
    return f"""with many as (
select site_day, least(1 + count(*) / {PORTION}, {slots}) as portions from wanted_sessions group by site_day
),
classed as (
select site_day, slot, cast(duration as integer) as duration, {class_of} as class, slot * portions / {slots} as portion
from wanted_sessions join many using (site_day)
),
ended as (
select {_KEY}, slot, cast(sum(sum(many)) over (partition by {_KEY} order by slot) as integer) as many
from (
select {_KEY}, slot + 1 as slot, 1 as many from classed
union all
select {_KEY}, unnest(range({slots + 1})), 0 from (select distinct {_KEY} from classed)
)
group by {_KEY}, slot
)
select {columns}, class, portion, ends, durations
from (select {_KEY}, list(many order by slot) as ends from ended group by {_KEY})
join (select {_KEY}, list(duration order by slot) as durations from classed group by {_KEY}) using ({_KEY})
order by class, site_day, portion"""


def durations(plan: Plan, days: str, values: Values) -> str:
    """Those of these days one by one, with their `place`: the bucket, or 0."""
    return (
        f"(select place, unnest({_THOSE}) as duration from (\nwith {_parts(plan, days, values)}\n"
        f"select place, durations, ends[first + 1] as low, ends[last + 1] as high\n"
        f"from {_TABLE} join parts using (site, day) where {days}\n))"
    )


def medians(plan: Plan, days: str, pieces: Sequence[str], class_of: str, values: Values) -> str:
    """The median of each place, of what days have by class and of the rows of pieces, as p_median_duration.

    Of the classes in the middle all durations are taken, and so many others from `beside` them that those on either
    side are as many as among all: where there are `more` below, a 0 stands for each of these, else the longest.
    Class 0 has no duration but 0.
    """
    place = f"d_{plan.group[0]}" if plan.group else "0"
    single = "\nunion all\n".join(
        f"select {place} as place, cast(p_median_duration as integer) as duration from (\n{piece}\n)"
        for piece in pieces
    )
    rows = f"select place, duration, {class_of} as class from (\n{single}\n)" if pieces else _NOTHING
    return f"""with {_parts(plan, days, values)},
part as materialized (
select place, site, day, class, portion, ends[first + 1] as low, ends[last + 1] as high
from {_TABLE} join parts using (site, day) where {days}
),
piece as materialized (
{rows}
),
counted as (
select place, class, cast(sum(many) as bigint) as many
from (select place, class, high - low as many from part union all select place, class, 1 from piece)
group by place, class
),
added as (
select place, class, many,
  cast(sum(many) over (partition by place order by class) as bigint) - many as before,
  cast(sum(many) over (partition by place) as bigint) as total
from counted
),
middle as (
select place, class, many, before, total from added where before <= total / 2 and before + many > (total - 1) / 2
),
wanted as materialized (
select place, site, day, class, portion, low, high from part semi join middle using (place, class) where class > 0
),
beside as (
select place, cast(coalesce(sum(case when class > 0 then many end), 0) - total as bigint)
  + 2 * coalesce(min(case when class > 0 then before end), total) as more
from middle group by place, total
)
select place, median(duration) as m_median_duration
from (
select place, unnest({_THOSE}) as duration
from wanted join {_TABLE} using (site, day, class, portion) where {days}
union all
select place, duration from piece semi join middle using (place, class) where class > 0
union all
select place, case when more > 0 then 0 else {_LONGEST} end as duration
from (select place, more, unnest(range(abs(more))) from beside)
)
group by place"""


_NOTHING = "select 0 as place, 0 as duration, 0 as class where false"


def _parts(plan: Plan, days: str, values: Values) -> str:
    """The slots of each of these days that are in the range, by their bucket: a day has those of one, or of two."""
    placed = bool(plan.group)
    begins = f"greatest(lower, {start_of_bucket('upper', plan, values)})" if placed else "lower"
    halves = "\nunion all\n".join(
        f"select site, day, ({first} - midnight) / {SLOT} as first, ({last} - midnight) / {SLOT} as last,"
        f" {bucket(first, plan, values) if placed else '0'} as place from edged where {first} < {last}"
        for first, last in (("lower", "edge"), ("edge", "upper"))
    )
    return f"""edged as (
select *, {begins} as edge
from (
select site, day, midnight, greatest(midnight, :start) as lower, least(midnight + {DAY}, :end) as upper
from (select distinct site, day, day * {DAY} as midnight from {_TABLE} where {days})
)
),
parts as (
{halves}
)"""
