"""A few tables of a database in their own place, to try there what a write would do: no writer is held up.

What is tried runs the same statements against the same constraints, so it answers as the write would.
"""

from collections.abc import Sequence
from typing import Any

import apsw


def scratch(db: apsw.Connection, tables: Sequence[str]) -> apsw.Connection:
    """A private database with these tables and their indexes as they are in `db` now, all empty.

    It lives in memory; above 64 MB it goes on in a temporary file. It has no triggers, and references between
    tables are not looked at.
    """
    made = apsw.Connection("")  # a temporary database, which goes with the connection
    made.pragma("cache_size", -64_000)
    made.pragma("foreign_keys", False)
    for table in tables:
        statements = db.execute(
            """
            -- scratch.scratch
            select sql from sqlite_schema where tbl_name = ? and type in ('table', 'index') and sql is not null
            order by type desc
            """,
            (table,),
        )
        for (statement,) in statements.fetchall():
            made.execute(str(statement))
    return made


def copy(db: apsw.Connection, into: apsw.Connection, table: str, condition: str, values: Sequence[Any]) -> None:
    """Copy the rows that meet a condition, row by row; those that are there already stay."""
    columns = [str(name) for (name,) in db.execute("select name from pragma_table_info(?)", (table,)).fetchall()]
    names, places = ", ".join(columns), ", ".join("?" * len(columns))
    found = db.execute(f"-- scratch.copy\nselect {names} from {table} where {condition}", values)
    with into:
        into.executemany(f"-- scratch.copy\ninsert or ignore into {table} ({names}) values ({places})", found)
