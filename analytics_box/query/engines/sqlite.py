"""The reference engine: statements over events.db itself."""

import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from analytics_box.base.errors import DeadlineExceeded
from analytics_box.base.facts.layout import SHOWN_AS, stored_table
from analytics_box.base.facts.tables import COMBINATION_OF
from analytics_box.base.store.db import Connection
from analytics_box.query.engines import sql
from analytics_box.query.engines.counting import Row, Take, collect_rows, json_place, no_limit
from analytics_box.query.engines.sql.dialect import Dialect, word
from analytics_box.query.patterns import found_in
from analytics_box.query.plan import QueryPlan
from analytics_box.query.rollups import Cut, Roll, roll_of

NAME = "sqlite"

# Conditions repeat the scan of events. The view has a subquery for each attribute, and SQLite does not prepare a
# statement with about a thousand of them.
_EVENTS = f"(select *, {', '.join(SHOWN_AS['events'])} from {stored_table('events')})"
_PLAIN = r"((?:(?!\bcase\b|\bthen\b|\bend\b).)*)"  # what is in one branch

# A column outside all aggregates is that of the row with the only maximum or minimum of its statement, or of any row.
DIALECT = Dialect(
    kept="{0}",
    at_best="{column}",
    beside_best="{best}({place})",
    least_beside="cast(percentile({0}, 0) as integer)",
    with_a_view="kind = 1",
    kind_of="type",
    value="case when type in ('object', 'array') then value when type in ('true', 'false') then type"
    " else cast(atom as text) end",
    properties="json_each(properties)\n  where type <> 'null'",
    combinations=COMBINATION_OF,
    words=(
        (word(r"least\("), "min("),
        (word(r"greatest\("), "max("),
        (word(r"median\(p_"), "median_of_parts(p_"),  # of durations, many together in what is rolled up
        *((word(rf"{listed}_in\("), "json_each(") for listed in ("numbers", "texts", "pairs")),
        (word(r"given_by_flags\b"), stored_table("flag_exposures")),
        (word(r"what_happened\b"), _EVENTS),
        (word(r"what_was_left_by\b"), stored_table("outgoing_links")),
        (word(r"what_went_wrong\b"), "errors"),
        (re.compile(rf"count\((distinct )?case when {_PLAIN} then {_PLAIN} end\)"), r"count(\1\3) filter (where \2)"),
    ),
)


class Rollups(Protocol):
    """The interface of the roll-ups of the facts."""

    def attach(self, db: Connection) -> None:
        """Make them known to a connection that is in no transaction."""

    def cut(self, db: Connection, plan: QueryPlan, roll: Roll) -> Cut | None:
        """The plan in parts, in a transaction that has not looked at the facts yet."""


def run_plan(
    db: Connection,
    plan: QueryPlan,
    take: Take = no_limit,
    *,
    seconds: float = math.inf,
    rollups: Rollups | None = None,
) -> list[Row]:
    """The rows of a plan, as the plan describes them; dimensions that are texts come as text.

    `take` is told their bytes while they are read; what it raises ends that. Patterns are looked for no longer than
    `seconds`: SQLite itself looks at the clock after so many steps, of which each may be a search. Raises
    DeadlineExceeded then.
    """
    with open_cut(db, plan, rollups) as cut:
        return run_rendered(db, plan, render(plan, cut), take, seconds)


@contextmanager
def open_cut(db: Connection, plan: QueryPlan, rollups: Rollups | None) -> Iterator[Cut | None]:
    """A plan in parts, and a transaction in which these are true."""
    roll = None if rollups is None else roll_of(plan)
    if rollups is None or roll is None:
        yield None
        return
    rollups.attach(db)
    db.execute("begin")
    try:
        yield rollups.cut(db, plan, roll)
    finally:
        if db.in_transaction:
            db.execute("rollback")


def run_rendered(db: Connection, plan: QueryPlan, statement: sql.SqlStatement, take: Take, seconds: float) -> list[Row]:
    """The rows that a plan's statement finds, as `run` says."""
    if "matches(" in statement.sql:
        db.create_scalar_function("matches", _matching(seconds), 2, deterministic=True)
    rows = db.execute(statement.sql, statement.values)
    try:
        return collect_rows(rows, take, json_place(plan.names))
    finally:
        rows.close(force=True)  # the read ends here, also where rows are left


def render(plan: QueryPlan, cut: Cut | None = None) -> sql.SqlStatement:
    """The statement that answers a plan; where it is cut, from roll-ups and rows."""
    return sql.render(plan, DIALECT, cut)


def _matching(seconds: float) -> Callable[..., bool]:
    """The function `matches` of a statement that begins now."""
    until = time.monotonic() + seconds

    def matches(*given: Any) -> bool:
        pattern, text = given
        if time.monotonic() > until:
            raise DeadlineExceeded.after(seconds)
        return found_in(pattern, text)

    return matches
