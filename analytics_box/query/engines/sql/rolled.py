"""The groups of a plan that is cut: what roll-ups have of each UTC day, together with the rows of its other pieces.

Everything has the columns d_DIMENSION, p_MEASURE and, for distinct visitors, p_visitor: days say how many there were
of those whose ids change daily, all other ids are there themselves.
"""

import json
import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from analytics_box.clock import DAY
from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import BOUNCED
from analytics_box.query.engines.sql.relations import present, relation, sites
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.engines.sql.times import bucket
from analytics_box.query.plan import BUCKET, Plan, Source
from analytics_box.query.rollups import SLOT, STARTS, TIME, Cut

LONG = 60  # days, from which on the class in the middle is looked for before durations are read
_LONGEST = 1 << 40  # ms, longer than any duration
MARKER = re.compile(r":(?<![:\w]:)([a-z]\w*)")  # the colon first, which is found soonest

# What one row is to a measure.
_OF_EVENTS = {
    "pageviews": "case when kind = 1 then 1 else 0 end",
    "total_events": "case when kind <> 3 then 1 else 0 end",
    "visitors": "case when kind <> 3 then nullif(visitor, 0) end",
}
_OF_ENDS = {"sessions": "1", "visitors": "visitor"}
_OF_A_ROW: Mapping[Source, Mapping[str, str]] = {
    "events": _OF_EVENTS,
    "entries": _OF_ENDS,
    "exits": _OF_ENDS,
    "sessions": {
        "sessions": "1",
        "bounces": f"case when {BOUNCED} then 1 else 0 end",
        "total_events": "events",
        "duration_total": "duration",
        "median_duration": "duration",
    },
}
_UNKNOWN_OF_NOTHING = {("sessions", "total_events"), ("sessions", "duration_total")}

Columns = Mapping[str, str]  # SQL by the name of a column; others are null


def inner(
    plan: Plan, cut: Cut, dialect: Dialect, values: Values, expression: Callable[[Plan, str, Values], str]
) -> str:
    """One row of each group, with the columns d_DIMENSION and m_MEASURE. `expression` is a dimension in SQL."""
    if "median_duration" in plan.measures and dialect.class_of and cut.last - cut.first > LONG:
        return _with_median(plan, cut, dialect, values, expression)
    values |= {"sites": json.dumps(plan.sites), "site": plan.sites[0] if plan.sites else 0}
    values |= {"start": plan.start, "end": plan.end, "first_day": cut.first, "last_day": cut.last}
    values |= _numbered("key", cut.keys) | _numbered("unrolled", cut.without)
    of_days = {"time": _times, "starts": _starts}.get(cut.roll.name, _cells)
    found = of_days(plan, cut, dialect, values)
    found += [
        _piece(replace(plan, start=start, end=end), number, dialect, values, expression)
        for number, (start, end) in enumerate(cut.pieces)
    ]
    groups = [f"d_{name}" for name in plan.group]
    source = "\nunion all\n".join(found)
    if "visitors" in plan.measures:  # each id once
        ids = [*groups, "p_visitor"]
        sums = [f"sum(p_{name}) as p_{name}" for name in plan.measures]
        source = f"select {', '.join((*ids, *sums))}\nfrom (\n{source}\n)\ngroup by {', '.join(ids)}"
    measures = [f"{_whole(plan, name)} as m_{name}" for name in plan.measures]
    return f"select {', '.join((*groups, *measures))}\nfrom (\n{source}\n){_by(plan)}"


def _whole(plan: Plan, measure: str) -> str:
    """A measure of all parts."""
    if measure == "median_duration":
        return f"median(p_{measure})"
    total = f"sum(p_{measure})"
    if (plan.source, measure) not in _UNKNOWN_OF_NOTHING:
        total = f"coalesce({total}, 0)"
    total = f"cast({total} as bigint)"
    return f"{total} + count(p_visitor)" if measure == "visitors" else total


