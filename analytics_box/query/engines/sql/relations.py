"""The relations that a plan scans, as SQL after `from`."""

import json
import re
from collections.abc import Mapping

from msgspec.structs import replace

from analytics_box.base.facts.tables import ATTRIBUTES, FACT_NAMES
from analytics_box.query import happened
from analytics_box.query.engines.sql.conditions import join_group, render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.flows import flow_relation
from analytics_box.query.engines.sql.funnels import dropoff_relation, funnel_relation
from analytics_box.query.engines.sql.names import (
    ACTED,
    BEGUN,
    ID_OF_STARTER,
    OF_ERRORS,
    PER_SESSION,
    PLACE,
    SITES,
    STARTER,
)
from analytics_box.query.engines.sql.periods import (
    activations_relation,
    activity_relation,
    profile_relation,
    retention_relation,
)
from analytics_box.query.engines.sql.texts import Values, bind, string_matches
from analytics_box.query.filters import (
    OF_THE_PAGE,
    ConditionGroup,
    DropoffPlan,
    FilterCondition,
    Where,
    fitting,
    flag_of,
)
from analytics_box.query.plan import OF_SESSIONS, SESSION_AFTER, SESSION_BEFORE, SOON, QueryPlan, Source

# The same in each event of a session.
_OF_A_SESSION = frozenset((*ATTRIBUTES, "session", "site")) | happened.COLUMNS


_SITE_OF = {"link_clicks": "link", "checks": "monitor", "monitor_spans": "monitor"}
_TABLE_OF = {"ai_unvisited": "ai_requests"}
_IN_RANGE = "time >= :start and time < :end"
_OVERLAPPING = ["start < :end", "(until = 0 or until > :start)"]


def relation(plan: QueryPlan, used: str, dialect: Dialect, values: Values) -> str:
    """The rows that this plan measures. `used` is the text of all that will be asked of them."""
    values |= {"sites": json.dumps(plan.sites), "site": plan.sites[0] if plan.sites else 0}
    values |= {"start": plan.start, "end": plan.end, "given_since": plan.start - plan.given_before}
    if plan.source in OF_SESSIONS:
        return _of_sessions(plan, used, dialect, values)
    if plan.source in _OF_PERIODS:
        return _periods(plan, used, dialect, values)
    if plan.source in {"funnels", "flows"}:
        return _ways(plan, used, dialect, values)
    others = {"exposures": _exposures, "experiments": _experiments, "met": _met_sessions, "landings": _landings}
    if plan.source in others:
        return others[plan.source](plan, dialect, values)
    where = [sites(plan, _SITE_OF.get(plan.source, "site"))]
    if plan.source in {"events", "properties"}:
        where.append("bot <> 0" if plan.bots else "bot = 0")
    if plan.source in {"events", "properties", "link_clicks"} and plan.kinds:
        where.append(f"kind in ({', '.join(str(int(kind)) for kind in plan.kinds)})")
    if plan.source in {"events", "properties"} and plan.timed[1]:
        where.append(f"engaged > {int(plan.timed[0])} and engaged < {int(plan.timed[1])}")
    if plan.metrics:
        where.append(f"metric in ({', '.join(str(int(metric)) for metric in plan.metrics)})")
    where += _OVERLAPPING if plan.source == "monitor_spans" else ["time >= :start", "time < :end"]
    where += present(plan)
    if plan.source == "properties":
        return _properties(plan, where, dialect, values)
    if plan.source == "ai_unvisited":
        where.append(f"path not in (select path from events where {SITES} and {_IN_RANGE} and kind = 1 and bot = 0)")
    own = dialect if plan.source in FACT_NAMES else dialect.without_combinations
    for item in plan.where:  # what is true of few comes first: SQLite looks at one after the other
        where.insert(0 if _columns(item) <= happened.COLUMNS else len(where), render(item, values, own))
    table = dialect.events if plan.source == "events" else _TABLE_OF.get(plan.source, plan.source)
    return f"{table} as fact\nwhere {_and(where)}"


