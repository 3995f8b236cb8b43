"""A ClickHouse server, or a cluster by one of its servers, over HTTP. Its client is loaded when it is first used."""

import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from analytics_box.base import later
from analytics_box.base.errors import BoxError, DeadlineExceeded, OverBudget
from analytics_box.base.secret_file import first_line
from analytics_box.base.settings import SettingsError
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.query.engines.clickhouse import words
from analytics_box.query.engines.clickhouse.tables import own
from analytics_box.query.engines.counting import Row, Take, collect_rows, json_place
from analytics_box.query.plan import QueryPlan

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

_CONNECT_SECONDS, _ANSWER_SECONDS = 5, 60
# Codes of ClickHouse's errors.
_TOO_LONG, _TOO_LARGE = 159, frozenset((158, 241, 307))
_OF_THE_STATEMENT = frozenset(
    (6, 8, 10, 35, 36, 42, 43, 44, 46, 47, 48, 53, 62, 69, 70, 72, 153, 184, 207, 215, 344, 386)
)
# One block for each month, so that what is sent again is the same to ClickHouse.
_INSERTING: Mapping[str, str | int] = {
    "async_insert": 0,
    "input_format_parallel_parsing": 0,
    "insert_deduplicate": 1,
    "max_insert_block_size": 10_000_000,
    "min_insert_block_size_bytes": 0,
    "min_insert_block_size_rows": 10_000_000,
    "precise_float_parsing": 1,
    "throw_on_max_partitions_per_insert_block": 0,
}
_INTO_A_CLUSTER: Mapping[str, str | int] = {"distributed_foreground_insert": 1, "insert_quorum": "auto"}
_LONG: Mapping[str, str | int] = {"max_query_size": 16_777_216}  # statements that list many visitors
_WAITING: Mapping[str, str | int] = {"lightweight_deletes_sync": 2, "mutations_sync": 2}


class Away(Exception):
    """Raised when ClickHouse is not available, or does not carry out a request now."""


class EventsLost(Away):
    """ClickHouse lacks events that are nowhere else."""


class PrimaryReplaced(Away):
    """Another machine was promoted in the place of this primary, at `promoted_at` (UTC ms)."""

    def __init__(self, promoted_at: int) -> None:
        super().__init__("another machine was promoted in the place of this primary")
        self.promoted_at = promoted_at


class ClickHousePlanFailed(Exception):
    """ClickHouse cannot answer this plan, and is well."""


class ClickHouseTarget(NamedTuple):
    """The server's address, like https://user@host:8443/database, the file with the password, and the cluster's name.
    The last two may be empty. `several` machines may share it.
    """

    url: str
    password_file: str = ""
    cluster: str = ""
    several: bool = False


class Server:
    """An open connection. Its methods block, and may be called by several threads. They raise Away."""

    def __init__(self, target: ClickHouseTarget) -> None:
        self.cluster, self._several = target.cluster, target.several
        with _raising_away():
            self._client = _client(target)

    def close(self) -> None:
        """Let go of its connections."""
        with _raising_away():
            self._client.close()

    def do(self, statement: str, *, waits: bool = True) -> None:
        """Run a statement that answers nothing; `waits` for what it changes on all servers."""
        with _raising_away():
            self._client.command(statement, settings=dict(_LONG) | (dict(_WAITING) if waits else {}))

    def look(self, statement: str) -> list[Row]:
        """The rows of a small question of the box itself."""
        with _raising_away():
            return [tuple(row) for row in self._client.query(statement, settings=dict(_LONG)).result_rows]

    def insert(self, table: str, columns: Iterable[str], lines: bytes, token: str) -> None:
        """Add rows, which are lines of JSON; those that came with this token before are there already."""
        settings = {**_INSERTING, **(_INTO_A_CLUSTER if self.cluster else {}), "insert_deduplication_token": token}
        with _raising_away():
            self._client.raw_insert(table, list(columns), lines, settings=settings, fmt="JSONCompactEachRow")

    def remove(self, table: str, where: str) -> None:
        """Remove rows; queries no longer return them afterwards."""
        on_cluster = f" on cluster '{self.cluster}'" if self.cluster else ""
        self.do(f"delete from {own(table, self.cluster)}{on_cluster} where {where}")

    def rows(self, plan: QueryPlan, seconds: float, take: Take) -> list[Row]:
        """The rows of a plan; `take` is told their bytes while they are read.

        Raises DeadlineExceeded, OverBudget, ClickHousePlanFailed, and what `take` raises.
        """
        statement = words.render(plan, several=self._several)
        settings = dict(words.SETTINGS) | {"max_execution_time": max(1, math.ceil(seconds))}
        with _plan_errors(plan, seconds):
            found = self._client.query_rows_stream(statement.sql, words.bind_values(statement), settings)
            with found as rows:
                return collect_rows(map(tuple, rows), take, json_place(plan.names))


def count(server: Server, table: str, where: str) -> int:
    """The number of matching rows of a table."""
    ((found,),) = server.look(f"select count() from {table} where {where}")
    return int(found)


def counts(server: Server, wheres: Mapping[str, str]) -> dict[str, int]:
    """The number of matching rows of each table, by one statement."""
    each = (f"select '{table}', count() from {table} where {where}" for table, where in wheres.items())
    return {str(table): int(found) for table, found in server.look(" union all ".join(each))}


def _client(target: ClickHouseTarget) -> "Client":
    try:
        import clickhouse_connect  # noqa: PLC0415  # nobody pays for it who does not use it
    except ModuleNotFoundError as absent:
        raise Away(f"its library is not installed: {later.missing('clickhouse')}") from absent
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)  # what it raises is told here
    given = url_parts(target.url)
    return clickhouse_connect.get_client(
        interface=given.scheme,
        host=given.hostname,
        port=given.port or 0,  # the usual one
        username=unquote(given.username or "") or "default",
        password=_password(target.password_file),
        database=unquote(given.path.strip("/")) or "default",
        client_name="analytics-box",
        autogenerate_session_id=False,  # in a session statements would wait for each other
        connect_timeout=_CONNECT_SECONDS,
        send_receive_timeout=_ANSWER_SECONDS,
        query_retries=0,
        form_encode_query_params=True,  # lists are longer than addresses may be
    )


def _password(file: str) -> str:
    try:
        return first_line("clickhouse_password_file", file)
    except SettingsError as wrong:
        raise Away(str(wrong)) from wrong


@contextmanager
def _raising_away() -> Iterator[None]:
    """Raise Away with a one-line message for any failure of this block."""
    try:
        yield
    except Away:
        raise
    except Exception as broken:
        raise Away(_line(broken)) from broken


@contextmanager
def _plan_errors(plan: QueryPlan, seconds: float) -> Iterator[None]:
    try:
        yield
    except BoxError:
        raise
    except Exception as broken:
        code: Any = getattr(broken, "code", None)
        if code == _TOO_LONG:
            raise DeadlineExceeded.after(seconds) from broken
        if code in _TOO_LARGE:
            raise OverBudget(_("This query needs more memory than ClickHouse allows. Use a shorter range")) from broken
        if code in _OF_THE_STATEMENT:
            raise ClickHousePlanFailed(f"{plan.source}: {_line(broken)}") from broken
        raise Away(_line(broken)) from broken


def _line(broken: Exception) -> str:
    """A one-line description of a failure; for the network, the system's message."""
    cause: BaseException | None = broken
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        if isinstance(cause, TimeoutError):
            return "it did not answer in time"
        cause = cause.__cause__ or cause.__context__
    return (str(broken).strip().partition("\n")[0] or type(broken).__name__)[:500]
