"""What DuckDB has read of a statement is kept by its text, and no more than so much."""

from collections.abc import Iterator

import duckdb
import pytest

from analytics_box.query.engines import duckdb as parsed
from analytics_box.query.engines.duckdb import StatementCache


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def test_a_statement_is_read_once_and_runs_with_any_values(connection: duckdb.DuckDBPyConnection) -> None:
    kept, text = StatementCache(), "select $one + 1"
    read = kept.of(connection, text)
    assert kept.of(connection.cursor(), text) is read
    for one in (1, 41):
        assert connection.execute(read, {"one": one}).fetchall() == [(one + 1,)]


def test_a_statement_of_before_sees_what_is_there_now(connection: duckdb.DuckDBPyConnection) -> None:
    kept, text = StatementCache(), "select * from facts"
    connection.execute("create table facts as select 1 as id")
    assert connection.execute(kept.of(connection, text)).fetchall() == [(1,)]
    connection.execute("create or replace table facts as select 'a' as name, 2 as id")
    assert connection.execute(kept.of(connection, text)).fetchall() == [("a", 2)]


def test_no_more_is_kept_than_so_many_characters(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsed, "MOST_CHARACTERS", 20)
    kept = StatementCache()
    first, second = kept.of(connection, "select 1"), kept.of(connection, "select 2")
    assert kept.of(connection, "select 1") is first
    third = kept.of(connection, "select 3")
    assert kept.of(connection, "select 3") is third
    assert kept.of(connection, "select 2") is not second
    long = "select 'longer than all of it'"
    assert kept.of(connection, long) is not kept.of(connection, long)


def test_invalid_statement_is_refused_like_the_engine_does(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.ParserException):
        StatementCache().of(connection, "select from where")
