"""Events that several plans read at once: SQLite finds them once, copies them, and these plans read the copy.

A page with a filter asks two dozen questions about a small share of its website's events, and each would look through
all of them. The copy takes the place of the tables of events on one connection, inside a transaction that is rolled
back. It has the columns that its plans speak of. It may have more rows than a plan wants, never fewer: each statement
still has all of its own conditions, but those that every row meets which it looks at.

Plans of ranges apart, such as those of the period before, have a copy each, on connections of their own.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.layout import SHOWN_AS, stored_table
from analytics_box.base.facts.tables import ATTRIBUTES, BY_NAME, COMBINATIONS
from analytics_box.base.store.db import Connection, Db
from analytics_box.base.store.writes import STOPPING
from analytics_box.query.engines import sql, sqlite
from analytics_box.query.engines.counting import Row, Take
from analytics_box.query.engines.sql import SqlStatement
from analytics_box.query.engines.sql.conditions import render
from analytics_box.query.engines.sql.names import MEASURES
from analytics_box.query.engines.sql.relations import of_session, relation
from analytics_box.query.engines.sql.texts import Values
from analytics_box.query.filters import OF_THE_PAGE, FilterCondition, Where
from analytics_box.query.plan import OF_SESSIONS, RETURNING, SESSION_AFTER, SESSION_BEFORE, QueryPlan

GATHERED_SECONDS = 0.003  # for which a plan waits for others, and again while others come
MOST_GATHERED_SECONDS = 0.05
FEWEST = 3  # plans for which it pays
MOST_ROWS = 50_000  # of a copy; with more, each plan looks by itself

_EVENTS = stored_table("events")
_ALWAYS_COPIED = frozenset(("time", "session", "session_started"))
_COLUMNS = ("id", *BY_NAME["events"].names, *(one.column for one in COMBINATIONS))
_SCAN = "site in (select value from json_each(:sites)) and time >= :earliest and time < :latest"
_WORD = re.compile(r"\w+")
_FAR = SESSION_BEFORE + SESSION_AFTER  # no event lies further from another one of its session
_OF_EVENTS = frozenset(("events", "properties", *OF_SESSIONS))
_OF_FACTS = frozenset(("vitals", "errors", "outgoing_links", "engagement"))
_OF_A_SESSION = frozenset(ATTRIBUTES)  # the same in each event of a session
_OF_AN_EVENT = OF_THE_PAGE | {"name", "namespace", "title", "origin"}


class WaitingPlan(Struct, frozen=True):
    """A plan that waits for its rows, and who is told their bytes."""

    plan: QueryPlan
    seconds: float
    take: Take
    rows: asyncio.Future[list[Row]]


class SharedScans:
    """Plans about the same websites that come within a moment, answered on one connection."""

    def __init__(self, events: Db) -> None:
        self._events = events
        self._gathering: dict[tuple[int, ...], list[WaitingPlan]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def rows(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row] | None:
        """The rows of a plan; None if nobody asks with it, or where there would be too much to copy."""
        loop = asyncio.get_running_loop()
        asked = WaitingPlan(plan, seconds, take, loop.create_future())
        others = self._gathering.setdefault(plan.sites, [])
        others.append(asked)
        if len(others) == 1:
            loop.call_later(GATHERED_SECONDS, self._look, plan.sites, 1, loop.time() + MOST_GATHERED_SECONDS)
        try:
            return await asked.rows
        except _Alone:
            return None

    def _look(self, sites: tuple[int, ...], seen: int, until: float) -> None:
        """Begin once no more plans come: those of a page take longer to be made than one plan waits."""
        loop, there = asyncio.get_running_loop(), len(self._gathering[sites])
        if there == seen or loop.time() >= until:
            self._begin(sites)
        else:
            loop.call_later(GATHERED_SECONDS, self._look, sites, there, until)

    def _begin(self, sites: tuple[int, ...]) -> None:
        together, alone = _group_by_copy(self._gathering.pop(sites))
        for asked in alone:
            _tell(asked, _Alone())
        for copied in together:
            task = asyncio.create_task(self._answer(copied))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, together: Sequence[WaitingPlan]) -> None:
        answer = partial(_answer_plans, together, asyncio.get_running_loop().call_soon_threadsafe)
        try:
            await self._events.read(answer, seconds=max(asked.seconds for asked in together), long=True)
        except Exception as failed:
            _tell_all(together, failed)
        except BaseException:
            _tell_all(together, Unavailable(STOPPING))
            raise
        else:
            _tell_all(together, _Alone())


class _Alone(Exception):
    """This plan is answered by itself."""


def fits(plan: QueryPlan) -> bool:
    """Whether a plan may read a copy: all that it wants of events is there, and it would look through many others."""
    looks_for_visitors = any("from events" in MEASURES[plan.source].get(name, "") for name in plan.measures)
    if plan.source not in _OF_EVENTS | _OF_FACTS or looks_for_visitors != (plan.source in _OF_FACTS):
        return False
    return RETURNING not in plan.group and bool(_shareable_conditions(plan))


def _group_by_copy(gathered: list[WaitingPlan]) -> tuple[list[list[WaitingPlan]], list[WaitingPlan]]:
    """Split plans into groups that can share a copy, because they have the most common condition and overlapping
    ranges, and the rest.
    """
    here = [asked for asked in gathered if not asked.rows.done()]
    having = Counter(item for asked in here for item in _shareable_conditions(asked.plan))
    usual = {item for item, _ in having.most_common(1)}
    alike = [asked for asked in here if usual & {*_shareable_conditions(asked.plan)}]
    together = [those for those in _by_range(alike) if len(those) >= FEWEST]
    shared = {id(asked) for those in together for asked in those}
    return together, [asked for asked in here if id(asked) not in shared]


def _by_range(alike: Sequence[WaitingPlan]) -> list[list[WaitingPlan]]:
    """Group plans with overlapping ranges, in order."""
    found: list[tuple[int, int, list[WaitingPlan]]] = []
    for asked in alike:
        start, end, those = asked.plan.start, asked.plan.end, [asked]
        for one in [one for one in found if one[0] < end and start < one[1]]:
            found.remove(one)
            start, end, those = min(start, one[0]), max(end, one[1]), [*one[2], *those]
        found.append((start, end, those))
    return [those for _, _, those in found]


def _common(plans: Sequence[QueryPlan]) -> tuple[Where, ...]:
    """The conditions that all of these plans have and that say something of their rows."""
    first, *others = (_shareable_conditions(plan) for plan in plans)
    return tuple(item for item in first if all(item in told for told in others))


def _shareable_conditions(plan: QueryPlan) -> tuple[Where, ...]:
    """The conditions of a plan that a copy can be made by: it has all events that show whether these are met. Sessions
    without such an event cannot be told from those whose event was not copied."""
    known = _OF_A_SESSION | (_OF_AN_EVENT if plan.source in _OF_EVENTS else OF_THE_PAGE)
    found = tuple(item for item in plan.where if _columns(item) <= known)
    return tuple(item for item in found if not _excludes(item)) if plan.source in OF_SESSIONS else found


def _excludes(item: Where) -> bool:
    """Whether a condition selects sessions by an event that they do not have."""
    if isinstance(item, FilterCondition):
        return item.negated and item.column not in _OF_A_SESSION
    of_events = not _columns(item) <= _OF_A_SESSION
    return (item.negated and of_events) or any(_excludes(part) for part in item.items)


def _columns(item: Where) -> set[str]:
    """The columns of a condition; of one that takes long, a name that no column has."""
    if isinstance(item, FilterCondition):
        return {"" if item.match == "regex" else item.column}
    return {name for part in item.items for name in _columns(part)}


def _answer_plans(together: Sequence[WaitingPlan], soon: Callable[..., object], db: Connection) -> None:
    """Answer plans one by one, each as soon as its rows are there: first those of events and sessions, then those of
    other facts."""
    for sources in (_OF_EVENTS, _OF_FACTS):
        if those := [asked for asked in together if asked.plan.source in sources and not asked.rows.done()]:
            _answered_from_copy(those, soon, db)


def _answered_from_copy(those: Sequence[WaitingPlan], soon: Callable[..., object], db: Connection) -> None:
    """Answer none of them where too much would be copied."""
    plans = [asked.plan for asked in those]
    bare = [_without_what_is_met(plan, plans) for plan in plans]
    statements = [sqlite.render(plan) for plan in bare]
    db.execute("begin")
    try:
        if _copy_events(db, plans, statements):
            sessions = _put_together(db, bare)
            for asked, plan, statement in zip(those, bare, statements, strict=True):
                if not asked.rows.done():
                    soon(_tell, asked, _rows_or_refusal(asked, sessions.get(plan, statement), db))
    finally:
        if db.in_transaction:
            db.execute("rollback")


def _without_what_is_met(plan: QueryPlan, plans: Sequence[QueryPlan]) -> QueryPlan:
    """The plan without the conditions that all events of the copy meet; other facts are not copied."""
    if plan.source not in _OF_EVENTS:
        return plan
    met = [item for item in _common(plans) if _columns(item) <= _OF_A_SESSION]
    return replace(plan, where=tuple(item for item in plan.where if item not in met))


def _put_together(db: Connection, plans: Sequence[QueryPlan]) -> dict[QueryPlan, SqlStatement]:
    """Statements that read a table of sessions, which is made once for all plans about the same ones."""
    alike: dict[object, list[QueryPlan]] = {}
    for plan in plans:
        if plan.source == "sessions":
            alike.setdefault((plan.sites, plan.start, plan.end, plan.given_before, plan.where), []).append(plan)
    found: dict[QueryPlan, SqlStatement] = {}
    for number, those in enumerate(alike.values()):
        if len(those) > 1:
            found |= _by_sessions(db, f"sessions_{number}", those)
    return found


def _by_sessions(db: Connection, table: str, plans: Sequence[QueryPlan]) -> dict[QueryPlan, SqlStatement]:
    """The plans as statements over the sessions that they are about, in a temporary table of this name."""
    dialect = replace(sqlite.DIALECT, sessions=f"temp.{table}")
    statements = {plan: sql.render(plan, dialect) for plan in plans}
    used, values = " ".join(statement.sql for statement in statements.values()), Values()
    rows = relation(replace(plans[0], present=()), used, sqlite.DIALECT, values)
    made = f"create temp table {table} as select * from {rows}"
    with _writing(db):
        db.execute(*sql.finish_statement(made, "sessions", sqlite.DIALECT, values))
    return statements


def _rows_or_refusal(asked: WaitingPlan, statement: SqlStatement, db: Connection) -> list[Row] | Exception:
    """Its rows, or why its `take` has refused them."""
    refused: list[Exception] = []

    def take(size: int) -> None:
        try:
            asked.take(size)
        except Exception as why:
            refused.append(why)
            raise

    try:
        return sqlite.run_rendered(db, asked.plan, statement, take, asked.seconds)
    except Exception:
        if refused:
            return refused[0]
        raise


def _tell_all(together: Sequence[WaitingPlan], why: Exception) -> None:
    for asked in together:
        _tell(asked, why)


def _tell(asked: WaitingPlan, what: list[Row] | Exception) -> None:
    if asked.rows.done():
        return
    if isinstance(what, Exception):
        asked.rows.set_exception(what)
    else:
        asked.rows.set_result(what)


def _copy_events(db: Connection, plans: Sequence[QueryPlan], statements: Sequence[SqlStatement]) -> bool:
    """Copy the events that these plans may want; whether there were few enough. Inside a transaction."""
    values: Values = {
        "sites": json.dumps(plans[0].sites),
        "earliest": min(plan.start for plan in plans) - _FAR,
        "latest": max(plan.end for plan in plans) + _FAR,
        "most": MOST_ROWS + 1,
    }
    wanted = (_own if plans[0].source in _OF_EVENTS else _beside)(plans, values)
    # Statements read the view and the table behind it, so the copy is laid out like both.
    shown = ", ".join(SHOWN_AS["events"])
    others = "".join(f", {name}" for name in _spoken_of(statements) if name not in _ALWAYS_COPIED)
    with _writing(db):
        db.execute(
            f"""
            -- shared.copy
            create temp table {_EVENTS} as
            select time, session, time - session_started as since_start{others}
            from main.events as fact where {_SCAN} and ({wanted}) limit :most
            """,
            values,
        )
        db.execute(
            f"-- shared.view\ncreate temp view events as select time, session, {shown}{others} from temp.{_EVENTS}"
        )
    ((rows,),) = db.execute(f"-- shared.count\nselect count(*) from temp.{_EVENTS}").fetchall()
    return int(str(rows)) <= MOST_ROWS


@contextmanager
def _writing(db: Connection) -> Iterator[None]:
    """A reader may make temporary tables."""
    db.pragma("query_only", False)
    try:
        yield
    finally:
        db.pragma("query_only", True)


def _own(plans: Sequence[QueryPlan], values: Values) -> str:
    """The events that plans of events and sessions are about."""
    return " and ".join(_of_either(item, values) for item in _common(plans))


def _of_either(item: Where, values: Values) -> str:
    """The events that meet a condition, and all those of sessions that do."""
    rows = _render_condition(item, values)
    if _columns(item) <= _OF_A_SESSION:
        return rows
    sessions = of_session((item,), f"{_SCAN} and session <> 0", sqlite.DIALECT, values)
    return f"({rows} or (session <> 0 and {sqlite.DIALECT.finish(sessions)}))"


def _beside(plans: Sequence[QueryPlan], values: Values) -> str:
    """The events of the visitors and the sessions that plans of other facts are about."""
    where = " and ".join((_SCAN, *(_render_condition(item, values) for item in _common(plans))))
    sources = dict.fromkeys(plan.source for plan in plans)
    every = (
        (who, " union all ".join(f"select {who} from {source} as fact where {where}" for source in sources))
        for who in ("visitor", "session")
    )
    return " or ".join(f"{who} in ({facts})" for who, facts in every)


def _render_condition(item: Where, values: Values) -> str:
    return sqlite.DIALECT.finish(render(item, values, sqlite.DIALECT))


def _spoken_of(statements: Sequence[SqlStatement]) -> list[str]:
    """The columns of events whose names are in these statements."""
    words = {word for statement in statements for word in _WORD.findall(statement.sql)}
    return [name for name in _COLUMNS if name in words]
