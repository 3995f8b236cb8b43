"""The time of the first facts of each kind."""

from analytics_box.base.store.db import Connection, Db
from analytics_box.query.catalog.types import SubjectName

# Each is the first entry of an index. When websites begin is in query.presence.
_FIRST: dict[SubjectName, str] = {
    "link": """
        -- beginnings.first
        select time from link_clicks where link = :number order by time limit 1
        """,
    "monitor": """
        -- beginnings.first
        select start from monitor_spans where monitor = :number order by start limit 1
        """,
}


async def first(events: Db, subject: SubjectName, number: int) -> int | None:
    """The time of the first fact about this subject, in UTC ms; None where nothing has come yet."""
    return await events.read(lambda db: _first(db, subject, number), seconds=2)


def _first(db: Connection, subject: SubjectName, number: int) -> int | None:
    row = db.execute(_FIRST[subject], {"number": number}).fetchone()
    return None if row is None else int(str(row[0]))
