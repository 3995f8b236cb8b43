"""The groups of a plan that is cut: what roll-ups have of each UTC day, together with the rows of its other pieces.

Everything has the columns d_DIMENSION, p_MEASURE and, for distinct visitors, p_visitor: days say how many there were
of those whose ids change daily, all other ids are there themselves.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial

from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.query.engines.sql import open_events, open_sessions
from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import BOUNCED
from analytics_box.query.engines.sql.relations import present, relation, sites
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.engines.sql.times import bucket
from analytics_box.query.plan import BUCKET, QueryPlan, Source
from analytics_box.query.rollups import OF_SESSIONS, SLOT, STARTS, TIME, Cut, Roll, day_parts, edge_slot, new_parts

MARKER = re.compile(r":(?<![:\w]:)([a-z]\w*)")  # the colon first, which is found soonest

# What one row is to a measure.
_OF_EVENTS = {
    "pageviews": "case when kind = 1 then 1 else 0 end",
    "total_events": "case when kind <> 3 then 1 else 0 end",
    "visitor": "case when kind <> 3 then nullif(visitor, 0) end",
}
_OF_ENDS = {"sessions": "1", "visitor": "visitor"}
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
    plan: QueryPlan, cut: Cut, dialect: Dialect, values: Values, expression: Callable[[QueryPlan, str, Values], str]
) -> str:
    """A select with one row per group, and the columns d_DIMENSION and m_MEASURE. `expression` is a
    dimension in SQL."""
    values |= {"sites": json.dumps(plan.sites), "site": plan.sites[0] if plan.sites else 0}
    values |= {"start": plan.start, "end": plan.end, "first_day": cut.first, "last_day": cut.last}
    values |= _day_parameters("key", cut.keys) | _day_parameters("unrolled", cut.without)
    of_days = {"time": _times, "starts": _starts}.get(cut.roll.name, _cells)
    found = of_days(plan, cut, dialect, values)
    found += _pieces(plan, cut, dialect, values, expression)
    groups = [f"d_{name}" for name in plan.group]
    source = "\nunion all\n".join(found)
    if "visitors" in plan.measures:  # each id once
        ids = [*groups, "p_visitor"]
        sums = [f"sum(p_{name}) as p_{name}" for name in plan.measures]
        source = f"select {', '.join((*ids, *sums))}\nfrom (\n{source}\n)\ngroup by {', '.join(ids)}"
    measures = [f"{_whole(plan, name)} as m_{name}" for name in plan.measures]
    # Sessions may have left a page since the roll-up of an open day.
    some = "\nhaving m_sessions <> 0" if cut.open and cut.roll in OF_SESSIONS else ""
    return f"select {', '.join((*groups, *measures))}\nfrom (\n{source}\n){_by(plan)}{some}"


def _whole(plan: QueryPlan, measure: str) -> str:
    """A measure of all parts."""
    if measure == "median_duration":
        return f"median(p_{measure})"
    total = f"sum(p_{measure})"
    if (plan.source, measure) not in _UNKNOWN_OF_NOTHING:
        total = f"coalesce({total}, 0)"
    total = f"cast({total} as bigint)"
    return f"{total} + count(p_visitor)" if measure == "visitors" else total


def _cells(plan: QueryPlan, cut: Cut, dialect: Dialect, values: Values) -> list[str]:
    """Selects of the rolled-up values of days."""
    own = dialect.without_combinations
    where = [*_days(plan, cut), *present(plan), *(render(item, values, own) for item in plan.where)]
    table = f"rolled_{cut.roll.name}"
    groups = {f"d_{name}": name for name in plan.group}
    totals = {f"p_{name}": f"sum({name})" for name in plan.measures}
    found = [_select(plan, groups | totals, f"{table}\nwhere {_and(where)}") + _by(plan)]
    if "visitors" in plan.measures:
        where += _left(plan, cut, values)
        found.append(_select(plan, groups | {"p_visitor": "visitor"}, f"{table}_ids\nwhere {_and(where)}"))
    return found


def _left(plan: QueryPlan, cut: Cut, values: Values) -> list[str]:
    """Conditions on the ids of a roll-up of sessions: not those that have left a page since."""
    found: list[str] = []
    for start, end, day in new_parts(plan, cut) if cut.roll.source != "events" else ():
        own = {"site": plan.sites[0], "start": start, "end": end, "after": cut.after, "day": day}
        values |= {f"{name}_left_{day}": value for name, value in own.items()}
        condition = f"(day <> :day or {open_sessions.PAGE_AND_VISITOR} not in {open_sessions.ends(cut.roll)[1]})"
        found.append(MARKER.sub(rf":\1_left_{day}", condition))
    return found


def _times(plan: QueryPlan, cut: Cut, _dialect: Dialect, values: Values) -> list[str]:
    """Of the beginning of a day ids are counted that were first seen in it, of its end those last seen in it."""
    visitors = "case when low = 0 then upper.firsts else upper.lasts - coalesce(lower.lasts, 0) end"
    found = [_sums(plan, cut, TIME, values, visitors=visitors)]
    if "visitors" in plan.measures:
        groups = {"d_bucket": bucket("time", plan, values)} if BUCKET in plan.group else {}
        for slot in ("first_slot", "last_slot"):
            ids = _slots(plan, cut, f"rolled_{TIME.name}_ids", "visitor", slot=slot)
            found.append(_select(plan, groups | {"p_visitor": "visitor"}, ids))
    return found


def _starts(plan: QueryPlan, cut: Cut, _dialect: Dialect, values: Values) -> list[str]:
    found = [_sums(plan, cut, STARTS, values, median_duration="null")]
    if "median_duration" in plan.measures:
        place = {"d_bucket": "bucket"} if BUCKET in plan.group else {}
        known = dict(cut.medians)
        values["open"] = json.dumps([part for part in day_parts(plan, cut) if part[-1] not in known])
        of_parts = _of_parts("open", "rolled_durations as packed")
        # With a limit the function is called once for each part, not again for the condition.
        durations = f"(select bucket, durations_within(durations, low, high) as durations from {of_parts} limit -1)"
        columns = place | {"p_median_duration": "durations"}
        found.append(_select(plan, columns, f"{durations}\nwhere durations is not null"))
        if known:
            values["medians"] = json.dumps([[place, str(median)] for place, median in known.items()])
            columns = {"d_bucket": "value ->> 0", "p_median_duration": "value ->> 1"}
            found.append(_select(plan, columns, "json_each(:medians)"))
    return found


def _sums(plan: QueryPlan, cut: Cut, roll: Roll, values: Values, **special: str) -> str:
    """Differences of the sums since midnight, by bucket."""
    values["parts"] = json.dumps(day_parts(plan, cut))
    table = f"rolled_{roll.name}"
    source = _of_parts("parts", f"{table} as upper", f"upper.slot = {_latest(table, 'high')} and upper.slot >= low")
    source += (
        f"\nleft join {table} as lower on lower.site = upper.site and lower.day = upper.day"
        f" and lower.slot = {_latest(table, 'low')}"
    )
    columns = {
        f"p_{name}": f"sum({special.get(name, f'upper.{name} - coalesce(lower.{name}, 0)')})" for name in plan.measures
    }
    return _select(plan, columns | ({"d_bucket": "bucket"} if BUCKET in plan.group else {}), source) + _by(plan)


def _of_parts(parts: str, table: str, within: str = "true") -> str:
    """Parts of days, of each site, beside rows of a table. The joins are in this order: the parts are few."""
    name = table.rpartition(" ")[2]
    return (
        "(select value ->> 0 as day, value ->> 1 as low, value ->> 2 as high, value ->> 3 as bucket"
        f" from json_each(:{parts})) as part cross join json_each(:sites) as of_site\n"
        f"cross join {table} on {name}.site = of_site.value and {name}.day = part.day and {within}"
    )


def _latest(table: str, before: str) -> str:
    """The last slot of a day with something before this one."""
    return f"(select max(slot) from {table} where site = of_site.value and day = part.day and slot < part.{before})"


def _slots(plan: QueryPlan, cut: Cut, table: str, *columns: str, slot: str = "slot") -> str:
    """Rows of these days within the plan's range, each with its `time` and the `midnight` before it."""
    shown = (*columns, f"day * {DAY} as midnight", f"day * {DAY} + {slot} * {SLOT} as time")
    days = f"select {', '.join(shown)} from {table}\n  where {_and(_days(plan, cut))}"
    return f"({days})\nwhere time >= :start and time < :end"


