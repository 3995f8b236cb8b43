"""The second engine: the same statements over the column replica, in the words of DuckDB."""

import re
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from analytics_box.clock import DAY
from analytics_box.errors import BoxError, DeadlineExceeded, OverBudget
from analytics_box.query.engines import sql
from analytics_box.query.engines.counting import Row, Take, counted, json_place, unlimited
from analytics_box.query.engines.parsed import Parsed
from analytics_box.query.engines.rolled_days import Found, RolledDays
from analytics_box.query.engines.sql.dialect import Dialect, word
from analytics_box.query.engines.sql.rolled import MARKER
from analytics_box.query.filters import Condition, Where
from analytics_box.query.plan import Plan
from analytics_box.query.rollups import FIRST_SPAN, SPANS, Cut, Roll, days_of, roll_of
from analytics_box.query.rollups import cut as cut_at

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NAME = "duckdb"
_FETCHED = 128  # rows at a time
_AGAIN_SECONDS = 0.02
_IDS = -1  # among days: there are ids that last
_MOST_ON_PEOPLE = 4  # conditions: to understand a statement with 6 takes a second, with 10 seven, and nothing ends that

DIALECT = Dialect(
    kept="any_value({0})",
    at_best="arg_{best}({column}, {place})",
    beside_best="",
    least_beside="min({0})",
    with_a_view="path is not null",
    kind_of="of_event.kind_of",
    value="of_event.value",
    # By the square root of two from a second on: no class has many of a day, and half an hour is not far from the end.
    class_of="case when duration < 1000 then cast(duration > 0 as integer)"
    " else least(2 + cast(floor(2 * (log2(duration) - log2(1000))) as integer), 30) end",
    properties="event_properties as of_event\n  where of_event.event = fact.id",
    words=(
        (MARKER, r"$\1"),
        (re.compile(r" / "), " // "),
        (word(r"given_by_flags\b"), "flag_exposures"),
        (word(r"what_happened\b"), "events"),
        (word(r"what_was_left_by\b"), "outgoing_links"),
    ),
)
# Functions that the statements call, where DuckDB knows them by other names. Patterns are RE2's in both engines.
MACROS = (
    "create macro if not exists numbers_in(list) as table select unnest(cast(list as bigint[])) as value",
    "create macro if not exists texts_in(list) as table select unnest(from_json(list, '[\"varchar\"]')) as value",
    "create macro if not exists pairs_in(object) as table"
    " select key, json_extract_string(value, '$') as value from json_each(object)",
    "create macro if not exists percentile(number, rank) as quantile_cont(number, rank / 100)",
    "create macro if not exists matches(pattern, given) as regexp_matches(given, pattern)",
)


_PARSED: Final = Parsed()


class PlanFailed(Exception):
    """The engine cannot answer this plan, and is well."""


