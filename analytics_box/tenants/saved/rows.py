"""What is kept, in box.db: a table for each kind. Every function takes a connection inside the caller's transaction."""

from collections.abc import Callable
from itertools import islice

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection
from analytics_box.tenants.saved.kept import Content, Kept, Kind


class _Row(Struct, frozen=True):
    """A row as it is stored; `content` is JSON."""

    id: str
    website_id: str
    user_id: str
    is_shared: int
    name: str
    content: str
    created_at: int
    updated_at: int


def of_website(db: Connection, kind: Kind[Content], website_id: str, user_id: str) -> list[Kept[Content]]:
    """What somebody may see of a website, by name."""
    return _found(
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
    db: Connection, kind: Kind[Content], organization_id: str, user_id: str, fits: Callable[[str, str], bool], most: int
) -> list[Kept[Content]]:
    """What somebody may see of all websites of an organization and whose name and website's id fit, at most so many,
    the latest changed first. Nothing else is read whole."""
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


def find(db: Connection, kind: Kind[Content], kept_id: str) -> Kept[Content] | None:
    """The one with this id."""
    return next(iter(_found(db, kind, "where id = ?", kept_id)), None)


def count(db: Connection, kind: Kind[Content], website_id: str, user_id: str) -> int:
    """How many of them somebody keeps of a website."""
    found = db.execute(
        f"-- saved.count\nselect count(*) from {kind.table} where website_id = ? and user_id = ?",
        (website_id, user_id),
    )
    return int(str(found.fetchall()[0][0]))


def insert(db: Connection, kind: Kind[Content], kept: Kept[Content]) -> None:
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


def update(db: Connection, kind: Kind[Content], kept: Kept[Content]) -> None:
    """Store all that may be changed of it."""
    db.execute(
        f"""
        -- saved.update
        update {kind.table} set is_shared = ?, name = ?, {kind.column} = ?, updated_at = ? where id = ?
        """,
        (int(kept.is_shared), kept.name, kind.written(kept.content), kept.updated_at, kept.id),
    )


def delete(db: Connection, kind: Kind[Content], kept_id: str) -> None:
    """Forget it."""
    db.execute(f"-- saved.delete\ndelete from {kind.table} where id = ?", (kept_id,))


def _found(db: Connection, kind: Kind[Content], where: str, *values: str) -> list[Kept[Content]]:
    rows = records.all_of(
        db,
        _Row,
        f"""
        -- saved
        select id, website_id, user_id, is_shared, name, {kind.column}, created_at, updated_at from {kind.table}
        {where}
        """,
        values,
    )
    return [
        Kept(
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
