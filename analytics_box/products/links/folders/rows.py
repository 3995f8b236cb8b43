"""Folders of links in box.db."""

from typing import Final

from msgspec import Struct

from analytics_box.base.store.db import Connection
from analytics_box.resource.fields import Stamp
from analytics_box.resource.table import Table


class LinkFolder(Struct, frozen=True, rename="camel"):
    """A folder. Links of a deleted one are in no folder."""

    id: str
    organization_id: str
    name: str
    slug: str
    created_at: Stamp
    updated_at: Stamp


FOLDERS: Final = Table("link_folders", LinkFolder)


def of(db: Connection, organization_id: str) -> list[LinkFolder]:
    """The folders of an organization by name."""
    return FOLDERS.all(db, "organization_id = ? order by name collate nocase, id", organization_id)
