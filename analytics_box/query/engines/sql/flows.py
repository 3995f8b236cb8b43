"""The relation of journeys: each step of a session from one node to the next, or to its end.

A node is a page, a custom event, or the pages that match a pattern together; the same one twice in a row is one step.
Each step has its commonest nodes, and one more for all others, so that the answer is small whatever visitors send.
"""

from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID
from analytics_box.query.engines.sql.texts import Values, string_matches
from analytics_box.query.plan import END_NODE, EVENT_NODE, OTHER_NODE, PAGE_NODE, PATTERN_NODE, QueryPlan

_AND = "\n  and "


def flow_relation(plan: QueryPlan, where: list[str], dialect: Dialect, values: Values) -> str:
    """The steps of the sessions whose events meet the conditions in `where`."""
    flow = plan.flow
    if flow is None:
        raise ValueError("A plan of flows has no flow")
    values |= {"depth": flow.steps, "nodes": flow.nodes}
    of_event = flow.anchor is not None and flow.anchor.column == "name"
    began = "kind = 2" if of_event else "kind = 1"
    anchor = (
        "1"
        if flow.anchor is None
        else f"case when {began} and {render(flow.anchor, values, dialect)} then 1 else 0 end"
    )
    nodes = f"kind = 1 or {DID}" if flow.events else f"kind = 1 or {anchor} = 1" if of_event else "kind = 1"
    kinds, own = f"case when kind = 2 then {EVENT_NODE}", "case when kind = 2 then name"
    for number, pattern in enumerate(flow.collapsed):
        matched = string_matches("path", pattern, values)
        kinds += f" when {matched} then {PATTERN_NODE + number}"
        own += f" when {matched} then 0"
    way = "desc" if flow.backwards else "asc"
    row = f"over (partition by session order by time {way}, id {way}"
    following = "max({0}) over (partition by session order by step rows between 1 following and 1 following)"
    return (
        f"(with facts as (select session, time, id, {kinds} else {PAGE_NODE} end as own_kind,"
        f" {own} else path end as own_node,"
        f" {anchor} as begins\n  from events as fact where {_AND.join([*where, f'({nodes})'])}),\n"
        "reached as (select session, time, id, own_kind, own_node from (select session, time, id, own_kind, own_node,"
        f" sum(begins) {row} rows between unbounded preceding and current row) as begun from facts) as each_fact"
        " where begun > 0),\n"
        "moved as (select session, time, id, own_kind, own_node from (select session, time, id, own_kind, own_node,"
        f" max(own_kind) {row} rows between 1 preceding and 1 preceding) as kind_before,"
        f" max(own_node) {row} rows between 1 preceding and 1 preceding) as node_before from reached) as each_fact"
        " where kind_before is null or kind_before <> own_kind or node_before <> own_node),\n"
        "placed as (select session, own_kind, own_node, step from (select session, own_kind, own_node,"
        f" row_number() {row}) as step from moved) as each_move where step <= :depth),\n"
        "common as (select step, own_kind, own_node from (select step, own_kind, own_node,"
        " row_number() over (partition by step order by taken desc, own_kind, value) as place\n"
        "  from (select step, own_kind, own_node, count(*) as taken from placed group by step, own_kind, own_node)"
        " as each_node join strings on strings.id = own_node) as each_place where place <= :nodes),\n"
        "named as (select placed.session as session, placed.step as step,"
        f" case when common.step is null then {OTHER_NODE} else placed.own_kind end as node_kind,"
        " case when common.step is null then 0 else placed.own_node end as node\n"
        "  from placed left join common on common.step = placed.step and common.own_kind = placed.own_kind"
        " and common.own_node = placed.own_node)\n"
        f"select step, node_kind, node, coalesce(next_kind, {END_NODE}) as to_kind, coalesce(next_node, 0) as to_node\n"
        f"  from (select step, node_kind, node, {following.format('node_kind')} as next_kind,"
        f" {following.format('node')} as next_node from named) as each_step where step < :depth)"
    )
