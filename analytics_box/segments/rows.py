"""Segments in box.db. Every function takes a connection inside the caller's transaction."""

import msgspec
from msgspec import Struct

from analytics_box.query.request import GivenFilter
from analytics_box.segments.segment import Saved
from analytics_box.store import records
from analytics_box.store.db import Connection

_COLUMNS = "id, website_id, user_id, is_shared, name, filters, created_at, updated_at"


class _Row(Struct, frozen=True):
    """A row as it is stored; `filters` is JSON."""

    id: str
    website_id: str
    user_id: str
    is_shared: int
    name: str
    filters: str
    created_at: int
    updated_at: int


def of_website(db: Connection, website_id: str, user_id: str) -> list[Saved]:
    """The segments of a website that somebody may see, by name."""
    found = records.all_of(
        db,
        _Row,
        f"""
        -- segments.of_website
        select {_COLUMNS} from segments
        where website_id = ? and (is_shared or (user_id <> '' and user_id = ?))
        order by name collate nocase, id
        """,
        (website_id, user_id),
    )
    return [_saved(row) for row in found]


def find(db: Connection, segment_id: str) -> Saved | None:
    row = records.one_of(db, _Row, f"-- segments.find\nselect {_COLUMNS} from segments where id = ?", (segment_id,))
    return None if row is None else _saved(row)


def count(db: Connection, website_id: str) -> int:
    """How many segments a website has, whoever sees them."""
    found = db.execute("-- segments.count\nselect count(*) from segments where website_id = ?", (website_id,))
    return int(str(found.fetchall()[0][0]))


def insert(db: Connection, saved: Saved) -> None:
    db.execute(
        f"-- segments.insert\ninsert into segments ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            saved.id,
            saved.website_id,
            saved.user_id,
            int(saved.is_shared),
            saved.name,
            _json(saved.filters),
            saved.created_at,
            saved.updated_at,
        ),
    )


def update(db: Connection, saved: Saved) -> None:
    """Store all that may be changed of a segment."""
    db.execute(
        "-- segments.update\nupdate segments set is_shared = ?, name = ?, filters = ?, updated_at = ? where id = ?",
        (int(saved.is_shared), saved.name, _json(saved.filters), saved.updated_at, saved.id),
    )


def delete(db: Connection, segment_id: str) -> None:
    db.execute("-- segments.delete\ndelete from segments where id = ?", (segment_id,))


def _saved(row: _Row) -> Saved:
    return Saved(
        id=row.id,
        website_id=row.website_id,
        user_id=row.user_id,
        is_shared=bool(row.is_shared),
        name=row.name,
        filters=msgspec.json.decode(row.filters, type=tuple[GivenFilter, ...]),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _json(filters: tuple[GivenFilter, ...]) -> str:
    return msgspec.json.encode([said(one) for one in filters]).decode()


def said(given: GivenFilter) -> dict[str, object]:
    """A filter as JSON, without what it does not say."""
    inner = {name: [said(one) for one in items] for name in ("any", "all") if (items := getattr(given, name))}
    own = {name: value for name in ("field", "op", "value") if (value := getattr(given, name)) is not None}
    return {**own, **inner}
