"""Folders of links in box.db. Every function takes a connection inside the caller's transaction."""

from msgspec import Struct

from analytics_box.base.store import records
from analytics_box.base.store.db import Connection

_COLUMNS = "id, organization_id, name, slug, created_at, updated_at"


class LinkFolder(Struct, frozen=True):
    """A folder. Times are UTC ms."""

    id: str
    organization_id: str
    name: str
    slug: str
    created_at: int
    updated_at: int


def of(db: Connection, organization_id: str) -> list[LinkFolder]:
    """The folders of an organization by name."""
    return _folders(db, "organization_id = ? order by name collate nocase, id", organization_id)


def find(db: Connection, folder_id: str) -> LinkFolder | None:
    return next(iter(_folders(db, "id = ?", folder_id)), None)


def insert(db: Connection, folder: LinkFolder) -> None:
    db.execute(
        f"-- links.folders.insert\ninsert into link_folders ({_COLUMNS}) values (?, ?, ?, ?, ?, ?)",
        (folder.id, folder.organization_id, folder.name, folder.slug, folder.created_at, folder.updated_at),
    )


def update(db: Connection, folder: LinkFolder) -> None:
    db.execute(
        "-- links.folders.update\nupdate link_folders set name = ?, slug = ?, updated_at = ? where id = ?",
        (folder.name, folder.slug, folder.updated_at, folder.id),
    )


def delete(db: Connection, folder_id: str) -> None:
    """Links that were in it are in none afterwards."""
    db.execute("-- links.folders.delete\ndelete from link_folders where id = ?", (folder_id,))


def _folders(db: Connection, condition: str, value: str) -> list[LinkFolder]:
    return records.all_of(
        db, LinkFolder, f"-- links.folders\nselect {_COLUMNS} from link_folders where {condition}", (value,)
    )
