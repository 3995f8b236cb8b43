"""The relation of funnels: a row per session, or per lasting visitor, that took the first step.

A row has the times at which each step was first reached (`step_1` and so on, null if it was not), how long the
conversion `took`, and what its session keeps. Without a time limit it counts from the first time that the first step
was taken; with one, every attempt counts, so that the latest possible start is looked for.
"""

import re

from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.query import happened
from analytics_box.query.engines.sql import happenings
from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID, LASTING
from analytics_box.query.engines.sql.texts import Values, bind
from analytics_box.query.filters import ConditionGroup, FilterCondition, Where
from analytics_box.query.plan import MOST_STEPS, FunnelPlan, QueryPlan

_COLUMNS = "fact.visitor, fact.session, fact.time, fact.id as id"
_AND = "\n  and "
_BEFORE = "rows between unbounded preceding and 1 preceding"
# Each event counts once, though it may have several rows.
_DIRECTLY_BEFORE = "range between 1 preceding and 1 preceding"


def funnel_relation(
    plan: QueryPlan, funnel: FunnelPlan, used: str, chosen: list[str], dialect: Dialect, values: Values
) -> str:
    """The visits of a funnel. `chosen` are the conditions that select events of the sessions that are looked at."""
    kept = [name for name in ATTRIBUTES if re.search(rf"\b{name}\b", used)]
    columns = "".join(f", {dialect.keep(name)} as {name}" for name in kept)
    sessions = (
        f"select session, {dialect.keep('session_started')} as started{columns}\n  from events as fact\n"
        f"  where {_AND.join(chosen)}\n  group by session"
    )
    who = "visitor" if funnel.people else "session"
    steps = [
        f"select {number} as step, {_facts(step, dialect, values).removeprefix('select ')}"
        for number, step in enumerate(funnel.steps, start=1)
    ]
    if funnel.order == "strict":
        own = f"(kind = 1 or {DID})"
        steps.append(
            f"select 0 as step, {_COLUMNS} from what_happened as fact where {own} and {happenings.NEAR} and bot = 0"
        )
    within = ["session in (select session from chosen)"]
    if funnel.people:
        values["funnel_end"] = plan.end + funnel.within
        within += [LASTING, "time >= :start", "time < :funnel_end", "(step <> 1 or time < :end)"]
        # What happened later in a visitor's other sessions counts also.
        steps = [step.replace("time < :end +", "time < :funnel_end +") for step in steps]
    facts = "\n  union all ".join(steps)
    taken = f"select {who} as who, session, time, id, step\n  from ({facts}) as each_step\n  where {_AND.join(within)}"
    ways = {"ordered": _in_order, "strict": _in_order, "any": _in_any_order}
    last, levels = ways[funnel.order](funnel, values)
    number = len(funnel.steps)
    reached = [f"min(case when start_{step} is not null then time end) as step_{step}" for step in range(1, number + 1)]
    reached += [f"cast(null as integer) as step_{step}" for step in range(number + 1, MOST_STEPS + 1)]
    took = f"min(time - start_{number}) as took"
    rows = f"select who, {', '.join((*reached, took))}\n  from {last}\n  group by who"
    kept_first = (f"{dialect.best('session', 'min')} as session", *dialect.beside("min"))
    first = f"select who, {', '.join(kept_first)}\n  from taken where step = 1 group by who"
    started = "reached.step_1" if funnel.people else "chosen.started"
    shown = "".join(f", chosen.{name}" for name in kept)
    names = ", ".join((*(f"step_{step}" for step in range(1, MOST_STEPS + 1)), "took"))
    return (
        f"(with chosen as ({sessions}),\ntaken as ({taken}),\n{levels},\nreached as ({rows}),\n"
        f"entered as ({first})\n"
        f"select reached.who as session, {names}, {started} as started{shown}\n"
        "  from reached join entered on entered.who = reached.who join chosen on chosen.session = entered.session\n"
        "  where step_1 is not null)"
    )


