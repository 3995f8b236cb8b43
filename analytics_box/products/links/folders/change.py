"""Creating, renaming and deleting folders: each verb writes its row and audit entry in the caller's transaction."""

from collections.abc import Collection
from itertools import count
from typing import Final

from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest
from analytics_box.base.names import is_visible, one_line, slug_of
from analytics_box.base.store.db import Connection
from analytics_box.products.links.folders import rows as folder_rows
from analytics_box.products.links.folders.rows import FOLDERS, LinkFolder
from analytics_box.resource.reach import Reach, check, in_reach

TAKEN: Final = "A folder with this name already exists"
MOST: Final = 500  # of one organization
LONGEST: Final = 80  # characters of a name (wire 7.2)
_SUBJECT: Final = "link folder"


def of(db: Connection, organization_id: str, by: By) -> list[LinkFolder]:
    """The organization's folders by name. Raises Forbidden."""
    check(db, Reach(organization_id, by), "viewer")
    return folder_rows.of(db, organization_id)


def create(db: Connection, organization_id: str, by: By, name: str) -> LinkFolder:
    """Raises Forbidden, BadRequest, or Conflict when there is one that is called so."""
    check(db, Reach(organization_id, by), "member")
    return add(db, organization_id, by, name, folder_rows.of(db, organization_id))


def add(db: Connection, organization_id: str, by: By, name: str, others: Collection[LinkFolder]) -> LinkFolder:
    """Create a folder for callers who know all folders and may change them. Raises BadRequest or Conflict."""
    if len(others) >= MOST:
        raise errors.Conflict.full(
            "linkFolders", MOST, f"An organization can have up to {MOST} folders; remove one first"
        )
    clean = _clean(name, others)
    made = LinkFolder(ids.new_id(), organization_id, clean, _free_slug(clean, others), by.now, by.now)
    FOLDERS.insert(db, made)
    audit.record(db, by, organization_id, "created", _SUBJECT, made.id, {"name": made.name})
    return made


def rename(db: Connection, organization_id: str, by: By, folder_id: str, name: str) -> LinkFolder:
    """Raises Forbidden, NotFound, BadRequest or Conflict."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    before = in_reach(own, FOLDERS.find(db, folder_id), "linkFolder", folder_id)
    others = [one for one in folder_rows.of(db, organization_id) if one.id != folder_id]
    clean = _clean(name, others)
    if clean == before.name:
        return before
    after = replace(before, name=clean, slug=_free_slug(clean, others), updated_at=by.now)
    FOLDERS.update(db, after)
    detail = audit.difference(before, after, ("name",))
    audit.record(db, by, organization_id, "updated", _SUBJECT, after.id, detail)
    return after


def delete(db: Connection, organization_id: str, by: By, folder_id: str) -> LinkFolder:
    """The links that were in it stay, in no folder. Raises Forbidden or NotFound."""
    own = Reach(organization_id, by)
    check(db, own, "member")
    gone = in_reach(own, FOLDERS.find(db, folder_id), "linkFolder", folder_id)
    FOLDERS.delete(db, gone.id)
    audit.record(db, by, organization_id, "deleted", _SUBJECT, gone.id, {"name": gone.name})
    return gone


def is_own(db: Connection, organization_id: str, folder_id: str) -> bool:
    """Whether the organization has this folder."""
    found = FOLDERS.find(db, folder_id)
    return found is not None and found.organization_id == organization_id


def names(db: Connection, organization_id: str) -> dict[str, str]:
    """The organization's folders: names by id."""
    return {one.id: one.name for one in folder_rows.of(db, organization_id)}


def _clean(name: str, others: Collection[LinkFolder]) -> str:
    text = one_line(name)
    if not text or not is_visible(text):
        raise BadRequest.about("name", "Enter a name without control characters")
    if text.casefold() in {one.name.casefold() for one in others}:
        raise errors.Conflict.about("name", TAKEN)
    return text


def _free_slug(name: str, others: Collection[LinkFolder]) -> str:
    """A slug made of the name; names of which nothing is left, and those that make the same, get a number."""
    slug, taken = slug_of(name, fallback="folder"), {one.slug for one in others}
    return next(text for number in count(1) if (text := slug if number == 1 else f"{slug}-{number}") not in taken)
