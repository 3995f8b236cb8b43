"""The relation of journeys: each step of a session from one node to the next, or to its end.

A node is a page, a custom event, or the pages that match a pattern together; the same one twice in a row is one step.
Each step has its commonest nodes, and one more for all others, so that the answer is small whatever visitors send.
"""

from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import DID, PLACE
from analytics_box.query.engines.sql.texts import Values, string_matches
from analytics_box.query.engines.sql.times import in_parts
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
    row = f"over (partition by session order by place{' desc' if flow.backwards else ''}"
    chosen = [*where, f"({nodes})"]
    if flow.anchor is not None:
        anchored = _AND.join([*where, f"{anchor} = 1"])
        chosen.append(f"session in (select session from what_happened as fact where {anchored})")
        begun = f"sum(begins) {row} rows between unbounded preceding and current row)"
    steps = (
        "select step, code, following, count(*) as sessions from (select code,"
        f" row_number() {row}) as step, lead(code) {row}) as following\n"
        f"  from (select session, place, code from (select session, place, code, begins, lag(code) {row}) as before,"
        f" {begun} as begun\n  from (select session, {PLACE} as place, {code} as code, {anchor} as begins\n"
        f"  from events as fact where {_AND.join(chosen)}) as each_fact) as each_place\n"
        f"  where {reached}) as each_move) as each_step where step <= :depth group by step, code, following"
    )
    taken = in_parts(steps, plan, dialect.part_days, values)
    if taken != steps:
        summed = "select step, code, following, sum(sessions) as sessions"
        taken = f"{summed} from ({taken}) as each_part group by step, code, following"
    return (
        f"(with taken as materialized ({taken}),\n"
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
