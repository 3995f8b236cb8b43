"""The reference engine: a Plan as one SQL statement over events.db.

Statements are put together from the fragments below; values are always bound. Column names come from the
catalogue's dimensions and the filters' table, never from a request.
"""

import json
from collections.abc import Sequence
from typing import Any

import apsw
from msgspec import Struct

from analytics_box.query.filters import Condition
from analytics_box.query.plan import SESSION_AFTER, SESSION_BEFORE, Plan, Run

NAME = "sqlite"
Row = tuple[Any, ...]

# Measures of single events. kind 1 is a page view, 2 a custom event, 3 a leave beacon, which is no event of its own.
EVENT_MEASURES = {
    "pageviews": "count(case when kind = 1 then 1 end)",
    "visitors": "count(distinct case when kind <> 3 then nullif(visitor, 0) end)",
    "total_events": "count(case when kind <> 3 then 1 end)",
    "count": "count(*)",
    "unique_users": "count(distinct nullif(visitor, 0))",
    "unique_sessions": "count(distinct nullif(session, 0))",
    "first": "min(time)",
    "last": "max(time)",
    "with_properties": "count(properties)",
}
# Measures of sessions, over one row per session (semantics 12 and 13).
SESSION_MEASURES = {
    "sessions": "count(*)",
    "bounces": "count(case when views = 1 and engaged < 10 and others = 0 then 1 end)",
    "median_duration": "median(duration)",
}
_PER_SESSION = """
      count(case when kind = 1 then 1 end) as views,
      count(case when kind = 2 then 1 end) as others,
      sum(engaged) as engaged,
      max(time) - min(time) as duration"""


class Statement(Struct, frozen=True):
    """SQL with named parameters, and their values."""

    sql: str
    values: dict[str, int | str]


def run(db: apsw.Connection, plan: Plan) -> list[Row]:
    """The rows of a plan, as the plan describes them; dimensions come as text."""
    statement = render(plan)
    return list(db.execute(statement.sql, statement.values).fetchall())


def render(plan: Plan) -> Statement:
    """The statement that answers a plan."""
    values: dict[str, int | str] = {"start": plan.start, "end": plan.end}
    where = ["site in (select value from json_each(:sites))", "bot = 0"]
    values["sites"] = json.dumps(plan.sites)
    if plan.kinds:
        where.append(f"kind in ({', '.join(str(int(kind)) for kind in plan.kinds)})")
    conditions = [(item, _condition(item, number, values)) for number, item in enumerate(plan.conditions)]
    if plan.grain == "events":
        where += ["time >= :start", "time < :end", *(text for _, text in conditions)]
        sql = _by_event(plan, where, values)
    else:
        sql = _by_session(plan, where, conditions, values)
    return Statement(sql, values)


def _by_event(plan: Plan, where: Sequence[str], values: dict[str, int | str]) -> str:
    measures = [f"{EVENT_MEASURES[name]} as m_{name}" for name in plan.measures]
    source = f"from events\n    where {_and(where)}"
    if plan.runs:
        return (
            f"select {_bucket('time', plan.runs, values)} as bucket, {', '.join(measures)}\n{source}\ngroup by bucket"
        )
    if not plan.dimension:
        return f"select {', '.join(measures)}\n{source}"
    return _by_value(plan, measures, source, values)


def _by_value(plan: Plan, measures: Sequence[str], source: str, values: dict[str, int | str]) -> str:
    """Rows per value of a dimension, best first; the last column is the sum of `share_of` over all rows."""
    values["limit"], values["offset"] = plan.limit or -1, plan.offset
    shown = ", ".join(f"m_{name}" for name in plan.measures)
    total = f", sum(m_{plan.share_of}) over ()" if plan.share_of else ""
    direction = "desc" if plan.descending else "asc"
    order = "strings.value" if plan.order == plan.dimension else f"m_{plan.order}"
    return f"""select strings.value, {shown}{total}
from (
    select {plan.dimension} as dimension, {", ".join(measures)}
    {source}
    group by dimension
) join strings on strings.id = dimension
order by {order} {direction}, strings.value
limit :limit offset :offset"""


def _by_session(
    plan: Plan, where: list[str], conditions: Sequence[tuple[Condition, str]], values: dict[str, int | str]
) -> str:
    values["earliest"], values["latest"] = plan.start - SESSION_BEFORE, plan.end + SESSION_AFTER
    where += [
        "time >= :earliest",
        "time < :latest",
        "session_started >= :start",
        "session_started < :end",
        "session <> 0",
    ]
    on_pages = [text for item, text in conditions if item.column in {"path", "query_string"}]
    scan = _and(where)
    if on_pages:  # semantics 15: the sessions that have such a page view
        where.append(f"session in (select session from events where {scan} and kind = 1 and {_and(on_pages)})")
    where += [text for item, text in conditions if item.column not in {"path", "query_string"}]
    measures = ", ".join(f"{SESSION_MEASURES[name]} as m_{name}" for name in plan.measures)
    bucket = f"{_bucket('started', plan.runs, values)} as bucket, " if plan.runs else ""
    group = "\ngroup by bucket" if plan.runs else ""
    return f"""select {bucket}{measures}
from (
    select session_started as started,{_PER_SESSION}
    from events
    where {_and(where)}
    group by session
){group}"""


def _condition(condition: Condition, number: int, values: dict[str, int | str]) -> str:
    """A condition on a column of string numbers: the wanted strings are looked up once."""
    name = f"f{number}"
    if condition.match == "is":
        values[name] = json.dumps(condition.values)
        wanted = f"value in (select value from json_each(:{name}))"
    else:
        parts = []
        for index, text in enumerate(condition.values):
            values[f"{name}_{index}"] = text
            found = f"instr(value, :{name}_{index})"
            parts.append(f"{found} > 0" if condition.match == "contains" else f"{found} = 1")
        wanted = "(" + " or ".join(parts) + ")"
    negation = "not " if condition.negated else ""
    return f"{condition.column} {negation}in (select id from strings where {wanted})"


def _bucket(column: str, runs: Sequence[Run], values: dict[str, int | str]) -> str:
    """The number of the bucket that an instant falls into."""
    for number, item in enumerate(runs):
        values |= {f"s{number}": item.start, f"w{number}": item.width, f"n{number}": item.first}
    numbers = [f":n{number} + ({column} - :s{number}) / :w{number}" for number in range(len(runs))]
    if len(numbers) == 1:
        return numbers[0]
    earlier = " ".join(f"when {column} < :s{number + 1} then {text}" for number, text in enumerate(numbers[:-1]))
    return f"case {earlier} else {numbers[-1]} end"


def _and(parts: Sequence[str]) -> str:
    return "\n      and ".join(parts)
