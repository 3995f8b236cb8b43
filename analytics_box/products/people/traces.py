"""Traces of a person in events.db: rows of events and spans, and the strings that they refer to.

There is no index on visitors, so rows are walked through by id, a piece at a time: each piece is a short read.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from msgspec import Struct

from analytics_box.base.facts.layout import stored_table
from analytics_box.base.facts.tables import BY_NAME
from analytics_box.base.store.db import Connection
from analytics_box.products.people.rules import Stay

PIECE = 50_000  # rows that one read looks at
UNKNOWN = -1  # the number of a profile id that no text here has


class TraceSubject(Struct, frozen=True):
    """The subject of traces: a person, by the number of the profile id and the stays in visitors; or, with the number
    0, a device, whatever person it was then.

    A row that names another profile is not the person's, even if it is of the same visitor.
    """

    site: int
    profile: int
    stays: tuple[Stay, ...]

    def has(self, visitor: int, time: int, profile: int) -> bool:
        """Whether a row of this visitor at this time (UTC ms), which names this profile or none, is theirs."""
        if self.profile and profile:
            return profile == self.profile
        return any(stay.visitor == visitor and stay.since <= time < stay.until for stay in self.stays)


class TraceRow(NamedTuple):
    """A row. `values` are in the order of the columns (facts.tables)."""

    id: int
    session: int
    values: tuple[Any, ...]


def newest(db: Connection, table: str) -> int:
    """The largest id in a table; 0 where it is empty."""
    row = db.execute(f"-- traces.newest\nselect coalesce(max(id), 0) from {table}").fetchone()
    return int(str(row[0])) if row else 0


def find(db: Connection, table: str, subject: TraceSubject, after: int, until: int | None = None) -> list[TraceRow]:
    """The subject's rows with ids above `after`, up to `until`, oldest first."""
    names = BY_NAME[table].names
    limit = "" if until is None else "and id <= :until"
    rows = db.execute(
        f"""
        -- traces.find
        select id, session, {", ".join(names)} from {table}
        where id > :after {limit} and site = :site
          and (
            (profile <> 0 and profile = :profile)
            or visitor in (select value from json_each(:visitors))
          )
        order by id
        """,
        {
            "after": after,
            "until": until,
            "site": subject.site,
            "profile": subject.profile,
            "visitors": json.dumps(sorted({stay.visitor for stay in subject.stays})),
        },
    )
    visitor, time, profile = (names.index(name) + 2 for name in ("visitor", "time", "profile"))
    return [
        TraceRow(int(str(row[0])), int(str(row[1])), tuple(row[2:]))
        for row in rows.fetchall()
        if subject.has(int(str(row[visitor])), int(str(row[time])), int(str(row[profile])))
    ]


def strings_of(table: str, traces: Iterable[TraceRow]) -> set[int]:
    """The numbers of all strings that these rows refer to."""
    places = [BY_NAME[table].names.index(name) for name in BY_NAME[table].strings]
    return {trace.values[place] for trace in traces for place in places} - {0}


def remove(db: Connection, table: str, traces: Iterable[TraceRow]) -> None:
    """Delete these rows; SQLite overwrites them with zeros."""
    with zero_deleted(db):
        db.execute(
            f"-- traces.remove\ndelete from {stored_table(table)} where id in (select value from json_each(?))",
            (json.dumps([trace.id for trace in traces]),),
        )


def strings_numbered(db: Connection, strings: Iterable[int]) -> dict[int, str]:
    """The strings with these numbers."""
    rows = db.execute(
        "-- traces.named\nselect id, value from strings where id in (select value from json_each(?))",
        (json.dumps(sorted(strings)),),
    )
    return {int(str(number)): str(value) for number, value in rows.fetchall()}


@contextmanager
def zero_deleted(db: Connection) -> Iterator[None]:
    """Overwrite deleted rows with zeros inside this block."""
    db.pragma("secure_delete", True)
    try:
        yield
    finally:
        db.pragma("secure_delete", False)
