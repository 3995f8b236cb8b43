"""Saved items in box.db: a table for each kind. Every function takes a connection inside the caller's transaction."""

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

from analytics_box.base.store.db import Connection
from analytics_box.resource.table import Table
from analytics_box.tenants.saved.kept import Content, SavedItem, SavedKind


def items(kind: SavedKind[Content]) -> Table[SavedItem[Content]]:
    """The table of a kind."""
    return _table(kind)


@cache
def _table(kind: SavedKind[Any]) -> Table[Any]:
    row: Any = SavedItem
    return Table(kind.table, row[kind.type], columns={"content": kind.column}, written={"content": kind.written})


def of_website(db: Connection, kind: SavedKind[Content], website_id: str, user_id: str) -> list[SavedItem[Content]]:
    """The items of a website that a user can see, by name."""
    return items(kind).all(
        db,
        """
        website_id = ? and (is_shared or (user_id <> '' and user_id = ?))
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
    return [kept for kept_id in list(wanted) if (kept := items(kind).find(db, kept_id)) is not None]
