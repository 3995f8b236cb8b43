"""A Plan as one SQL statement over the tables of facts.

Statements are put together from fragments; values are always bound. Names come from the catalogue's plans and the
filters' table, never from a request.
"""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DIMENSIONS, DIMENSIONS_OF, INTERNED, LASTING, MEASURES
from analytics_box.query.engines.sql.ordering import codes, order_terms
from analytics_box.query.engines.sql.relations import relation
from analytics_box.query.engines.sql.rolled import MARKER
from analytics_box.query.engines.sql.rolled import inner as of_parts
from analytics_box.query.engines.sql.texts import Values, bind
from analytics_box.query.engines.sql.times import bucket, local
from analytics_box.query.plan import (
    BUCKET,
    DAY_OF_WEEK,
    HOUR_OF_DAY,
    LOOK_BACK,
    OF_SESSIONS,
    RETURNING,
    QueryPlan,
    Source,
)
from analytics_box.query.rollups import Cut, RangePart
from analytics_box.query.rollups import parts as parts_of


class SqlStatement(Struct, frozen=True):
    """SQL with named parameters, and their values; the `parts` of a plan that is not read from rows alone."""

    sql: str
    values: Values
    parts: tuple[RangePart, ...] = ()


def groups(source: Source, names: tuple[str, ...]) -> bool:
    """Whether all of these are dimensions of this source."""
    return all(name in DIMENSIONS_OF[source] for name in names)


def render(plan: QueryPlan, dialect: Dialect, cut: Cut | None = None) -> SqlStatement:
    """The statement that answers a plan, in the words of an engine; where it is cut, from roll-ups and rows."""
    values: Values = {}
    if plan.columns:
        sql = _rows(plan, dialect, values)
    elif cut is None:
        sql = _groups(plan, _of_rows(plan, dialect, values), values)
    else:
        sql = _groups(plan, of_parts(plan, cut, dialect, values, _expression), values)
    return SqlStatement(
        *finish_statement(sql, plan.source, dialect, values), () if cut is None else parts_of(plan, cut)
    )


def finish_statement(sql: str, name: str, dialect: Dialect, values: Values) -> tuple[str, Values]:
    """A statement in the words of an engine, and the values that it has."""
    used = {name: values[name] for name in dict.fromkeys(MARKER.findall(sql))}
    return f"-- query.{name}\n{dialect.finish(sql)}", used


