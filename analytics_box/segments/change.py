"""Saving, changing and deleting segments: each verb with its row and its audit entry in the caller's transaction."""

from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box import audit, ids
from analytics_box.acting import By
from analytics_box.errors import BadRequest, Conflict, NotFound
from analytics_box.query.request import GivenFilter
from analytics_box.segments import rows, rules
from analytics_box.segments.segment import MOST_SEGMENTS, Saved
from analytics_box.store.db import Connection
from analytics_box.websites.rules import Website

UNKNOWN: Final = "There is no segment with this id"
TAKEN: Final = "There is a segment with this name already"
_SUBJECT: Final = "segment"


def create(
    db: Connection, website: Website, by: By, name: str, filters: list[GivenFilter], *, is_shared: bool
) -> Saved:
    """A new segment. Raises BadRequest or Conflict."""
    if rows.count(db, website.id) >= MOST_SEGMENTS:
        raise Conflict(f"A website may have {MOST_SEGMENTS} segments; delete one first")
    if not is_shared and not by.user_id:
        raise BadRequest.about("isShared", "Only people have segments of their own; a key saves shared ones")
    clean = _free(db, website.id, by, rules.name(name))
    made = Saved(ids.new_id(), website.id, by.user_id or "", is_shared, clean, rules.filters(filters), by.now, by.now)
    rows.insert(db, made)
    _record(db, website, by, "created", made)
    return made


def update(
    db: Connection,
    website: Website,
    by: By,
    segment_id: str,
    *,
    name: str | UnsetType = UNSET,
    filters: list[GivenFilter] | UnsetType = UNSET,
    is_shared: bool | UnsetType = UNSET,
) -> Saved:
    """Another state of a segment; what is not given stays. Raises NotFound, BadRequest or Conflict."""
    before = existing(db, website, by, segment_id)
    after = replace(
        before,
        name=before.name if name is UNSET else _free(db, website.id, by, rules.name(name), but=segment_id),
        filters=before.filters if filters is UNSET else rules.filters(filters),
        is_shared=before.is_shared if is_shared is UNSET else is_shared,
    )
    if not after.is_seen_by(by.user_id or ""):
        raise BadRequest.about("isShared", "Only who saved it can have it alone")
    if after != before:
        after = replace(after, updated_at=by.now)
        rows.update(db, after)
        _record(db, website, by, "updated", after)
    return after


def delete(db: Connection, website: Website, by: By, segment_id: str) -> None:
    """It is gone; addresses that name it say so. Raises NotFound."""
    gone = existing(db, website, by, segment_id)
    rows.delete(db, gone.id)
    _record(db, website, by, "deleted", gone)


def existing(db: Connection, website: Website, by: By, segment_id: str) -> Saved:
    """A segment of a website that whoever asks may see. Raises NotFound."""
    found = rows.find(db, segment_id)
    if found is None or found.website_id != website.id or not found.is_seen_by(by.user_id or ""):
        raise NotFound(UNKNOWN)
    return found


def _free(db: Connection, website_id: str, by: By, name: str, but: str = "") -> str:
    """The name, if no other segment that they see is called so. Raises Conflict."""
    others = rows.of_website(db, website_id, by.user_id or "")
    if any(other.name.casefold() == name.casefold() for other in others if other.id != but):
        raise Conflict.about("name", TAKEN)
    return name


def _record(db: Connection, website: Website, by: By, action: audit.Action, saved: Saved) -> None:
    """The name of what is somebody's own stays theirs."""
    named = {"name": saved.name} if saved.is_shared else {}
    audit.record(db, by, website.organization_id, action, _SUBJECT, saved.id, {**named, "websiteId": website.id})
