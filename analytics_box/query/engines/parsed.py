"""Statements as DuckDB has read their text, which takes it a tenth of the time of a short question.

What is read belongs to no connection and no database, and is copied when it runs.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

_MOST: Final = 100  # statements that are kept, of some 35 kB each
_LONGEST: Final = 4_000  # characters


class Parsed:
    """Those that were asked before, by their text."""

    def __init__(self) -> None:
        self._kept: dict[str, Statement] = {}

    def of(self, connection: "DuckDBPyConnection", text: str) -> "Statement":
        """The only statement of a text."""
        found = self._kept.get(text)
        if found is None:
            (found,) = connection.extract_statements(text)
            if len(self._kept) >= _MOST:
                self._kept.clear()
            if len(text) <= _LONGEST:
                self._kept[text] = found
        return found