def _pieces(
    plan: QueryPlan, cut: Cut, dialect: Dialect, values: Values, expression: Callable[[QueryPlan, str, Values], str]
) -> list[str]:
    """The rows of each piece, and how the new events of open days change their roll-ups."""
    found: list[str] = []

    def add(part: QueryPlan, measures: Columns, source: Callable[..., str] | str, day: int = 0) -> None:
        """Add a select whose parameters get names of their own."""
        own: Values = {"site": plan.sites[0], "start": part.start, "end": part.end, "after": cut.after}
        own |= {"day": day, "edge": edge_slot(plan, day)} if day else {}
        columns = {f"d_{name}": expression(part, name, own) for name in plan.group}
        columns |= {f"p_{name}": text for name, text in measures.items() if name in {*plan.measures, "visitor"}}
        piece = _select(
            plan, columns, source if isinstance(source, str) else source(" ".join(columns.values()), values=own)
        )
        if "sorted_numbers" in measures.get("median_duration", ""):
            piece += _by(plan)
        values.update({f"{name}_of_{len(found)}": value for name, value in own.items()})
        found.append(MARKER.sub(rf":\1_of_{len(found)}", piece))

    for start, end in cut.pieces:
        part = replace(plan, start=start, end=end)
        add(part, _OF_A_ROW[plan.source], partial(relation, part, dialect=dialect))
    for start, end, day in new_parts(plan, cut):
        part = replace(plan, start=start, end=end)
        if plan.source == "events":
            new = {**_OF_EVENTS, "visitor": open_events.new_visitor(cut.roll)}
            add(part, new, partial(relation, part, dialect=replace(dialect, events=open_events.NEW_EVENTS)), day)
        elif cut.roll is STARTS:
            sums = {name: name for name in plan.measures if name != "median_duration"}
            add(part, sums, open_sessions.CHANGED_STARTS, day)
            if "median_duration" in plan.measures:
                durations = {"median_duration": "sorted_numbers(json_group_array(duration))"}
                add(part, durations, open_sessions.DURATIONS, day)
        else:
            ends = open_sessions.ends(cut.roll)[0] + "".join(f"\nwhere {there}" for there in present(plan))
            add(part, {"sessions": "sessions", "visitors": "visitors", "visitor": "visitor"}, ends, day)
    return found