def _landings(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """The sessions on websites of this server that followed a click: the same visitor viewed a page soon after it.
    There is one row per session."""
    values |= {"soon": SOON, "earliest": plan.start - SESSION_BEFORE - SESSION_AFTER}
    values |= {"latest": plan.end + SOON + SESSION_AFTER}
    clicks = [sites(plan, "link"), "kind = 1", "landing <> 0", "time >= :start", "time < :end"]
    clicks += [render(item, values, dialect.without_combinations) for item in plan.where]
    clicked = f"select time, landing, landing_visitor from link_clicks as fact where {_and(clicks)}"
    landed = (
        f"select distinct entry.session from ({clicked}) as click\n"
        "  join events as entry on entry.site = click.landing and entry.visitor = click.landing_visitor\n"
        "    and entry.time >= click.time and entry.time < click.time + :soon\n"
        "    and entry.kind = 1 and entry.bot = 0 and entry.session <> 0"
    )
    inner = (
        f"select session, count(case when kind = 1 then 1 end) as views, count(case when {ACTED} then 1 end) as deeds,"
        " sum(engaged) as engaged, max(time) - min(time) as duration\n  from events as fact\n"
        f"  where site in (select landing from ({clicked})) and bot = 0 and time >= :earliest and time < :latest\n"
        f"  and (kind <> 3 or time >= session_started - {SESSION_BEFORE})\n"
        f"  and session in ({landed})\n  group by session"
    )
    return f"({inner}\n)"


def _ways(plan: QueryPlan, used: str, dialect: Dialect, values: Values) -> str:
    """The sessions that entered a funnel, or the steps of all sessions."""
    if plan.funnel is not None and plan.funnel.people:
        values["last"] = plan.end + plan.funnel.within
        where = [sites(plan), "bot = 0", "time >= :start", "time < :last", "session <> 0"]
    else:
        where = _of_range(plan, values)
    scan = _and(where)
    where += [of_session(item, scan, dialect, values) for item in _together(plan.where)]
    if plan.source == "flows":
        return flow_relation(plan, where, dialect, values)
    if plan.funnel is None:
        raise ValueError("A plan of funnels has no funnel")
    return funnel_relation(plan.funnel, used, where, dialect, values)


def dropoff_condition(dropoff: DropoffPlan, values: Values, dialect: Dialect) -> str:
    """Select events of the sessions, or of the lasting visitors, that reached the step before this one, and not it."""
    funnel, last = dropoff.funnel, ":end"
    where = [SITES, "bot = 0", "session <> 0"]
    if funnel.people:
        last = bind(int(values["end"]) + funnel.within, values)
        where += ["time >= :start", "time < :last"]
    else:
        where += [f"time >= :start - {SESSION_BEFORE}", f"time < :end + {SESSION_AFTER}"]
        where += ["session_started >= :start", "session_started < :end"]
    scan = _and(where)
    where += [of_session(item, scan, dialect, values) for item in _together(dropoff.where)]
    who = "visitor" if funnel.people else "session"
    return f"{who} in {dropoff_relation(dropoff, where, dialect, values).replace(':last', last)}"


_OF_PERIODS: frozenset[Source] = frozenset(("activity", "retention", "profile_retention", "activations"))


def _periods(plan: QueryPlan, used: str, dialect: Dialect, values: Values) -> str:
    """Conditions select the sessions of activity; of cohorts the first session of each visitor."""
    where = [sites(plan), "bot = 0", "time >= :start"]
    if plan.source == "profile_retention":
        return profile_relation(plan, where, dialect, values)
    if plan.source == "activations":
        return activations_relation(plan, where, dialect, values)
    where.append("time < :end")
    scan = _and(_of_range(plan, values))
    selected = [of_session(item, scan, dialect, values) for item in _together(plan.where)]
    if plan.source == "activity":
        return activity_relation(plan, [*where, *selected], dialect, values)
    chosen = f"select session from what_happened as fact where {_and([scan, *selected])}" if selected else ""
    return retention_relation(plan, used, where, chosen, dialect, values)


def _of_range(plan: QueryPlan, values: Values) -> list[str]:
    """The events of the sessions that start in the range."""
    values |= {"earliest": plan.start - SESSION_BEFORE, "latest": plan.end + SESSION_AFTER}
    return [
        sites(plan),
        "bot = 0",
        "time >= :earliest",
        "time < :latest",
        "session_started >= :start",
        "session_started < :end",
        "session <> 0",
    ]


_BEST_OF: Mapping[Source, str] = {"entries": "min", "exits": "max"}
_PLACE_OF_VIEW = f"case when kind = 1 then {PLACE} end"


def _of_sessions(plan: QueryPlan, used: str, dialect: Dialect, values: Values) -> str:
    there = present(plan)
    nonempty = f"\nwhere {_and(there)}" if there else ""
    if dialect.sessions and plan.source == "sessions":
        return dialect.sessions + nonempty
    where = _of_range(plan, values)
    if plan.source == "sessions":
        where.append(f"(kind <> 3 or time >= session_started - {SESSION_BEFORE})")
    scan = _and(where)
    where += [of_session(item, scan, dialect, values) for item in _together(plan.where)]
    if plan.source == "sessions":
        measures = PER_SESSION | {"starter": f"min(case when {_SEEN} then {STARTER} end)"}
        columns = [f"{sql} as {name}" for name, sql in measures.items() if re.search(rf"\b{name}\b", used)]
        kept = {"started": "session_started"} | {name: name for name in ("site", "client_session", *ATTRIBUTES)}
        columns += [f"{dialect.keep(of)} as {name}" for name, of in kept.items() if re.search(rf"\b{name}\b", used)]
        shown = ", ".join(("session", *columns))
        inner = f"select {shown}\n  from events as fact\n  where {_and(where)}\n  group by session"
    elif plan.source in {"entries", "exits"}:
        best, place = _BEST_OF[plan.source], _PLACE_OF_VIEW
        columns = [
            f"{dialect.keep('session_started')} as started",
            *((f"{dialect.keep('site')} as site",) if re.search(r"\bsite\b", used) else ()),
            f"{dialect.best('path', best, place)} as path",
            *((f"{dialect.least(STARTER)} as starter",) if re.search(r"\bstarter\b", used) else ()),
            *((f"{dialect.least(STARTER)} {ID_OF_STARTER} as visitor",) if re.search(r"\bvisitor\b", used) else ()),
            *dialect.beside(best, place),
        ]
        inner = (
            f"select session, {', '.join(columns)}\n  from events as fact\n  where {_and([*where, _SEEN])}\n"
            f"  group by session\n  having {dialect.with_a_view}"
        )
    else:
        inner = _views_in_order(plan, where, dialect)
    return f"({inner}\n)" + nonempty


_SEEN = "kind <> 3"  # page views, and for the visitor custom events: a session may start with one


def _views_in_order(plan: QueryPlan, where: list[str], dialect: Dialect) -> str:
    if plan.source == "journeys":
        ends = (
            "first_value(path) over (partition by session order by kind <> 1, time, id) as path, "
            "first_value(path) over (partition by session order by kind <> 1, time desc, id desc) as to_path"
        )
        return (
            f"select session, min(starter) {ID_OF_STARTER} as visitor, {dialect.keep('path')} as path,"
            f" {dialect.keep('to_path')} as to_path from (\n"
            f"  select session, kind, {STARTER} as starter, {ends}\n  from events as fact\n"
            f"  where {_and([*where, _SEEN])}\n) group by session having count(case when kind = 1 then 1 end) > 0"
        )
    following = "lead(path) over (partition by session order by time, id) as to_path"
    return (
        f"select session, path, to_path from (\n"
        f"  select session, path, {following}\n  from events as fact\n  where {_and([*where, 'kind = 1'])}\n"
        ") where to_path is not null and to_path <> path"
    )


def _together(items: tuple[Where, ...]) -> list[tuple[Where, ...]]:
    """The conditions on pages together, because one page view must meet them all; those on pages that a session must
    not have together also, for it has a view of none of them. Every other one by itself."""
    pages, barred = _of_pages(items, negated=False), _of_pages(items, negated=True)
    others = [(item,) for item in items if item not in pages and item not in barred]
    return [part for part in (pages, barred) if part] + others


def _of_pages(items: tuple[Where, ...], *, negated: bool) -> tuple[Where, ...]:
    """The conditions on the page of a page view, either those that are negated or those that are not."""
    return tuple(
        item
        for item in items
        if isinstance(item, FilterCondition) and item.column in OF_THE_PAGE and item.negated is negated
    )


def _any_session(items: tuple[Where, ...], scan: str, dialect: Dialect, values: Values) -> list[str]:
    """Conditions of which one is enough. Those on pages are looked for in one subquery, however many they are: in a
    statement that is read several times, SQLite takes only some hundred."""
    pages, barred = _of_pages(items, negated=False), _of_pages(items, negated=True)
    found = [of_session((item,), scan, dialect, values) for item in items if item not in pages and item not in barred]
    views = f"from what_happened as fact where {scan} and kind = 1"
    if pages:
        either = " or ".join(render(item, values, dialect) for item in pages)
        found.append(f"session in (select session {views} and ({either}))")
    if barred:  # sessions that do not have them all
        met = {
            f"met_{number}": render(replace(item, negated=False), values, dialect) for number, item in enumerate(barred)
        }
        shown = ", ".join(f"case when {text} then 1 else 0 end as {name}" for name, text in met.items())
        every = " and ".join(f"max({name}) = 1" for name in met)
        found.append(
            f"not (session in (select session from (select session, {shown} {views}) as each_view"
            f" group by session having {every}))"
        )
    return found


def of_session(items: tuple[Where, ...], scan: str, dialect: Dialect, values: Values) -> str:
    """Conditions that together select whole sessions (semantics 15): by what they keep, or by having such an event in
    `scan`. A negated one selects all other sessions, those that never had such an event."""
    if len(items) == 1 and not isinstance(items[0], FilterCondition):
        group = items[0]
        if group.any:
            return join_group(group, _any_session(group.items, scan, dialect, values))
        each = _together(group.items)
        return join_group(group, [of_session(own, scan, dialect, values) for own in each])
    columns = {item.column for item in items if isinstance(item, FilterCondition)}
    if columns <= _OF_A_SESSION:
        return _and([render(item, values, dialect) for item in items])
    if all(item.negated for item in items):
        either = ConditionGroup(True, tuple(replace(item, negated=False) for item in items))
        kind = " and kind = 1" if columns <= OF_THE_PAGE else ""
        had = render(either, values, dialect)
        return f"not (session in (select session from what_happened as fact where {scan}{kind} and {had}))"
    text = _and([render(item, values, dialect) for item in items])
    kind = " and kind = 1" if columns <= OF_THE_PAGE else ""
    return f"session in (select session from what_happened as fact where {scan}{kind} and {text})"


# What custom events may be filtered by (wire 1.9, and the page that their session began on), besides what is there of
# each property.
_OF_CUSTOM_EVENTS = ("name", "namespace", "profile", "client_session", "path", "origin", "entry")


def _properties(plan: QueryPlan, where: list[str], dialect: Dialect, values: Values) -> str:
    """Each property of each custom event: its key, its text and its JSON kind; where a condition speaks of keys and of
    other columns of the event, those also."""
    own = [item for item in plan.where if "key" in _columns(item)]
    spoken = {name for item in own for name in _columns(item)}
    others_of_event = sorted(spoken.intersection((*ATTRIBUTES, *OF_THE_PAGE)).difference(_OF_CUSTOM_EVENTS))
    columns = (*_OF_CUSTOM_EVENTS, *others_of_event) if len(spoken) > 1 else ("name",)
    columns += tuple(name for name in plan.group if name in _OF_CUSTOM_EVENTS and name not in columns)
    others = [item for item in plan.where if item not in own]
    where += ["properties is not null", *(render(item, values, dialect) for item in others)]
    more = "".join(f"fact.{name} as {name}, " for name in columns if len(columns) > 1)
    inner = (
        f"select site, time, visitor, session, name as event, key, {more}\n"
        f"    {dialect.kind_of} as kind_of, {dialect.value} as value\n"
        f"  from (select id, site, time, visitor, session, {', '.join(columns)}, properties\n"
        f"    from events as fact where {_and(where)}) as fact, {dialect.properties}"
    )
    found = [render(item, values, dialect.without_combinations) for item in own]
    return f"({inner}\n) as fact" + (f"\nwhere {_and(found)}" if found else "")


def _exposures(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """Sessions that met an error on a page (`exposed`), those that saw the page without it, which of them are matched,
    and which saw another page afterwards. Errors are those that all conditions select; of page views only those ask
    that speak of whole sessions."""
    values["latest"] = plan.end + SESSION_AFTER
    errors = [
        sites(plan),
        "time >= :start",
        "time < :end",
        BEGUN,
        *(render(item, values, dialect) for item in plan.where),
    ]
    views = [sites(plan), "bot = 0", "kind = 1", "session <> 0", "time >= :start"]
    kept = [
        render(item, values, dialect)
        for item in fitting(plan.where, lambda item: item.column in {*_OF_A_SESSION, "flag"})
    ]
    others = ["time < :end", "path in (select path from met)", "session not in (select session from met)", *kept]
    kept_of_first = {"path": "path", "device": "device", "time": "since"}
    first = ", ".join(f"{dialect.best(name, 'min')} as {known}" for name, known in kept_of_first.items())
    first = f"session, {first}, min({PLACE}) as place"
    return (
        f"(with met as (select {first} from errors as fact\n  where {_and(errors)}\n  group by session),\n"
        f"seen as (select {first} from events as fact\n  where {_and([*views, *others])}\n  group by session),\n"
        "each_one as (select session, path, device, since, place, 1 as exposed from met\n"
        "  union all select session, path, device, since, place, 0 from seen),\n"
        f"views as materialized (select session, path, time from events as fact\n"
        f"  where {_and([*views, 'time < :latest'])}),\n"
        "went_on as (select each_one.session from each_one join views on views.session = each_one.session\n"
        "  where views.time > each_one.since and views.path <> each_one.path),\n"
        "counted as (select session, exposed,\n"
        "  row_number() over (partition by path, device, since / 86400000, exposed order by place, session) as rank,\n"
        "  sum(exposed) over same as met_it, sum(1 - exposed) over same as met_none\n"
        "  from each_one window same as (partition by path, device, since / 86400000))\n"
        "select exposed,\n"
        "  case when rank <= case exposed when 1 then met_none else met_it end then 1 else 0 end as matched,\n"
        "  case when session in (select session from went_on) then 1 else 0 end as continued from counted)"
    )


def _met_sessions(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """The sessions with activity in the range: an event, or an error of a session that began before. Conditions on
    columns that only errors have apply to errors only.
    """
    within = [sites(plan), "time >= :start", "time < :end", "session <> 0"]
    of_events = fitting(plan.where, lambda condition: condition.column not in OF_ERRORS)
    seen = [*within, "bot = 0", "kind <> 3", *(render(item, values, dialect) for item in of_events)]
    failed = [*within, BEGUN, *(render(item, values, dialect) for item in plan.where)]
    return (
        f"(select session from events as fact\n  where {_and(seen)}\n"
        f"union all select session from errors as fact\n  where {_and(failed)})"
    )


def _experiments(plan: QueryPlan, dialect: Dialect, values: Values) -> str:
    """The visitors whom a flag gave something: by their first exposure, whether they were given something else, too
    (`mixed`), and whether they did then what is asked for. Every other condition selects exposures."""
    flag, goal, others = _split_conditions(plan.where)
    range_of = [sites(plan), "time >= :start", "time < :end", "visitor <> 0"]
    exposures = [*range_of, *(render(item, values, dialect) for item in others)]
    exposures += [string_matches("flag", flag, values)] if flag else []
    first = ", ".join(
        (
            f"{dialect.best('variant', 'min')} as variant",
            f"{dialect.best('time', 'min')} as since",
            *dialect.beside("min"),
        )
    )
    converted, goals = "cast(null as integer)", ""
    if goal:
        did = [*range_of, "bot = 0", "kind = 2", string_matches("name", goal, values)]
        goals = (
            ",\ndone as (select visitor as whose, max(time) as latest from events as fact\n"
            f"  where {_and(did)}\n  group by visitor)"
        )
        converted = "case when done.latest >= given.since then 1 else 0 end"
    return (
        f"(with given as (select visitor, count(distinct variant) as variants, {first}\n"
        f"  from flag_exposures as fact\n  where {_and(exposures)}\n  group by visitor){goals}\n"
        f"select variant, case when variants > 1 then 1 else 0 end as mixed, {converted} as converted from given"
        f"{' left join done on done.whose = given.visitor' if goal else ''})"
    )


def _split_conditions(where: tuple[Where, ...]) -> tuple[FilterCondition | None, FilterCondition | None, list[Where]]:
    """Split the conditions: the flag's, the conversion's, and all others."""
    alone = [item for item in where if isinstance(item, FilterCondition)]
    flag = flag_of(where)
    goal = next((item for item in alone if item.column == "conversion"), None)
    return flag, goal, [item for item in where if item is not flag and item is not goal]


def _columns(item: Where) -> set[str]:
    """The columns that a condition speaks of."""
    return (
        {item.column} if isinstance(item, FilterCondition) else {name for part in item.items for name in _columns(part)}
    )


def sites(plan: QueryPlan, column: str = "site") -> str:
    """The rows of the plan's sites; a comparison with one of them is quicker than a list."""
    return f"{column} = :site" if len(plan.sites) == 1 else f"{column} in (select value from numbers_in(:sites))"


def present(plan: QueryPlan) -> list[str]:
    """Conditions that the columns in `plan.present` are not empty."""
    return [f"{name} <> 0" for name in plan.present]


def _and(parts: list[str]) -> str:
    return "\n  and ".join(parts)
