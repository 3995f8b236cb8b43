"""The statements of plans in the words of ClickHouse, to ask it the same as our engines (chdb, in process)."""

import json
import re
from typing import Any

from analytics_box.query.engines import sql
from analytics_box.query.engines.sql.dialect import Dialect
from analytics_box.query.plan import Plan

DIALECT = Dialect(
    kept="any({0})",
    at_best="arg{best}({column}, {place})",
    beside_best="",
    least_beside="min({0})",
    with_a_view="count(case when kind = 1 then 1 end) > 0",
    kind_of="''",
    value="''",
    properties="(select 1)",
    words=(
        (re.compile(r" / "), " DIV "),
        (re.compile(r"\bargmax\("), "argMax("),
        (re.compile(r"\bargmin\("), "argMin("),
        (re.compile(r"\bmedian\("), "quantileExactInclusive(0.5)("),
        (re.compile(r"\(id & 1048575\)"), "bitAnd(id, 1048575)"),
    ),
)
_LISTED = re.compile(r"\(select value from (?:numbers|texts)_in\(:([a-z]\w*)\)\)")
_NAMED = re.compile(r"(?<![:\w]):([a-z]\w*)")
# Exact distinct counts, as ours are; a column keeps its meaning where a measure has its name.
SETTINGS = (
    "settings count_distinct_implementation = 'uniqExact', prefer_column_name_to_alias = 1,"
    " joined_subquery_requires_alias = 0"
)


def render(plan: Plan) -> str:
    """The statement that answers a plan, its values written out."""
    statement = sql.render(plan, DIALECT)
    text = _LISTED.sub(lambda found: _list(statement.values[found[1]]), statement.sql)
    return f"{_NAMED.sub(lambda found: _value(statement.values[found[1]]), text)}\n{SETTINGS}"


def _list(value: Any) -> str:
    return f"({', '.join(_value(item) for item in json.loads(value))})"


def _value(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)
