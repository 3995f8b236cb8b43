"""The relation of journeys: each step of a session from one node to the next, or to its end.

A node is a page, a custom event, or the pages that match a pattern together; the same one twice in a row is one step.
Each step has its commonest nodes, and one more for all others, so that the answer is small whatever visitors send.
"""

from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID
from analytics_box.query.engines.sql.texts import Values, string_matches
from analytics_box.query.plan import END_NODE, EVENT_NODE, OTHER_NODE, PAGE_NODE, PATTERN_NODE, QueryPlan

# Nodes are numbers: that of the text, and the kind.
_KINDS = 32
_AND = "\n  and "


def flow_relation(plan: QueryPlan, where: list[str], dialect: Dialect, values: Values) -> str:
    """The steps of the sessions whose events meet the conditions in `where`."""
    flow = plan.flow
    if flow is None:
        raise ValueError("A plan of flows has no flow")
    values |= {"depth": flow.steps, "nodes": flow.nodes}
    of_event = flow.anchor is not None and flow.anchor.column == "name"
    began = "kind = 2" if of_event else "kind = 1"
    anchor, begun, reached = "1", "1", "before is null or before <> code"
    if flow.anchor is not None:
        anchor = f"case when {began} and {render(flow.anchor, values, dialect)} then 1 else 0 end"
        # The first node of a journey counts, even if the one before it is in the same pattern.
        reached = f"begun > 0 and ({reached} or (begins = 1 and begun = 1))"
    nodes = f"kind = 1 or {DID}" if flow.events else f"kind = 1 or {anchor} = 1" if of_event else "kind = 1"
    code = f"case when kind = 2 then cast(name as bigint) * {_KINDS} + {EVENT_NODE}"
    for number, pattern in enumerate(flow.collapsed):
        code += f" when {string_matches('path', pattern, values)} then {PATTERN_NODE + number}"
    code += f" else cast(path as bigint) * {_KINDS} + {PAGE_NODE} end"
    way = "desc" if flow.backwards else "asc"
    row = f"over (partition by session order by time {way}, id {way}"
    if flow.anchor is not None:
        begun = f"sum(begins) {row} rows between unbounded preceding and current row)"
    return (
        f"(with facts as (select session, time, id, {code} as code, {anchor} as begins\n"
        f"  from events as fact where {_AND.join([*where, f'({nodes})'])}),\n"
        "moved as (select session, time, id, code from (select session, time, id, code, begins,"
        f" max(code) {row} rows between 1 preceding and 1 preceding) as before,"
        f" {begun} as begun from facts) as each_fact where {reached}),\n"
        f"placed as (select code, step, following from (select code, row_number() {row}) as step,"
        f" max(code) {row} rows between 1 following and 1 following) as following from moved) as each_move"
        " where step <= :depth),\n"
        "taken as materialized (select step, code, following, count(*) as sessions from placed"
        " group by step, code, following),\n"
        "common as materialized (select step, code from (select step, code,"
        f" row_number() over (partition by step order by sessions desc, code % {_KINDS}, value) as place\n"
        "  from (select step, code, sum(sessions) as sessions from taken group by step, code) as each_node"
        f" join strings on strings.id = code / {_KINDS}) as each_place where place <= :nodes),\n"
        f"named as (select taken.step as step, coalesce(common.code, {OTHER_NODE}) as code, following, sessions\n"
        "  from taken left join common on common.step = taken.step and common.code = taken.code"
        " where taken.step < :depth)\n"
        f"select step, code % {_KINDS} as node_kind, code / {_KINDS} as node, following % {_KINDS} as to_kind,"
        f" following / {_KINDS} as to_node, sessions from (\n"
        "  select named.step as step, named.code as code, sessions,"
        f" case when following is null then {END_NODE} else coalesce(common.code, {OTHER_NODE}) end as following\n"
        "  from named left join common on common.step = named.step + 1 and common.code = following) as each_step)"
    )
