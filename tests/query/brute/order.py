"""The order of rows (semantics 22): by what is shown, what is unknown last both ways, equal ones as they stood."""

from typing import Any

from tests.query.brute.facts import RAW, Row, Rows

UNKNOWN = (None, "", "Unknown", "unknown")


def in_order(rows: Rows, name: str, *, descending: bool) -> list[Row]:
    """The rows sorted by a field. A stable sort in reverse keeps equal rows in their order, too."""

    def place(row: Row) -> Any:
        return row.get(RAW, {}).get(name, row[name])

    known = [row for row in rows if row[name] not in UNKNOWN]
    return sorted(known, key=place, reverse=descending) + [row for row in rows if row[name] in UNKNOWN]
