"""The relation of funnels: a row per session, or per lasting visitor, that took the first step.

A row has the times at which each step was first reached (`step_1` and so on, null if it was not), how long the
conversion `took`, and what its session keeps. Without a time limit it counts from the first time that the first step
was taken; with one, every attempt counts, so that the latest possible start is looked for.

Events are read once for all steps that are pages and once for all that are custom events. Their order is looked at only
for visits with the first step and the second.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.query import happened
from analytics_box.query.engines.sql import happenings
from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID, LASTING
from analytics_box.query.engines.sql.texts import Values, bind, text
from analytics_box.query.filters import ConditionGroup, DropoffPlan, FilterCondition, FunnelPlan, Where
from analytics_box.query.plan import MOST_STEPS

_COLUMNS = "fact.visitor, fact.session, fact.time, fact.id as id"
_AND = "\n  and "
_ALL = "\n  union all "
_BEFORE = "rows between unbounded preceding and 1 preceding"
_DIRECTLY_BEFORE = "rows between 1 preceding and 1 preceding"
# What a row of events has to be, and its column with the text, by the condition on it.
_BY_TEXT: Final = {"session_page": ("kind = 1", "path"), "session_event": ("kind = 2", "name")}


class _Visits(Struct, frozen=True):
    """The parts that all tables of a funnel have in common: the funnel, the column with `who` is counted, the columns
    that are `kept` of sessions, and the conditions that select events of the sessions that are looked at."""

    funnel: FunnelPlan
    who: str
    kept: tuple[str, ...]
    chosen: str

    @property
    def step_columns(self) -> list[str]:
        """A column for each step: 1 if a fact meets it."""
        return [f"met_{step}" for step in range(1, len(self.funnel.steps) + 1)]

    def flags(self, met: Mapping[int, str]) -> str:
        """Select the step columns; of steps without a text they are 0. People begin before the end of the range."""
        begins = "case when time < :end then 1 else 0 end * " if self.funnel.people else ""
        texts = {1: begins + met[1], **{step: met[step] for step in met if step > 1}} if 1 in met else met
        return ", ".join(f"{texts.get(step, '0')} as {name}" for step, name in enumerate(self.step_columns, start=1))


def funnel_relation(funnel: FunnelPlan, used: str, chosen: list[str], dialect: Dialect, values: Values) -> str:
    """The visits of a funnel. `chosen` are the conditions that select events of the sessions that are looked at."""
    who = "visitor" if funnel.people else "session"
    kept = tuple(name for name in ATTRIBUTES if re.search(rf"\b{name}\b", used))
    visits = _Visits(funnel, who, kept, _AND.join((*chosen, *([LASTING] if funnel.people else []))))
    number = len(funnel.steps)
    asked = _texts_of_steps(funnel, values)
    facts, (last, levels) = _facts(visits, asked, dialect, values), _levels(visits, asked, values, "likely")
    started = "time" if funnel.people else "started"
    columns = {"step_1": "time", "session": "session", "started": started, **{name: name for name in kept}}
    first = [f"{dialect.best(of, 'min')} as {name}" for name, of in columns.items()] + dialect.beside("min")
    likely = " and ".join(f"max({name}) = 1" for name in visits.step_columns[:2])
    reached = [f"min(case when start_{step} is not null then time end) as step_{step}" for step in range(2, number + 1)]
    reached += [f"cast(null as integer) as step_{step}" for step in range(number + 1, MOST_STEPS + 1)]
    reached.append(f"min(time - start_{number}) as took")
    steps = ", ".join(f"step_{step}" for step in range(2, MOST_STEPS + 1))
    shown = ", ".join(("entered.who as session", "step_1", steps, "took", "started", *kept))
    sql = (
        f"(with {facts},\nentered as (select who, {', '.join(first)} from taken where met_1 = 1 group by who),\n"
        f"likely as (select who from taken group by who having {likely}),\n{levels},\n"
        f"reached as (select who, {', '.join(reached)} from {last} group by who)\n"
        f"select {shown} from entered left join reached on reached.who = entered.who)"
    )
    # What happened later in a visitor's other sessions counts also.
    return sql.replace("time < :end +", "time < :last +") if funnel.people else sql


def dropoff_relation(dropoff: DropoffPlan, chosen: list[str], dialect: Dialect, values: Values) -> str:
    """The visits that reached the step before a step, and not the step; those that completed the funnel if it has no
    such step.

    Statements that use this are read several times, so it refers to as few tables as possible.
    """
    funnel, step = dropoff.funnel, dropoff.step
    # Between the steps of a strict funnel, facts of later steps count also.
    if funnel.order != "strict":
        funnel = replace(funnel, steps=funnel.steps[:step])
    who = "visitor" if funnel.people else "session"
    visits = _Visits(funnel, who, (), _AND.join((*chosen, *([LASTING] if funnel.people else []))))
    asked = _texts_of_steps(funnel, values)
    facts, (last, levels) = _facts(visits, asked, dialect, values), _levels(visits, asked, values)
    missed = f" and count(start_{step}) = 0" if step <= len(funnel.steps) else ""
    last = last if funnel.order == "any" else f"level_{min(step, len(funnel.steps))}"
    sql = f"(with {facts},\n{levels}\nselect who from {last} group by who having count(start_{step - 1}) > 0{missed})"
    return sql.replace("time < :end +", "time < :last +") if funnel.people else sql


# Statements for the texts of each step, by what a row of events has to be and its column with the text.
_Texts = Mapping[tuple[str, str], Mapping[int, str]]


def _texts_of_steps(funnel: FunnelPlan, values: Values) -> _Texts:
    """The steps that are a text in a column of events."""
    by_text: dict[tuple[str, str], dict[int, str]] = {}
    for number, step in enumerate(funnel.steps, start=1):
        for item in _text_conditions(step):
            matches = f"select id from strings where {text('value', item, values)}"
            of_column = by_text.setdefault(_BY_TEXT[item.column], {})
            of_column[number] = f"{of_column[number]} union all {matches}" if number in of_column else matches
    return by_text


def _facts(visits: _Visits, by_text: _Texts, dialect: Dialect, values: Values) -> str:
    """The table `taken` of the facts that meet any step, each once. Those that are a text in a column of events are
    read together; sessions of others are looked up."""
    others: list[str] = []
    for number, step in enumerate(visits.funnel.steps, start=1):
        if not _text_conditions(step):
            facts = _other_facts(step, dialect, values)
            others.append(f"select {visits.flags({number: '1'})}, {facts.removeprefix('select ')}")
    columns = ", ".join((f"{visits.who} as who", "session", "time", "id"))
    found = []
    for (kind, column), texts in by_text.items():
        met = visits.flags({step: f"case when {column} in ({of}) then 1 else 0 end" for step, of in texts.items()})
        kept = ", ".join((met, "session_started as started", *visits.kept))
        wanted = f"{kind} and {column} in ({' union all '.join(texts.values())})"
        found.append(f"select {columns}, {kept} from events as fact\n  where {visits.chosen} and {wanted}")
    if not others:
        return f"taken as materialized ({_ALL.join(found)})"
    own = {"started": "session_started", **{name: name for name in visits.kept}}
    sessions = ", ".join(("session as of_session", *(f"{dialect.keep(of)} as {name}" for name, of in own.items())))
    known = ", ".join((*visits.step_columns, "started", *visits.kept))
    within = f"\n  where {LASTING} and time >= :start and time < :last" if visits.funnel.people else ""
    found.append(f"select {columns}, {known} from others join chosen on of_session = session{within}")
    return (
        f"others as materialized ({_ALL.join(others)}),\n"
        f"chosen as (select {sessions} from events as fact\n"
        f"  where {visits.chosen} and session in (select session from others) group by session),\n"
        f"taken as materialized ({_each_once(visits, _ALL.join(found), ('started', *visits.kept))})"
    )


def _each_once(visits: _Visits, facts: str, kept: tuple[str, ...] = ()) -> str:
    """Each fact once, with all steps that it meets."""
    met = [f"max({name}) as {name}" for name in visits.step_columns]
    met += [f"min({name}) as {name}" for name in ("session", *kept)]
    return f"select who, time, id, {', '.join(met)} from ({facts}) as every_fact group by who, time, id"


def _levels(visits: _Visits, by_text: _Texts, values: Values, among: str = "") -> tuple[str, str]:
    """The last of the tables that follow visits from step to step, and all of them: `start_N` is when the attempt began
    that has reached step N with this event. Only visits of the table `among` are followed, if there is one."""
    funnel, met = visits.funnel, ", ".join(visits.step_columns)
    seen = f"select who, session, time, id, {met} from taken"
    seen += f" where who in (select who from {among})" if among else ""
    if funnel.order == "strict":  # what came between steps also
        flags: dict[int, str] = {}
        if by_text and all(_text_conditions(step) for step in funnel.steps):
            for (kind, column), texts in by_text.items():
                for step, of in texts.items():
                    own = f"{kind} and {column} in ({of})"
                    flags[step] = f"{flags[step]} or {own}" if step in flags else own
            flags = {step: f"case when {own} then 1 else 0 end" for step, own in flags.items()}
        between = (
            f"select {visits.who} as who, session, time, id, {visits.flags(flags)} from events as fact\n"
            f"  where {visits.chosen} and (kind = 1 or {DID})"
            + (f" and {visits.who} in (select who from {among})" if among else "")
        )
        # Facts that are read from events alone need not be put together with those that meet steps.
        seen = between if flags else _each_once(visits, f"{seen}{_ALL}{between}")
    last, levels = (_in_any_order if funnel.order == "any" else _in_order)(funnel, values)
    return last, f"seen as ({seen}),\n{levels}"


def _in_order(funnel: FunnelPlan, values: Values) -> tuple[str, str]:
    number, best = len(funnel.steps), "max" if funnel.within else "min"
    frame = _DIRECTLY_BEFORE if funnel.order == "strict" else _BEFORE
    levels = ["level_1 as (select *, case when met_1 = 1 then time end as start_1 from seen)"]
    limit = f" and time - before <= {bind(funnel.within, values)}" if funnel.within else ""
    for step in range(2, number + 1):
        kept = ["who", "time", "id", *(f"met_{later}" for later in range(step + 1, number + 1)), f"start_{step - 1}"]
        before = f"{best}(start_{step - 1}) over (partition by who order by time, id {frame})"
        kept += [f"start_{earlier}" for earlier in range(2, step - 1)]
        levels.append(
            f"level_{step} as (select {', '.join(kept)},"
            f" case when met_{step} = 1{limit} then before end as start_{step}"
            f" from (select *, {before} as before from level_{step - 1}) as earlier)"
        )
    return f"level_{number}", ",\n".join(levels)


def _in_any_order(funnel: FunnelPlan, values: Values) -> tuple[str, str]:
    """A table with when an attempt began that has taken the first N steps by this event, in any order."""
    best = "max" if funnel.within else "min"
    numbers = range(1, len(funnel.steps) + 1)
    frame = "rows between unbounded preceding and current row"
    taken = ", ".join(
        f"{best}(case when met_{step} = 1 then time end) over (partition by who order by time, id {frame})"
        f" as taken_{step}"
        for step in numbers
    )
    limit = f" and time - {{}} <= {bind(funnel.within, values)}" if funnel.within else ""
    starts = []
    for step in numbers:
        known = " and ".join(f"taken_{each} is not null" for each in range(1, step + 1))
        start = "taken_1" if step == 1 else f"least({', '.join(f'taken_{each}' for each in range(1, step + 1))})"
        starts.append(f"case when {known}{limit.format(start)} then {start} end as start_{step}")
    return "begun", f"begun as (select who, time, {', '.join(starts)} from (select *, {taken} from seen) as each_fact)"


def _text_conditions(step: Where) -> Sequence[FilterCondition]:
    """The conditions of a step of which each asks only for the text in a column of events, and any is enough; none if
    the step says more."""
    if isinstance(step, FilterCondition):
        says_more = step.negated or step.match == "set" or step.also or step.column not in _BY_TEXT
        return () if says_more else (step,)
    if step.negated or not (step.any or len(step.items) == 1):
        return ()
    parts = [_text_conditions(item) for item in step.items]
    return [item for part in parts for item in part] if all(parts) else ()


def _other_facts(step: Where, dialect: Dialect, values: Values) -> str:
    """A subquery for the facts that meet a step: those of its first condition on what happened, in sessions that meet
    the others; of steps of which any condition is enough, those of each."""
    if isinstance(step, FilterCondition):
        return happenings.find_facts(step, values, dialect, _COLUMNS)
    if step.any:
        each = "\n  union all ".join(_other_facts(item, dialect, values) for item in step.items)
        return f"select {_COLUMNS} from ({each}) as fact"
    own = next((item for item in step.items if _happens(item)), None)
    if own is None:
        own = FilterCondition("session_goal", "is", (), negated=False)
    others = [_of_session(item, dialect, values) for item in step.items if item is not own]
    facts = _other_facts(own, dialect, values)
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
    return f"session in (select session from what_happened as fact where {happenings.NEAR} and bot = 0 and {own})"