def _cells(plan: Plan, cut: Cut, dialect: Dialect, values: Values) -> list[str]:
    """What days have of each value."""
    where = [*_days(plan, cut), *present(plan), *(render(item, values, dialect) for item in plan.where)]
    table = f"rolled_{cut.roll.name}"
    groups = {f"d_{name}": name for name in plan.group}
    totals = {f"p_{name}": f"sum({name})" for name in plan.measures}
    found = [_select(plan, groups | totals, f"{table}\nwhere {_and(where)}") + _by(plan)]
    if "visitors" in plan.measures and cut.has_ids:
        found.append(_select(plan, groups | {"p_visitor": "visitor"}, f"{table}_ids\nwhere {_and(where)}"))
    return found


def _times(plan: Plan, cut: Cut, _dialect: Dialect, values: Values) -> list[str]:
    """Of the beginning of a day ids are counted that were first seen in it, of its end those last seen in it."""
    of_the_day = "midnight >= :start"
    groups = {}
    if BUCKET in plan.group:
        groups["d_bucket"] = bucket("time", plan, values)
        of_the_day += f" and {bucket('midnight', plan, values)} = {groups['d_bucket']}"
    counted = f"case when {of_the_day} then firsts else lasts end"
    totals = {f"p_{name}": f"sum({counted if name == 'visitors' else name})" for name in plan.measures}
    own = ("pageviews", "total_events", "firsts", "lasts")
    found = [_select(plan, groups | totals, _slots(plan, cut, f"rolled_{TIME.name}", *own)) + _by(plan)]
    if "visitors" in plan.measures and cut.has_ids:
        for slot in ("first_slot", "last_slot"):
            ids = _slots(plan, cut, f"rolled_{TIME.name}_ids", "visitor", slot=slot)
            found.append(_select(plan, groups | {"p_visitor": "visitor"}, ids))
    return found


def _starts(plan: Plan, cut: Cut, dialect: Dialect, values: Values) -> list[str]:
    groups = {"d_bucket": bucket("time", plan, values)} if BUCKET in plan.group else {}
    own = tuple(name for name in plan.measures if name != "median_duration")
    totals = {f"p_{name}": f"sum({name})" for name in own}
    found = [_select(plan, groups | totals, _slots(plan, cut, f"rolled_{STARTS.name}", *own)) + _by(plan)]
    if "median_duration" in plan.measures:
        column, each = ("durations", "unnest(durations)") if dialect.class_of else ("duration", "duration")
        durations = _slots(plan, cut, "rolled_durations", column)
        found.append(_select(plan, groups | {"p_median_duration": each}, durations))
    return found


def _with_median(
    plan: Plan, cut: Cut, dialect: Dialect, values: Values, expression: Callable[[Plan, str, Values], str]
) -> str:
    """Other measures with the median, for which all durations are counted by class, and then only those are read that
    are of the class in the middle, or of the two that meet there. Class 0 has no duration but 0."""
    others = tuple(name for name in plan.measures if name != "median_duration") or ("sessions",)
    sums = inner(replace(plan, measures=others), cut, dialect, values, expression)
    groups = [f"d_{name}" for name in plan.group]
    at = bucket("time", plan, values) if plan.group else "0"
    days = f"select {at} as place, class, many, durations from " + _slots(
        plan, cut, "rolled_durations", "class", "many", "durations"
    )
    place = groups[0] if groups else "0"
    middle = _middle(days, _classed(plan, cut, dialect, values, expression, place))
    shown = ", ".join((*groups, *(f"m_{name}" for name in plan.measures)))
    return f"select {shown}\nfrom (\n{sums}\n) left join (\n{middle}\n) on place = {place}"


def _classed(
    plan: Plan,
    cut: Cut,
    dialect: Dialect,
    values: Values,
    expression: Callable[[Plan, str, Values], str],
    place: str,
) -> str:
    """The durations of all pieces, with their class and `place`."""
    alone = replace(plan, measures=("median_duration",))
    pieces = (
        _piece(replace(alone, start=start, end=end), number, dialect, values, expression)
        for number, (start, end) in enumerate(cut.pieces)
    )
    rows = "\nunion all\n".join(
        f"select place, duration, {dialect.class_of} as class from (\n"
        f"select {place} as place, p_median_duration as duration from (\n{piece}\n))"
        for piece in pieces
    )
    return rows or "select 0 as place, 0 as duration, 0 as class where false"


