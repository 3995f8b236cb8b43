"""Creating, renaming and deleting folders: each verb writes its row and audit entry in the caller's transaction."""

from collections.abc import Collection
from functools import partial
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.names import is_visible, one_line, slug_of
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import Stamp, difference
from analytics_box.resource.reach import Reach, check, in_reach


class LinkFolder(Struct, frozen=True, rename="camel"):
    """A folder. Links of a deleted one are in no folder."""

    id: str
    organization_id: str
    name: str
    slug: str
    created_at: Stamp
    updated_at: Stamp


FOLDERS: Final = AuditedTable(
    "link_folders", LinkFolder, "link folder", "linkFolder", about=lambda folder: {"name": folder.name}
)


def folders_of(db: Connection, organization_id: str) -> list[LinkFolder]:
    """The folders of an organization by name."""
    return FOLDERS.all(db, "organization_id = ? order by name collate nocase, id", organization_id)


TAKEN: Final = "A folder with this name already exists"
MOST: Final = 500  # of one organization
LONGEST: Final = 80  # characters of a name (wire 7.2)


def of(db: Connection, organization_id: str, by: By) -> list[LinkFolder]:
    """The organization's folders by name. Raises Forbidden."""
    check(db, Reach(organization_id, by), "viewer")
    return folders_of(db, organization_id)


def create(db: Connection, organization_id: str, by: By, name: str) -> LinkFolder:
    """Raises Forbidden, BadRequest, or Conflict when there is one that is called so."""
    check(db, Reach(organization_id, by), "member")
    return add(db, organization_id, by, name, folders_of(db, organization_id))


def add(db: Connection, organization_id: str, by: By, name: str, others: Collection[LinkFolder]) -> LinkFolder:
    """Create a folder for callers who know all folders and may change them. Raises BadRequest or Conflict."""
    if len(others) >= MOST:
        raise errors.Conflict.full(
            "linkFolders", MOST, _("An organization can have up to {most} folders; remove one first").format(most=MOST)
        )
    clean = _clean(name, others)
    made = LinkFolder(ids.new_id(), organization_id, clean, _free_slug(clean, others), by.now, by.now)
    return FOLDERS.create(db, by, organization_id, made)


def rename(db: Connection, organization_id: str, by: By, folder_id: str, name: str) -> LinkFolder:
    """Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    before = in_reach(own, FOLDERS.find(db, folder_id), "linkFolder", folder_id)
    others = [one for one in folders_of(db, organization_id) if one.id != folder_id]
    clean = _clean(name, others)
    if clean == before.name:
        return before
    after = replace(before, name=clean, slug=_free_slug(clean, others))
    return FOLDERS.change(db, by, organization_id, before, after, partial(difference, without=("slug",)))


def delete(db: Connection, organization_id: str, by: By, folder_id: str) -> LinkFolder:
    """The links that were in it stay, in no folder. Raises Forbidden or NotFound."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    gone = in_reach(own, FOLDERS.find(db, folder_id), "linkFolder", folder_id)
    FOLDERS.remove(db, by, organization_id, gone)
    return gone


def is_own(db: Connection, organization_id: str, folder_id: str) -> bool:
    """Whether the organization has this folder."""
    found = FOLDERS.find(db, folder_id)
    return found is not None and found.organization_id == organization_id


def names(db: Connection, organization_id: str) -> dict[str, str]:
    """The organization's folders: names by id."""
    return {one.id: one.name for one in folders_of(db, organization_id)}


def _clean(name: str, others: Collection[LinkFolder]) -> str:
    text = one_line(name)
    if not text or not is_visible(text):
        raise BadRequest.about("name", _("Enter a name without control characters"))
    if text.casefold() in {one.name.casefold() for one in others}:
        raise errors.Conflict.about("name", TAKEN)
    return text


def _free_slug(name: str, others: Collection[LinkFolder]) -> str:
    """A slug made of the name; names of which nothing is left, and those that make the same, get a number."""
    slug, taken = slug_of(name, fallback="folder"), {one.slug for one in others}
    return next(text for number in count(1) if (text := slug if number == 1 else f"{slug}-{number}") not in taken)


class FolderCache:
    """The folders of an organization by name while a file is imported: read once, and kept current.

    It belongs to one transaction. What that undoes has to be undone here as well: `mark` before, `undo` after.
    """

    def __init__(self, db: Connection, organization_id: str) -> None:
        self._organization_id = organization_id
        self._folders = {folder.name.casefold(): folder for folder in folders_of(db, organization_id)}
        self._made: list[str] = []

    def folder(self, db: Connection, by: By, name: str) -> LinkFolder:
        """The folder of this name without regard to case, created if there is none. Raises BadRequest or Conflict."""
        plain = " ".join(name.split())
        found = self._folders.get(plain.casefold())
        if found is not None:
            return found
        try:
            if len(plain) > LONGEST:
                raise BadRequest(_("The name of a folder can have up to {longest} characters").format(longest=LONGEST))
            made = add(db, self._organization_id, by, plain, self._folders.values())
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
