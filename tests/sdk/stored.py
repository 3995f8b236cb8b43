"""What a server has stored, read from its events.db."""

from pathlib import Path
from typing import Any

import apsw

_TEXTS: tuple[str, ...] = (
    *("name", "namespace", "profile", "path", "query_string", "title", "origin", "client_session", "entry"),
    *("referrer", "source", "utm_source", "utm_campaign", "language", "time_zone", "viewport", "bot"),
)


def rows(data_dir: Path, sql: str, *, file: str = "events.db") -> list[tuple[Any, ...]]:
    """Rows of a database, beside the running server."""
    db = apsw.Connection(str(data_dir / file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(db.execute(sql).fetchall())
    finally:
        db.close()


def events(data_dir: Path) -> list[dict[str, Any]]:
    """Every event in the order of arrival, with texts instead of their numbers."""
    columns = ", ".join(f"(select value from strings where id = events.{name}) as {name}" for name in _TEXTS)
    numbers = ("site", "time", "visitor", "session", "engaged", "scroll", "interactions", "properties")
    found = rows(data_dir, f"select {columns}, {', '.join(numbers)} from events order by id")
    return [dict(zip((*_TEXTS, *numbers), row, strict=True)) for row in found]