def _days(plan: QueryPlan, cut: Cut) -> list[str]:
    """The conditions on a table of roll-ups."""
    if cut.keys:
        return [sites(plan), f"day in ({', '.join(f':{name}' for name in _day_parameters('key', cut.keys))})"]
    days = [sites(plan), "day >= :first_day", "day <= :last_day"]
    without = ", ".join(f":{name}" for name in _day_parameters("unrolled", cut.without))
    return [*days, f"day not in ({without})"] if without else days


def _day_parameters(name: str, days: tuple[int, ...]) -> Values:
    """A parameter for each of these days."""
    return {f"{name}_{number}": day for number, day in enumerate(days)}


def _select(plan: QueryPlan, columns: Columns, source: str) -> str:
    """All columns of a part, in their order."""
    names = [f"d_{name}" for name in plan.group] + [f"p_{name}" for name in plan.measures]
    if "visitors" in plan.measures:
        names.append("p_visitor")
    shown = [f"{columns.get(name, 'null')} as {name}" for name in names]
    return f"select {', '.join(shown)}\nfrom {source}"


def _by(plan: QueryPlan) -> str:
    return f"\ngroup by {', '.join(str(number + 1) for number in range(len(plan.group)))}" if plan.group else ""


def _and(parts: list[str]) -> str:
    return "\n  and ".join(parts)
