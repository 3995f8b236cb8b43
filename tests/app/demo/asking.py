"""What stands in the files of a demo."""

from pathlib import Path
from typing import Any

import apsw

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.base.store import schema


def ask(directory: Path, statement: str, *values: int | str, file: str = schema.EVENTS_FILE) -> list[tuple[Any, ...]]:
    """The rows of a statement, from events.db unless another file is named."""
    db = apsw.Connection(str(directory / file))
    try:
        return list(db.execute(statement, values).fetchall())
    finally:
        db.close()


def count(directory: Path) -> int:
    """How many facts of visits there are."""
    return sum(int(ask(directory, f"select count(*) from {table}")[0][0]) for table in FACT_NAMES)
