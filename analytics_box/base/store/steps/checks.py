"""Changes of a table's checks that every stored row meets: its text is changed, and no row is rewritten."""


def null_allowed(table: str, column: str) -> tuple[str, ...]:
    """Statements by which a check that a column is JSON takes null in every version of SQLite: in older
    ones json_valid(null) is 0, so their shell reports rows that are as they should be, and copying the table fails."""
    return (
        "pragma writable_schema = on",
        f"""
        update sqlite_schema
        set sql = replace(sql, 'check (json_valid({column}))', 'check ({column} is null or json_valid({column}))')
        where type = 'table' and name = '{table}'
        """,
        "pragma writable_schema = reset",
    )
