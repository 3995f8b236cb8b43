"""The relations of periods: in which ones visitors were there who can be recognized on another day.

Those are visitors with lasting ids, and people identified by the website, who are one person under all their ids. In
a period, a visitor is the person that its first event there belongs to.
"""

import re
from collections.abc import Sequence

from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import LASTING, WHO
from analytics_box.query.engines.sql.texts import Values, bind
from analytics_box.query.engines.sql.times import bucket
from analytics_box.query.plan import LONGEST_GAP, PeriodPlan, QueryPlan

_AND = "\n  and "
# Leave beacons belong to a page that was seen before.
_VISIT = "kind <> 3 and visitor <> 0"


def activity_relation(plan: QueryPlan, where: Sequence[str], dialect: Dialect, values: Values) -> str:
    """A row for each period of a visitor: how many periods `back` the one before is, and how many `ahead` the one
    after, up to LONGEST_GAP; 0 if there is none."""
    pairs = _pairs("there", _VISIT, where, (), plan, dialect, values)
    neighbour = "max(number) over (partition by own order by number rows between 1 {0} and 1 {0})"
    before, after = (neighbour.format(way) for way in ("preceding", "following"))
    gap = f"case when after - number > {LONGEST_GAP} then 0 else after - number end"
    return (
        f"(with {pairs}\n"
        f"select number as period, coalesce(number - before, 0) as back, coalesce({gap}, 0) as ahead\n"
        f"  from (select own, number, {before} as before, {after} as after from there) as each_period)"
    )


def retention_relation(
    plan: QueryPlan, used: str, where: Sequence[str], selected: str, dialect: Dialect, values: Values
) -> str:
    """A row for each visitor of a cohort with period 0, and one for each later period in which it came back, numbered
    from its first. `selected` are the sessions that a visitor's first one must be of, or empty."""
    periods = _periods(plan)
    attributes = [name for name in ATTRIBUTES if re.search(rf"\b{name}\b", used)]
    kept = [*attributes, *(["session"] if selected else [])]
    values["finished"] = periods.finished
    first, again = (_condition(name, None, values) for name in (periods.activation, periods.comeback))
    tables = [_pairs("begun", first, where, kept, plan, dialect, values)]
    later = "begun"
    if periods.activation != periods.comeback or kept:
        later = "came_back"
        tables.append(_pairs(later, again, where, (), plan, dialect, values))
    shown = "".join(f", {name}" for name in kept)
    own = f" and session in ({selected})" if selected else ""
    tables.append(
        f"starters as (select own, number{shown} from (select own, number{shown},"
        " row_number() over (partition by own order by number) as nth from begun) as each_first"
        f" where nth = 1 and number >= 0{own})"
    )
    columns = "".join(f", starters.{name} as {name}" for name in attributes)
    mature = "case when starters.number + 1 < :finished then 1 else 0 end as mature"
    return (
        f"(with {f',{chr(10)}'.join(tables)}\n"
        f"select starters.number as cohort, starters.number - starters.number as period, {mature}{columns}\n"
        "  from starters\n"
        f"union all select starters.number, again.number - starters.number, {mature}{columns}\n"
        f"  from starters join {later} as again on again.own = starters.own\n"
        "  where again.number > starters.number)"
    )


def activations_relation(plan: QueryPlan, where: Sequence[str], dialect: Dialect, values: Values) -> str:
    """A row for each activation event: whose it is, 0 for an unknown person."""
    periods = _periods(plan)
    done = _condition(periods.activation, periods.namespace, values)
    return (
        f"(select {WHO} as person, {bucket('time', plan, values)} as period\n"
        f"  from events as fact where {_AND.join((*where, 'time < :end', done))})"
    )


def profile_relation(plan: QueryPlan, where: Sequence[str], dialect: Dialect, values: Values) -> str:
    """A row for each person who did something first in the range: whether they can have come back within the horizon by
    now, and whether they have."""
    periods = _periods(plan)
    values |= {"horizon": periods.horizon, "until": periods.until}
    first, again = (_condition(name, periods.namespace, values) for name in (periods.activation, periods.comeback))
    each = f"select {WHO} as person, time from events as fact where {_AND.join(where)}"
    came = "back.time > started and back.time < started + :horizon"
    return (
        f"(with since as (select person, min(time) as started from ({each}{_AND}time < :end{_AND}{first})"
        " as activation\n  where person <> 0 group by person),\n"
        f"back as (select person, time from ({each}{_AND}time < :until{_AND}{again}) as later where person <> 0)\n"
        f"select {bucket('started', plan, values)} as period,"
        " case when started + :horizon <= :until then 1 else 0 end as mature, returned from (\n"
        f"  select since.person as person, started, max(case when {came} then 1 else 0 end) as returned\n"
        "  from since left join back on back.person = since.person group by since.person, started) as each_person)"
    )


def _pairs(
    name: str,
    done: str,
    where: Sequence[str],
    kept: Sequence[str],
    plan: QueryPlan,
    dialect: Dialect,
    values: Values,
) -> str:
    """The tables that end in `name`: a row for each visitor (`own`) and period (`number`) in which they have `done` it,
    with what is `kept` of the first event there. People are looked up once for each visitor and period."""
    columns, least = ["min(time) as time"], dialect.beside("min") if kept else []
    if kept:
        columns = [f"{dialect.best(column, 'min')} as {column}" for column in ("id", "time", *kept)]
        columns += least
    firsts = "".join(f", {column}" for column in ("time", *(("id", *kept) if kept else ())))
    best = [f", {dialect.best(column, 'min')} as {column}" for column in kept]
    best += [f", {column}" for column in least]
    known = f"({LASTING} or profile <> 0 or visitor in (select visitor from visitor_profiles where {where[0]}))"
    table = "events as fact" if len(where) > _OF_RANGE else "events" if kept else "what_happened"
    return (
        f"seen_{name} as (select site, visitor, profile, {_number(plan, values)} as number, {', '.join(columns)}\n"
        f"  from {table} where {_AND.join((*where, done, known))}\n  group by 1, 2, 3, 4),\n"
        f"whose_{name} as (select case when person <> 0 then -1 * cast(person as bigint) else visitor end as own,"
        f" number{firsts}\n"
        f"  from (select {WHO} as person, visitor, number{firsts} from seen_{name} as fact) as each_one\n"
        f"  where person <> 0 or {LASTING}),\n"
        f"{name} as (select own, number{''.join(best)} from whose_{name} group by own, number)"
    )


# The conditions on site, bots, start and end. Any others may be on what a session keeps.
_OF_RANGE = 4


def _number(plan: QueryPlan, values: Values) -> str:
    """The period of an event."""
    periods = _periods(plan)
    own = bucket("time", plan, values)
    if periods.shown <= plan.start:
        return own
    values |= {"shown": periods.shown, "previous": periods.previous}
    return f"case when time < :previous then -2 when time < :shown then -1 else {own} end"


def _condition(event: str, namespace: str | None, values: Values) -> str:
    """A condition on events: a custom event with this name, or any visit."""
    if not event:
        return _VISIT
    texts = "(select id from strings where value = {0})"
    own = f"kind = 2 and name in {texts.format(bind(event, values))}"
    return own if namespace is None else f"{own} and namespace in {texts.format(bind(namespace, values))}"


def _periods(plan: QueryPlan) -> PeriodPlan:
    if plan.periods is None:
        raise ValueError(f"A plan of {plan.source} has no periods")
    return plan.periods