def _middle(days: str, rows: str) -> str:
    """The median of each place, of what days have by class and of single rows.

    Of the classes in the middle all durations are taken, and so many others from `beside` them that those on either
    side are as many as among all: where there are `more` below, a 0 stands for each of these, else the longest.
    """
    return f"""with piece as materialized (
{rows}
),
counted as (
select place, class, cast(sum(many) as bigint) as many
from (select place, class, many from ({days}) union all select place, class, 1 from piece)
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
beside as (
select place, cast(coalesce(sum(case when class > 0 then many end), 0) - total as bigint)
  + 2 * coalesce(min(case when class > 0 then before end), total) as more
from middle group by place, total
)
select place, median(duration) as m_median_duration
from (
select place, unnest(durations) as duration from ({days} and class > 0) semi join middle using (place, class)
union all
select place, duration from piece semi join middle using (place, class) where class > 0
union all
select place, case when more > 0 then 0 else {_LONGEST} end as duration
from (select place, more, unnest(range(abs(more))) from beside)
)
group by place"""


def _slots(plan: Plan, cut: Cut, table: str, *columns: str, slot: str = "slot") -> str:
    """Rows of these days within the plan's range, each with its `time` and the `midnight` before it."""
    shown = (*columns, f"day * {DAY} as midnight", f"day * {DAY} + {slot} * {SLOT} as time")
    days = f"select {', '.join(shown)} from {table}\n  where {_and(_days(plan, cut))}"
    return f"({days})\nwhere time >= :start and time < :end"


def _piece(
    plan: Plan,
    number: int,
    dialect: Dialect,
    values: Values,
    expression: Callable[[Plan, str, Values], str],
) -> str:
    """The rows of a piece, whose parameters have names of their own."""
    own: Values = {}
    columns = {f"d_{name}": expression(plan, name, own) for name in plan.group}
    of_a_row = _OF_A_ROW[plan.source]
    columns |= {("p_visitor" if name == "visitors" else f"p_{name}"): of_a_row[name] for name in plan.measures}
    source = relation(plan, " ".join(columns.values()), dialect, own)
    values |= {f"{name}_of_{number}": value for name, value in own.items()}
    return MARKER.sub(rf":\1_of_{number}", _select(plan, columns, source))


def _days(plan: Plan, cut: Cut) -> list[str]:
    """What is read of a table of roll-ups. Days are spelled out: DuckDB understands that sooner than a table."""
    if cut.keys:
        return [sites(plan), f"day in ({', '.join(f':{name}' for name in _numbered('key', cut.keys))})"]
    days = [sites(plan), "day >= :first_day", "day <= :last_day"]
    without = ", ".join(f":{name}" for name in _numbered("unrolled", cut.without))
    return [*days, f"day not in ({without})"] if without else days


def _numbered(name: str, days: tuple[int, ...]) -> Values:
    """A parameter for each of these days."""
    return {f"{name}_{number}": day for number, day in enumerate(days)}


def _select(plan: Plan, columns: Columns, source: str) -> str:
    """All columns of a part, in their order."""
    names = [f"d_{name}" for name in plan.group] + [f"p_{name}" for name in plan.measures]
    if "visitors" in plan.measures:
        names.append("p_visitor")
    shown = [f"{columns.get(name, 'null')} as {name}" for name in names]
    return f"select {', '.join(shown)}\nfrom {source}"


def _by(plan: Plan) -> str:
    return f"\ngroup by {', '.join(str(number + 1) for number in range(len(plan.group)))}" if plan.group else ""


def _and(parts: list[str]) -> str:
    return "\n  and ".join(parts)
