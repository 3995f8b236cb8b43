"""Statements in ClickHouse's dialect, which binds values itself, each with its type.

Lookups that other engines do row by row are whole clauses here: the values of lists, the properties of events, and the
person of a visitor at the time of a fact.
"""

import json
import re
from collections.abc import Mapping

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.query.engines import sql
from analytics_box.query.engines.sql import SqlStatement
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.engines.sql.names import WHO
from analytics_box.query.engines.sql.rolled import MARKER
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import QueryPlan

NAME = "clickhouse"

DIALECT = Dialect(
    kept="any({0})",
    at_best="tupleElement(arg_{best}(tuple({column}), {place}), 1)",  # a tuple, for null would be passed over
    beside_best="",
    least_beside="min({0})",
    with_a_view="count(case when kind = 1 then 1 end) > 0",
    kind_of="of_kind",
    value="of_value",
    properties="array join property_keys as key, property_kinds as of_kind, property_values as of_value\n  where true",
    words=(
        (re.compile(r", array join "), " array join "),
        (re.compile(r", properties(?=\n)"), ", properties, property_keys, property_kinds, property_values"),
        (re.compile(r" / "), " DIV "),
        (re.compile(r"\barg_max\("), "argMax("),
        (re.compile(r"\barg_min\("), "argMin("),
        (re.compile(r"\bmedian\("), "quantileExactInclusive(0.5)("),
        (re.compile(r"\bpercentile\((.*?), ([0-9]+)\)"), r"quantileExactInclusive(0.\2)(\1)"),
        (re.compile(r"([\w.]+) & ([0-9]+)"), r"bitAnd(\1, \2)"),
        (re.compile(r"\bgroup_concat\((.*?)\)"), r"nullif(arrayStringConcat(groupArray(\1), ','), '')"),
        (re.compile(r"\blength\(value\)"), "lengthUTF8(value)"),
        # ClickHouse also runs this for texts, in the branch that is not taken.
        (re.compile(r"\bcast\(value as double\)"), "toFloat64OrZero(value)"),
        (re.compile(r"value glob '\[12\][^']*'"), "match(value, '^[12][0-9]{3}-[01][0-9]-[0-3][0-9]')"),
        (re.compile(r"value glob '(https?://)\*'"), r"startsWith(value, '\1')"),
        (re.compile(r"\bconcat_ws\(', ', ((?:nullif\([\w.]+, ''\)(?:, )?)+)\)"), r"arrayStringConcat([\1], ', ')"),
        (re.compile(r"\b(lead|lag)\((path|code)\)"), r"\1(toNullable(\2))"),
        (re.compile(r"\bcast\(null as integer\)"), "materialize(cast(null as bigint))"),
        (re.compile(r"\b1 as exposed\b"), "toInt64(1) as exposed"),
        (re.compile(r" as materialized \("), " as ("),
        (re.compile(r"\bgiven_by_flags\b"), "flag_exposures"),
        (re.compile(r"\bwhat_happened\b"), "events"),
        (re.compile(r"\bwhat_was_left_by\b"), "outgoing_links"),
        (re.compile(r"\bwhat_went_wrong\b"), "errors"),
        (re.compile(r"\(select value from numbers_in\(:([a-z]\w*)\)\)"), r"{\1:Array(Int64)}"),
        (re.compile(r"\(select value from texts_in\(:([a-z]\w*)\)\)"), r"{\1:Array(String)}"),
        (
            re.compile(r"\(select value as wanted from texts_in\(:([a-z]\w*)\)\)"),
            r"(select arrayJoin({\1:Array(String)}) as wanted)",
        ),
        (
            re.compile(r"\bselect key as coded, value as code from pairs_in\(:([a-z]\w*)\)"),
            r"select pair.1 as coded, pair.2 as code"
            r" from (select arrayJoin(JSONExtractKeysAndValues({\1:String}, 'String')) as pair)",
        ),
    ),
)
# Statements mean what they mean to the other engines: nothing has no sum, and is what a join has not found; counts are
# exact; a column keeps its meaning where a measure has its name. Of a join, what stands first is kept in memory: few
# groups, and not all the texts that some of them have.
SETTINGS: Mapping[str, str | int] = {
    "aggregate_functions_null_for_empty": 1,
    "cast_keep_nullable": 1,
    "count_distinct_implementation": "uniqExact",
    "distributed_product_mode": "global",
    "join_use_nulls": 1,
    "joined_subquery_requires_alias": 0,
    "prefer_column_name_to_alias": 1,
    "query_plan_join_swap_table": "true",
}
_FACTS = re.compile(rf"\b({'|'.join(FACT_NAMES)}|seen_\w+) as fact\b")
_TEXTS = re.compile(r"\b(join (?:strings as|\(select id as i_\w+, value as o_\w+ from strings\)))")
_MATCHES = "matches("
_LISTED = re.compile(r"\{([a-z]\w*):Array\(")
_TYPES = {int: "Int64", float: "Float64", str: "String"}
# The newest link of a visitor holds at a time; the first one applies to all that was before it as well.
_LINKED = (
    "select site, visitor, profile, if(row_number() over (partition by site, visitor order by time) = 1, 0, time)"
    " as since from visitor_profiles"
)


def render(plan: QueryPlan, *, several: bool = False) -> SqlStatement:
    """The statement that answers a plan, with the values of its parameters; lists are in JSON. Where `several` machines
    may have sent the same text, it is joined once."""
    statement = sql.render(plan, DIALECT)
    text = _with_who(_with_patterns(statement.sql))
    text = _TEXTS.sub(r"any left \1", text) if several else text
    typed = MARKER.sub(lambda found: f"{{{found[1]}:{_TYPES[type(statement.values[found[1]])]}}}", text)
    return SqlStatement(typed, statement.values)


def bind_values(statement: SqlStatement) -> dict[str, object]:
    """The values as they are bound."""
    listed = frozenset(_LISTED.findall(statement.sql))
    values: Values = statement.values
    return {name: json.loads(str(value)) if name in listed else value for name, value in values.items()}


def _with_who(text: str) -> str:
    """Add the person of a visitor as a column of the facts, by a join."""
    who = DIALECT.finish(WHO)
    if who not in text:
        return text
    joined = (
        r"(select fact.*, case when fact.profile <> 0 then fact.profile else coalesce(link.profile, 0) end as who"
        rf" from \1 as fact asof left join ({_LINKED}) as link"
        r" on link.site = fact.site and link.visitor = fact.visitor and link.since <= fact.time) as fact"
    )
    return _FACTS.sub(joined, text.replace(who, "who"))


def _with_patterns(text: str) -> str:
    """Patterns come second, and a dot in them is no line break."""
    while (start := text.find(_MATCHES)) >= 0:
        comma = text.index(", ", start)
        end = _closing(text, start + len(_MATCHES))
        pattern, given = text[start + len(_MATCHES) : comma], text[comma + 2 : end]
        text = f"{text[:start]}match({given}, concat('(?-s)', {pattern})){text[end + 1 :]}"
    return text


def _closing(text: str, start: int) -> int:
    """The index of the parenthesis that closes an open one."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    raise ValueError("a parenthesis is left open")