def _rows(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """Single rows: first they are found, then their numbers become texts."""
    inner = [f"{_expression(plan, name, values)} as c_{name}" for name in plan.columns]
    used = (*plan.columns, *(name for item in plan.order for name in item.names))
    source = relation(plan, " ".join(used), dialect, values)
    tie = "session" if plan.source in OF_SESSIONS else "id"
    source, texts = _with_texts(plan, source)
    order = [*order_terms(plan.order, lambda name: texts.get(name, name)), f"{tie} desc"]
    outer, joins = _texts([(name, f"c_{name}") for name in plan.columns])
    return (
        f"select {', '.join(outer)}\nfrom (\n"
        f"select {', '.join(inner)}, row_number() over (order by {', '.join(order)}) as place\n"
        f"from {source}\norder by place{_limit(plan, values)}\n){joins}\norder by place"
    )


def _with_texts(plan: QueryPlan, source: str) -> tuple[str, dict[str, str]]:
    """The rows next to the texts that they are sorted by, and how these are called."""
    names = dict.fromkeys(name for item in plan.order for name in item.names if name in INTERNED)
    if not names:
        return source, {}
    joins = [f"\njoin (select id as i_{name}, value as o_{name} from strings) on i_{name} = {name}" for name in names]
    return f"(select * from {source}) as fact{''.join(joins)}", {name: f"o_{name}" for name in names}


def _limit(plan: QueryPlan, values: Values) -> str:
    if not plan.limit:
        return ""
    values |= {"limit": plan.limit, "offset": plan.offset}
    return "\nlimit :limit offset :offset"


def _of_rows(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """A select with one row per group, and the columns d_DIMENSION and m_MEASURE."""
    measures = [f"{_measure(plan, name, dialect)} as m_{name}" for name in plan.measures]
    groups = [f"{_expression(plan, name, values)} as d_{name}" for name in plan.group]
    used = " ".join((*measures, *groups))
    source = relation(plan, used, dialect, values)
    if not plan.group:
        return f"select {', '.join(measures)}\nfrom {source}"
    if any(name.startswith("latest_") for name in plan.measures):
        measures += dialect.beside("max")
    return (
        f"select {', '.join((*groups, *measures))}\nfrom {source}\n"
        f"group by {', '.join(str(number + 1) for number in range(len(groups)))}"
    )


def _groups(plan: QueryPlan, inner: str, values: Values) -> str:
    """The groups with their texts, in their order, as many as the plan wants."""
    if not plan.group:
        return inner
    texts, joins = _texts([(name, f"d_{name}") for name in plan.group])
    kept = [(name.removeprefix("latest_"), f"m_{name}") for name in plan.measures]
    latest, more = _texts(kept, first=len(texts))
    shown = [*(f"{text} as x_{name}" for text, name in zip(texts, plan.group, strict=True))]
    shown += [f"{text} as m_{name}" for text, name in zip(latest, plan.measures, strict=True)]
    joins += more
    if plan.share_of:
        within = ", ".join(text for text, name in zip(texts, plan.group, strict=True) if name in plan.share_within)
        parts = f"partition by {within}" if within else ""
        shown.append(f"sum(m_{plan.share_of}) over ({parts}) as m_whole")
    place_of = partial(_place, plan)
    order = [*order_terms(plan.order, place_of), *(f"x_{name}" for name in plan.group)]
    having = _having(plan, values)
    middle = f"select {', '.join(shown)}\nfrom (\n{inner}\n){joins}{having}"
    names = [f"x_{name}" for name in plan.group] + [f"m_{name}" for name in plan.names[len(plan.group) :]]
    if plan.per[1]:
        parts = ", ".join(f"x_{name}" for name in plan.group[: plan.per[0]])
        values["per"] = plan.per[1]
        place = f"row_number() over (partition by {parts} order by {', '.join(order)}) as place"
        middle = f"select * from (\nselect *, {place}\nfrom (\n{middle}\n)\n) where place <= :per"
    known, beside = codes(plan.order, place_of, values)
    last = f"order by {', '.join(order)}{_limit(plan, values)}"
    return f"{known}select {', '.join(names)}\nfrom (\n{middle}\n){beside}\n{last}"


def _measure(plan: QueryPlan, name: str, dialect: Dialect) -> str:
    if name.startswith("latest_"):
        return dialect.best(name.removeprefix("latest_"), "max")
    if name == "first" and any(other.startswith("latest_") for other in plan.measures):
        return dialect.least("time")
    return MEASURES[plan.source][name]


def _texts(columns: Sequence[tuple[str, str]], first: int = 0) -> tuple[list[str], str]:
    """Columns by the name of what they hold: those with string numbers as texts, and the joins that this takes."""
    texts, joins = [], []
    for number, (name, column) in enumerate(columns, start=first):
        if name in INTERNED:
            texts.append(f"s{number}.value")
            joins.append(f"\njoin strings as s{number} on s{number}.id = {column}")
        else:
            texts.append(column)
    return texts, "".join(joins)


def _place(plan: QueryPlan, name: str) -> str:
    return f"x_{name}" if name in plan.group else f"m_{name}"


def _having(plan: QueryPlan, values: Values) -> str:
    parts = [f"m_{plan.least[0]} >= {bind(plan.least[1], values)}"] if plan.least[0] else []
    for item in plan.having:
        names = [bind(number, values) for number in item.numbers]
        parts.append(f"m_{item.measure} {'not ' if item.negated else ''}in ({', '.join(names)})")
    return "\nwhere " + "\n  and ".join(parts) if parts else ""


def _instant(plan: QueryPlan) -> str:
    """The column with the instant that a row belongs to."""
    return "started" if plan.source in OF_SESSIONS or plan.source == "funnels" else "time"


def _expression(plan: QueryPlan, name: str, values: Values) -> str:
    """A dimension in SQL."""
    if name == BUCKET:
        return bucket(_instant(plan), plan, values)
    if name in {HOUR_OF_DAY, DAY_OF_WEEK}:
        return local(name, _instant(plan), plan, values)
    if name == RETURNING:
        values["before"] = plan.start - LOOK_BACK
        return (
            f"case when not {LASTING} then 2 when visitor in (select visitor from events"
            " where site in (select value from numbers_in(:sites)) and time >= :before and time < :start and bot = 0"
            f" and kind <> 3 and {LASTING}) then 1 else 0 end"
        )
    return DIMENSIONS.get(name, name)
