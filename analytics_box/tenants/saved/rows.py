"""Saved items in box.db: a table for each kind. Every function takes a connection inside the caller's transaction."""

from collections.abc import Callable
from itertools import islice

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.saved.kept import Content, SavedItem, SavedKind


class _SavedRow(Struct, frozen=True):
    """A row as it is stored; `content` is JSON."""

    id: str
    website_id: str
    user_id: str
    is_shared: int
    name: str
    content: str
    created_at: int
    updated_at: int


def of_website(db: Connection, kind: SavedKind[Content], website_id: str, user_id: str) -> list[SavedItem[Content]]:
    """The items of a website that a user can see, by name."""
    return _saved_item(
        db,
        kind,
        """
        where website_id = ? and (is_shared or (user_id <> '' and user_id = ?))
        order by name collate nocase, id
        """,
        website_id,
        user_id,
    )


def fitting(
    db: Connection,
    kind: SavedKind[Content],
    organization_id: str,
    user_id: str,
    fits: Callable[[str, str], bool],
    most: int,
) -> list[SavedItem[Content]]:
    """The items of an organization's websites that a user can see and whose name and website id match, up to `most`,
    the
    latest changed first. Only these are read whole.
    """
    found = db.execute(
        f"""
        -- saved.fitting
        select kept.id, kept.website_id, kept.name from {kind.table} as kept
        join websites on websites.id = kept.website_id
        where websites.organization_id = ? and (kept.is_shared or (kept.user_id <> '' and kept.user_id = ?))
        order by kept.updated_at desc, kept.id
        """,
        (organization_id, user_id),
    )
    wanted = islice((str(kept_id) for kept_id, website_id, name in found if fits(str(name), str(website_id))), most)
    return [kept for kept_id in list(wanted) if (kept := find(db, kind, kept_id)) is not None]


def find(db: Connection, kind: SavedKind[Content], kept_id: str) -> SavedItem[Content] | None:
    """The one with this id."""
    return next(iter(_saved_item(db, kind, "where id = ?", kept_id)), None)


def count(db: Connection, kind: SavedKind[Content], website_id: str, user_id: str) -> int:
    """The number of a user's items on a website."""
    found = db.execute(
        f"-- saved.count\nselect count(*) from {kind.table} where website_id = ? and user_id = ?",
        (website_id, user_id),
    )
    return int(str(found.fetchall()[0][0]))


def insert(db: Connection, kind: SavedKind[Content], kept: SavedItem[Content]) -> None:
    """Store a new one."""
    db.execute(
        f"""
        -- saved.insert
        insert into {kind.table} (id, website_id, user_id, is_shared, name, {kind.column}, created_at, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            kept.id,
            kept.website_id,
            kept.user_id,
            int(kept.is_shared),
            kept.name,
            kind.written(kept.content),
            kept.created_at,
            kept.updated_at,
        ),
    )


def update(db: Connection, kind: SavedKind[Content], kept: SavedItem[Content]) -> None:
    """Store all that may be changed of it."""
    db.execute(
        f"""
        -- saved.update
        update {kind.table} set is_shared = ?, name = ?, {kind.column} = ?, updated_at = ? where id = ?
        """,
        (int(kept.is_shared), kept.name, kind.written(kept.content), kept.updated_at, kept.id),
    )


def delete(db: Connection, kind: SavedKind[Content], kept_id: str) -> None:
    """Forget it."""
    db.execute(f"-- saved.delete\ndelete from {kind.table} where id = ?", (kept_id,))


def _saved_item(db: Connection, kind: SavedKind[Content], where: str, *values: str) -> list[SavedItem[Content]]:
    rows = records.all_of(
        db,
        _SavedRow,
        f"""
        -- saved
        select id, website_id, user_id, is_shared, name, {kind.column}, created_at, updated_at from {kind.table}
        {where}
        """,
        values,
    )
    return [
        SavedItem(
            id=row.id,
            website_id=row.website_id,
            user_id=row.user_id,
            is_shared=bool(row.is_shared),
            name=row.name,
            content=kind.read(row.content),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in rows
    ]
