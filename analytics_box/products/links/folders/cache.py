"""The folders of an organization by name while a file is imported: read once, and kept current.

It belongs to one transaction. What that undoes has to be undone here, too: `mark` before, `undo` after.
"""

from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.store.db import Connection
from analytics_box.products.links.folders import change as folders
from analytics_box.products.links.folders import rows as folder_rows
from analytics_box.products.links.folders.rows import LinkFolder


class FolderCache:
    """All folders of an organization."""

    def __init__(self, db: Connection, organization_id: str) -> None:
        self._organization_id = organization_id
        self._folders = {folder.name.casefold(): folder for folder in folder_rows.of(db, organization_id)}
        self._made: list[str] = []

    def folder(self, db: Connection, by: By, name: str) -> LinkFolder:
        """The folder of this name without regard to case, created if there is none. Raises BadRequest or Conflict."""
        plain = " ".join(name.split())
        found = self._folders.get(plain.casefold())
        if found is not None:
            return found
        try:
            if len(plain) > folders.LONGEST:
                raise BadRequest(f"The name of a folder can have up to {folders.LONGEST} characters")
            made = folders.add(db, self._organization_id, by, plain, self._folders.values())
        except (BadRequest, Conflict) as wrong:
            raise type(wrong).about("folder", wrong.message) from wrong
        self._folders[plain.casefold()] = made
        self._made.append(plain.casefold())
        return made

    def mark(self) -> int:
        """The position from which new folders are added."""
        return len(self._made)

    def undo(self, mark: int) -> None:
        """Forget the folders that were made since that mark."""
        for name in self._made[mark:]:
            del self._folders[name]
        del self._made[mark:]