def _in_order(funnel: FunnelPlan, values: Values) -> tuple[str, str]:
    """The last of the tables that follow visits from step to step, and all of them: `start_N` is when the attempt began
    that has reached step N with this event."""
    best = "max" if funnel.within else "min"
    order, frame, source = "time, id, step desc", _BEFORE, "taken"
    kept = ["who", "time", "id", "step"]
    levels = []
    if funnel.order == "strict":
        levels.append(
            "numbered as (select *, dense_rank() over (partition by who order by time, id) as place from taken)"
        )
        order, frame, source = "place", _DIRECTLY_BEFORE, "numbered"
        kept.append(order)
    levels.append(f"level_1 as (select *, case when step = 1 then time end as start_1 from {source})")
    limit = f" and time - before <= {bind(funnel.within, values)}" if funnel.within else ""
    for step in range(2, len(funnel.steps) + 1):
        before = f"{best}(start_{step - 1}) over (partition by who order by {order} {frame})"
        kept.append(f"start_{step - 1}")
        levels.append(
            f"level_{step} as (select {', '.join(kept)},"
            f" case when step = {step}{limit} then before end as start_{step}"
            f" from (select *, {before} as before from level_{step - 1}) as earlier)"
        )
    return f"level_{len(funnel.steps)}", ",\n".join(levels)


def _in_any_order(funnel: FunnelPlan, values: Values) -> tuple[str, str]:
    """A table with when an attempt began that has taken the first N steps by this event, in any order."""
    best = "max" if funnel.within else "min"
    numbers = range(1, len(funnel.steps) + 1)
    frame = "rows between unbounded preceding and current row"
    taken = ", ".join(
        f"{best}(case when step = {step} then time end) over (partition by who order by time, id, step {frame})"
        f" as taken_{step}"
        for step in numbers
    )
    limit = f" and time - {{}} <= {bind(funnel.within, values)}" if funnel.within else ""
    starts = []
    for step in numbers:
        known = " and ".join(f"taken_{each} is not null" for each in range(1, step + 1))
        start = "taken_1" if step == 1 else f"least({', '.join(f'taken_{each}' for each in range(1, step + 1))})"
        starts.append(f"case when {known}{limit.format(start)} then {start} end as start_{step}")
    return "begun", f"begun as (select who, time, {', '.join(starts)} from (select *, {taken} from taken) as each_fact)"


def _facts(step: Where, dialect: Dialect, values: Values) -> str:
    """A subquery for the facts that meet a step: those of its first condition on what happened, in sessions that meet
    the others; of steps of which any condition is enough, those of each."""
    if isinstance(step, FilterCondition):
        return happenings.find_facts(step, values, dialect, _COLUMNS)
    if step.any:
        each = "\n  union all ".join(_facts(item, dialect, values) for item in step.items)
        return f"select {_COLUMNS} from ({each}) as fact"
    own = next((item for item in step.items if _happens(item)), None)
    if own is None:
        own = FilterCondition("session_goal", "is", (), negated=False)
    others = [_of_session(item, dialect, values) for item in step.items if item is not own]
    facts = _facts(own, dialect, values)
    return f"select {_COLUMNS} from ({facts}) as fact where {_AND.join(others)}" if others else facts


def _happens(item: Where) -> bool:
    if isinstance(item, ConditionGroup):
        return not item.negated and any(_happens(part) for part in item.items)
    return item.column in happened.COLUMNS and not item.negated


def _of_session(item: Where, dialect: Dialect, values: Values) -> str:
    """A condition on the sessions of facts: what else happened in them, or what they keep."""
    if isinstance(item, FilterCondition) and item.column in happened.COLUMNS:
        return render(item, values, dialect)
    own = render(item, values, dialect)
    return f"session in (select session from events as fact where {happenings.NEAR} and bot = 0 and {own})"