class Asking:
    """One plan on its way through the engine. Another thread may stop it."""

    def __init__(self, plan: Plan, seconds: float, take: Take, days: RolledDays) -> None:
        self._plan = plan
        self._take = take
        self._days = days
        self._seconds = seconds
        self._lock = Lock()  # nobody interrupts a connection that others have by now
        self._connection: DuckDBPyConnection | None = None
        self._unwanted = False

    def run(self, connection: "DuckDBPyConnection") -> list[Row]:
        """See `run`; one that was stopped has no rows."""
        with self._lock:
            if self._unwanted:
                return []
            self._connection = connection
        try:
            return run(connection, self._plan, seconds=self._seconds, take=self._take, days=self._days)
        finally:
            with self._lock:
                self._connection = None

    def stop(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._unwanted = True
            if self._connection is not None:
                self._connection.interrupt()


def is_soon_understood(plan: Plan) -> bool:
    """Whether the engine comes to reading rows at once: who somebody is, asked in many conditions, is for the other."""
    return sum(map(_on_people, plan.where)) <= _MOST_ON_PEOPLE


def _on_people(item: Where) -> int:
    if isinstance(item, Condition):
        return item.column in {"person", "visitor"} and item.match != "set"
    return sum(map(_on_people, item.items))


def run(
    connection: "DuckDBPyConnection",
    plan: Plan,
    *,
    seconds: float,
    take: Take = unlimited,
    days: RolledDays | None = None,
) -> list[Row]:
    """The rows of a plan, as the plan describes them; dimensions that are texts come as text.

    `take` is told their bytes while they are read; what it raises ends that. `days` are what other questions found.

    Raises DeadlineExceeded, OverBudget for what does not fit into the memory and disk it may take, and PlanFailed.
    """
    import duckdb  # noqa: PLC0415  # 60 ms and 25 MB that small boxes do not pay

    ended, lock = Event(), Lock()
    roll, in_transaction = roll_of(plan), False
    Thread(target=_watch, args=(connection, ended, lock, seconds), daemon=True).start()
    try:
        if roll is None:
            _ask(connection, plan)
        elif days is None or not _ask_by(days, connection, plan, roll):
            in_transaction = True
            _look_and_ask(days, connection, plan, roll)
        return counted(_fetched(connection), take, json_place(plan.names))
    except BoxError:
        with lock:
            ended.set()
        with suppress(duckdb.Error):  # what was not fetched would keep its memory until the next statement
            connection.execute("-- query.let_go\nselect 1")
        raise
    except duckdb.InterruptException as late:
        raise DeadlineExceeded(f"This took longer than the {seconds:g} seconds it may take") from late
    except duckdb.OutOfMemoryException as large:
        raise OverBudget("This takes more memory than the box may use for it; ask for a shorter range") from large
    except (duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError) as wrong:
        raise PlanFailed(f"{plan.source}: {wrong}") from wrong
    finally:
        with lock:
            ended.set()
        if in_transaction:
            with suppress(duckdb.Error):
                connection.execute("rollback")


def _ask(connection: "DuckDBPyConnection", plan: Plan, made: Cut | None = None) -> None:
    statement = render(plan, made)
    connection.execute(_PARSED.of(connection, statement.sql), statement.values)


def _ask_by(days: RolledDays, connection: "DuckDBPyConnection", plan: Plan, roll: Roll) -> bool:
    """Ask by what is kept of days; whether there was something, and it was true when the statement began."""
    moment = days.moment
    found = days.found(_about(plan, roll))
    if found is None:
        return False
    _ask(connection, plan, _cut(plan, roll, found))
    return days.moment == moment


def _look_and_ask(days: RolledDays | None, connection: "DuckDBPyConnection", plan: Plan, roll: Roll) -> None:
    """Which days are rolled up, what they have and the rows are those of one moment."""
    moment = 0 if days is None else days.moment
    connection.execute("begin")
    found = _look(connection, plan, roll)
    if days is not None:
        days.keep(_about(plan, roll), found, moment)
    _ask(connection, plan, _cut(plan, roll, found))


def cut(connection: "DuckDBPyConnection", plan: Plan, roll: Roll) -> Cut | None:
    """The plan in parts, by the days that are rolled up in the connection's transaction."""
    return _cut(plan, roll, _look(connection, plan, roll))


def _cut(plan: Plan, roll: Roll, found: Found) -> Cut | None:
    return cut_at(plan, roll, found.unrolled, found.spans, has_ids=found.has_ids)


def _about(plan: Plan, roll: Roll) -> object:
    return plan.sites, days_of(plan), roll.name


def _look(connection: "DuckDBPyConnection", plan: Plan, roll: Roll) -> Found:
    first, last = days_of(plan)
    sites = ", ".join(str(int(site)) for site in plan.sites) or "null"
    within = f"site in ({sites}) and day between {first} and {last}"
    looks = [
        f"select day from days where not rolled and {within}",
        f"select day from not_rolled where roll = '{roll.name}' and {within}",
    ]
    if _spans(plan, roll):
        looks.append(f"select day from days where site in ({sites}) and day >= {FIRST_SPAN}")
    if "visitors" in roll.measures:
        looks.append(f"(select {_IDS} from rolled_{roll.name}_ids where site in ({sites}) limit 1)")
    rows = connection.execute("-- query.unrolled\n" + " union all ".join(looks)).fetchall()
    found = frozenset(day for (day,) in rows)
    spans = frozenset(key for key in found if key >= FIRST_SPAN)
    return Found(found - spans - {_IDS}, spans, has_ids=_IDS in found)


def _spans(plan: Plan, roll: Roll) -> bool:
    """Whether spans of days may be read for this plan: those of one website."""
    return not roll.by_time and len(plan.sites) == 1 and plan.end - plan.start > min(SPANS) * DAY


def _fetched(connection: "DuckDBPyConnection") -> Iterator[Row]:
    while rows := connection.fetchmany(_FETCHED):
        yield from rows


def _watch(connection: "DuckDBPyConnection", ended: Event, lock: Lock, seconds: float) -> None:
    """Interrupt a query that takes too long; again, because one that has not begun yet would not notice."""
    if ended.wait(seconds):
        return
    while True:
        with lock:
            if ended.is_set():
                return
            connection.interrupt()
        ended.wait(_AGAIN_SECONDS)


def render(plan: Plan, cut: Cut | None = None) -> sql.Statement:
    """The statement that answers a plan; where it is cut, from roll-ups and rows."""
    return sql.render(plan, DIALECT, cut)
