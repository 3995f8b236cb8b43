"""Creating, changing and deleting saved items: each verb with its row and audit entry in the caller's transaction.

Users who can change a website have private items, and change those that are shared. Names of private items are not in
the audit log.
"""

from functools import cache
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, ids, names
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.resource.table import Table
from analytics_box.tenants.saved.kept import LONGEST_NAME, MOST, Content, SavedItem, SavedKind
from analytics_box.tenants.websites.rules import Website


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


def create(
    db: Connection, kind: SavedKind[Content], website: Website, by: By, name: str, content: Content, *, is_shared: bool
) -> SavedItem[Content]:
    """Save a new item. Raises BadRequest or Conflict."""
    owner = by.user_id or ""
    if items(kind).count(db, "website_id = ? and user_id = ?", website.id, owner) >= MOST:
        raise Conflict.full(
            f"{kind.noun}s",
            MOST,
            _("You can save up to {most} {noun}s per website; delete one first").format(most=MOST, noun=kind.noun),
        )
    if not is_shared and not owner:
        raise BadRequest.about("isShared", _("API keys can only save shared {noun}s").format(noun=kind.noun))
    free = _free(db, kind, website.id, by, clean_name(kind, name))
    made = SavedItem(ids.new_id(), website.id, owner, is_shared, free, content, by.now, by.now)
    items(kind).insert(db, made)
    _record(db, kind, website, by, "created", made, {})
    return made


def update(
    db: Connection,
    kind: SavedKind[Content],
    website: Website,
    by: By,
    kept_id: str,
    *,
    name: str | UnsetType = UNSET,
    content: Content | UnsetType = UNSET,
    is_shared: bool | UnsetType = UNSET,
) -> SavedItem[Content]:
    """Update an item; omitted fields keep their values. Raises NotFound, BadRequest or Conflict."""
    before = existing(db, kind, website, by, kept_id)
    after = replace(
        before,
        name=before.name if name is UNSET else _free(db, kind, website.id, by, clean_name(kind, name), but=kept_id),
        content=before.content if content is UNSET else content,
        is_shared=before.is_shared if is_shared is UNSET else is_shared,
    )
    if not after.is_seen_by(by.user_id or ""):
        raise BadRequest.about("isShared", _("Only its creator can make it private"))
    if after != before:
        after = replace(after, updated_at=by.now)
        items(kind).update(db, after)
        changes = audit.difference(before, after, names={"content": kind.column})
        if not (before.is_shared and after.is_shared):
            changes = {"changed": [*changes]}
        _record(db, kind, website, by, "updated", after, changes)
    return after


def delete(db: Connection, kind: SavedKind[Content], website: Website, by: By, kept_id: str) -> None:
    """Delete an item; addresses that name it answer so. Raises NotFound."""
    gone = existing(db, kind, website, by, kept_id)
    items(kind).delete(db, gone.id)
    _record(db, kind, website, by, "deleted", gone, {})


def existing(db: Connection, kind: SavedKind[Content], website: Website, by: By, kept_id: str) -> SavedItem[Content]:
    """The item of a website with this id, if the caller can see it. Raises NotFound."""
    found = items(kind).find(db, kept_id)
    if found is None or found.website_id != website.id or not found.is_seen_by(by.user_id or ""):
        raise unknown(kind, kept_id)
    return found


def unknown(kind: SavedKind[Content], kept_id: str) -> NotFound:
    """The error for an unknown id, and for another person's private item."""
    return NotFound.of(kind.noun, kept_id)


def clean_name(kind: SavedKind[Content], given: str) -> str:
    """The name, in one line. Raises BadRequest."""
    clean = names.one_line(given)
    if not clean or not names.is_visible(clean):
        raise BadRequest.about("name", _("Enter a name with visible characters"))
    if len(clean) > LONGEST_NAME:
        raise BadRequest.about("name", _("A name can have up to {longest} characters").format(longest=LONGEST_NAME))
    return clean


def _free(db: Connection, kind: SavedKind[Content], website_id: str, by: By, name: str, but: str = "") -> str:
    """The name, unless another item that the user sees has it. Raises Conflict."""
    others = of_website(db, kind, website_id, by.user_id or "")
    if any(other.name.casefold() == name.casefold() for other in others if other.id != but):
        raise Conflict.about("name", _("A {noun} with this name already exists").format(noun=kind.noun))
    return name


def _record(
    db: Connection,
    kind: SavedKind[Content],
    website: Website,
    by: By,
    action: audit.Action,
    kept: SavedItem[Content],
    changes: audit.Detail,
) -> None:
    """Write the audit entry; it has no names of private items."""
    named = {"name": kept.name} if kept.is_shared else {}
    detail = {**named, "websiteId": website.id, **changes}
    audit.record(db, by, website.organization_id, action, kind.noun, kept.id, detail)
