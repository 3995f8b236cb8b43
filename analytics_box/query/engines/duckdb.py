"""The second engine: the same statements over the column replica, in the words of DuckDB."""

import re
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final

from analytics_box.base.errors import BoxError, DeadlineExceeded, OverBudget
from analytics_box.base.translation import _
from analytics_box.query.engines import sql
from analytics_box.query.engines.counting import Row, Take, collect_rows, json_place, no_limit
from analytics_box.query.engines.sql.dialect import Dialect, word
from analytics_box.query.engines.sql.rolled import MARKER
from analytics_box.query.filters import FilterCondition, Where
from analytics_box.query.plan import QueryPlan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement


MOST_CHARACTERS: Final = 200_000  # characters of all that are kept, each of which takes some 20 bytes


class StatementCache:
    """A cache of parsed statements by their text: parsing takes DuckDB a tenth of the time of a short statement.

    A parsed statement belongs to no connection and no database, and is copied when it runs.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Statement] = {}
        self._characters = 0

    def of(self, connection: "DuckDBPyConnection", text: str) -> "Statement":
        """The only statement of a text. Raises the engine's errors."""
        found = self._kept.get(text)
        if found is None:
            (found,) = connection.extract_statements(text)
            if self._characters + len(text) > MOST_CHARACTERS:
                self._kept, self._characters = {}, 0
            if len(text) <= MOST_CHARACTERS:
                self._kept[text] = found
                self._characters += len(text)
        return found


NAME = "duckdb"
_FETCHED = 128  # rows at a time
_AGAIN_SECONDS = 0.02
_MOST_ON_PEOPLE = 4  # conditions: to understand a statement with 6 takes a second, with 10 seven, and nothing ends that

DIALECT = Dialect(
    kept="any_value({0})",
    at_best="arg_{best}({column}, {place})",
    beside_best="",
    least_beside="min({0})",
    with_a_view="path is not null",
    kind_of="of_event.kind_of",
    value="of_event.value",
    properties="event_properties as of_event\n  where of_event.event = fact.id",
    words=(
        (MARKER, r"$\1"),
        (re.compile(r" / "), " // "),
        (word(r"given_by_flags\b"), "flag_exposures"),
        (word(r"what_happened\b"), "events"),
        (word(r"what_was_left_by\b"), "outgoing_links"),
        (word(r"what_went_wrong\b"), "errors"),
    ),
    # A year of ten million events takes half of the time, because it is not spilled to disk.
    part_days=62,
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


_PARSED: Final = StatementCache()


class DuckdbPlanFailed(Exception):
    """The engine cannot answer this plan, and is well."""


class PlanRun:
    """A plan that the engine runs. Another thread may stop it."""

    def __init__(self, plan: QueryPlan, seconds: float, take: Take) -> None:
        self._plan = plan
        self._take = take
        self._seconds = seconds
        self._lock = Lock()  # nobody interrupts a connection that others have by now
        self._connection: DuckDBPyConnection | None = None
        self._unwanted = False

    def run(self, connection: "DuckDBPyConnection") -> list[Row]:
        """See `run_plan`; one that was stopped has no rows."""
        with self._lock:
            if self._unwanted:
                return []
            self._connection = connection
        try:
            return run_plan(connection, self._plan, seconds=self._seconds, take=self._take)
        finally:
            with self._lock:
                self._connection = None

    def stop(self) -> None:
        """Stop the plan, because its rows are no longer needed."""
        with self._lock:
            self._unwanted = True
            if self._connection is not None:
                self._connection.interrupt()


def is_soon_understood(plan: QueryPlan) -> bool:
    """Whether the engine comes to reading rows at once: who someone is, asked in many conditions, is for the other."""
    return sum(map(_on_people, plan.where)) <= _MOST_ON_PEOPLE


def _on_people(item: Where) -> int:
    if isinstance(item, FilterCondition):
        return item.column in {"person", "visitor"} and item.match != "set"
    return sum(map(_on_people, item.items))


def run_plan(
    connection: "DuckDBPyConnection",
    plan: QueryPlan,
    *,
    seconds: float,
    take: Take = no_limit,
) -> list[Row]:
    """The rows of a plan, as the plan describes them; dimensions that are texts come as text.

    `take` is told their bytes while they are read; what it raises ends that.

    Raises DeadlineExceeded, OverBudget for what does not fit into the memory and disk it may take, and
    DuckdbPlanFailed.
    """
    import duckdb  # noqa: PLC0415  # 60 ms and 25 MB that small boxes do not pay

    ended, lock = Event(), Lock()
    Thread(target=_watch, args=(connection, ended, lock, seconds), daemon=True).start()
    try:
        statement = sql.render(plan, DIALECT)
        connection.execute(_PARSED.of(connection, statement.sql), statement.values)
        return collect_rows(_fetch_rows(connection), take, json_place(plan.names))
    except BoxError:
        with lock:
            ended.set()
        with suppress(duckdb.Error):  # what was not fetched would keep its memory until the next statement
            connection.execute("-- query.let_go\nselect 1")
        raise
    except duckdb.InterruptException as late:
        raise DeadlineExceeded.after(seconds) from late
    except duckdb.OutOfMemoryException as large:
        raise OverBudget(_("This query needs more memory than allowed. Use a shorter range")) from large
    except (duckdb.ProgrammingError, duckdb.DataError, duckdb.NotSupportedError) as wrong:
        raise DuckdbPlanFailed(f"{plan.source}: {wrong}") from wrong
    finally:
        with lock:
            ended.set()


def _fetch_rows(connection: "DuckDBPyConnection") -> Iterator[Row]:
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
