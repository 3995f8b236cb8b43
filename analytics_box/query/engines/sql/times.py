"""Instants in SQL: the bucket that one falls into, its local hour and day of the week, and the parts of a range."""

import re
from itertools import pairwise

from analytics_box.base.clock import DAY
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.plan import HOUR_OF_DAY, SESSION_AFTER, SESSION_BEFORE, QueryPlan


def bucket(column: str, plan: QueryPlan, values: Values) -> str:
    """The number of the bucket that an instant falls into."""
    for number, item in enumerate(plan.runs):
        values |= {f"s{number}": item.start, f"w{number}": item.width, f"n{number}": item.first}
    texts = [f":n{number} + ({column} - :s{number}) / :w{number}" for number in range(len(plan.runs))]
    if len(texts) == 1:
        return texts[0]
    earlier = " ".join(f"when {column} < :s{number + 1} then {said}" for number, said in enumerate(texts[:-1]))
    return f"case {earlier} else {texts[-1]} end"


def local(name: str, column: str, plan: QueryPlan, values: Values) -> str:
    """The local hour or day of the week of an instant; 1970 began on a Thursday."""
    for number, item in enumerate(plan.offsets):
        values |= {f"t{number}": item.start, f"o{number}": item.offset}
    offsets = [f":o{number}" for number in range(len(plan.offsets))]
    if len(offsets) == 1:
        local = f"({column} + {offsets[0]})"
    else:
        earlier = " ".join(f"when {column} < :t{number + 1} then {text}" for number, text in enumerate(offsets[:-1]))
        local = f"({column} + case {earlier} else {offsets[-1]} end)"
    return f"{local} / 3600000 % 24" if name == HOUR_OF_DAY else f"({local} / 86400000 + 4) % 7"


_BOUNDS = re.compile(r":(start|end|earliest|latest)\b")


def in_parts(sql: str, plan: QueryPlan, days: int, values: Values) -> str:
    """The rows of a select on the sessions of a range, read for one part of the range after the other. A part has up to
    `days` days; 0 is the whole range."""
    length = plan.end - plan.start
    number = -(-length // (days * DAY)) if days else 1
    if number < 2:
        return sql
    parts = []
    for part, (start, end) in enumerate(pairwise(plan.start + length * edge // number for edge in range(number + 1))):
        bounds = {"start": start, "end": end, "earliest": start - SESSION_BEFORE, "latest": end + SESSION_AFTER}
        values |= {f"{name}_{part}": bound for name, bound in bounds.items()}
        own = _BOUNDS.sub(rf":\1_{part}", sql)
        parts.append(f"select * from ({own})")
    return "\nunion all ".join(parts)
