"""Notes in box.db. Every function takes a connection inside the caller's transaction."""

import msgspec
from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.products.notes.annotation import Annotation, Content

_COLUMNS = "id, website_id, at, until, content, created_by, created_at, updated_at"


class _NoteRow(Struct, frozen=True):
    """A row as it is stored; `content` is JSON."""

    id: str
    website_id: str
    at: int
    until: int | None
    content: str
    created_by: str
    created_at: int
    updated_at: int


def between(
    db: Connection, website_id: str, first: int, last: int, most: int, *, public: bool = False, skip: int = 0
) -> list[Annotation]:
    """Notes of a website that touch this time (UTC ms, both included), the latest first, at most so many
    after the first `skip`.

    With `public` only those that everybody may see.
    """
    found = records.all_of(
        db,
        _NoteRow,
        f"""
        -- annotations.between
        select {_COLUMNS} from annotations
        where website_id = :website_id and at <= :last and coalesce(until, at) >= :first
          and (not :public or json_extract(content, '$.public'))
        order by at desc, id limit :most offset :skip
        """,
        {"website_id": website_id, "first": first, "last": last, "most": most, "public": public, "skip": skip},
    )
    return [_annotation(row) for row in found]


def find(db: Connection, annotation_id: str) -> Annotation | None:
    row = records.one_of(
        db, _NoteRow, f"-- annotations.find\nselect {_COLUMNS} from annotations where id = ?", (annotation_id,)
    )
    return None if row is None else _annotation(row)


def count(db: Connection, website_id: str) -> int:
    """The number of a website's notes."""
    found = db.execute("-- annotations.count\nselect count(*) from annotations where website_id = ?", (website_id,))
    return int(str(found.fetchall()[0][0]))


def insert(db: Connection, annotation: Annotation) -> None:
    db.execute(
        f"""
        -- annotations.insert
        insert into annotations ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            annotation.id,
            annotation.website_id,
            annotation.at,
            annotation.until,
            _json(annotation.content),
            annotation.created_by,
            annotation.created_at,
            annotation.updated_at,
        ),
    )


def update(db: Connection, annotation: Annotation) -> None:
    """Store all that may be changed of a note."""
    db.execute(
        "-- annotations.update\nupdate annotations set at = ?, until = ?, content = ?, updated_at = ? where id = ?",
        (annotation.at, annotation.until, _json(annotation.content), annotation.updated_at, annotation.id),
    )


def delete(db: Connection, annotation_id: str) -> None:
    db.execute("-- annotations.delete\ndelete from annotations where id = ?", (annotation_id,))


def _annotation(row: _NoteRow) -> Annotation:
    return Annotation(
        id=row.id,
        website_id=row.website_id,
        at=row.at,
        until=row.until,
        content=msgspec.json.decode(row.content, type=Content),
        created_by=row.created_by,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _json(content: Content) -> str:
    return msgspec.json.encode(content).decode()
