"""Notes in box.db: each verb writes its row and its audit entry in the caller's transaction."""

from typing import Final

from msgspec.structs import replace

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.notes.annotation import MOST_NOTES, Annotation, Content
from analytics_box.products.notes.draft import NotePeriod
from analytics_box.resource.fields import difference
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.rules import Website

NOTES: Final = Table("annotations", Annotation)


def between(
    db: Connection, website_id: str, first: int, last: int, most: int, *, public: bool = False, skip: int = 0
) -> list[Annotation]:
    """Notes of a website that touch this time (UTC ms, both included), the latest first: up to `most`
    after the first `skip`, with `public` only public ones.
    """
    return NOTES.all(
        db,
        """
        website_id = :website_id and at <= :last and coalesce(until, at) >= :first
          and (not :public or json_extract(content, '$.public'))
        order by at desc, id limit :most offset :skip
        """,
        website_id=website_id,
        first=first,
        last=last,
        most=most,
        public=public,
        skip=skip,
    )


_SUBJECT: Final = "annotation"


def create(db: Connection, website: Website, by: By, period: NotePeriod, content: Content) -> Annotation:
    """Create a note. Raises Conflict if the website has the maximum number."""
    if NOTES.count(db, "website_id = ?", website.id) >= MOST_NOTES:
        raise Conflict.full(
            "annotations", MOST_NOTES, f"A website can have up to {MOST_NOTES:,} notes; delete some first"
        )
    made = Annotation(
        id=ids.new_id(),
        website_id=website.id,
        at=period.at,
        until=period.until,
        content=content,
        created_by=by.actor,
        created_at=by.now,
        updated_at=by.now,
    )
    NOTES.insert(db, made)
    _record(db, website, by, "created", made, {})
    return made


def update(db: Connection, website: Website, by: By, after: Annotation) -> Annotation:
    """Update a note. Raises NotFound if it was deleted in the meantime."""
    before = existing(db, website, after.id)
    if after == before:
        return before
    after = replace(after, updated_at=by.now)
    NOTES.update(db, after)
    changes = difference(before, after, without=("content",))
    changes |= difference(before.content, after.content, without=("days",))
    _record(db, website, by, "updated", after, changes)
    return after


def delete(db: Connection, website: Website, by: By, annotation_id: str) -> None:
    """Delete a note. Raises NotFound."""
    gone = existing(db, website, annotation_id)
    NOTES.delete(db, gone.id)
    _record(db, website, by, "deleted", gone, {})


def existing(db: Connection, website: Website, annotation_id: str) -> Annotation:
    """A note of a website. Raises NotFound."""
    found = NOTES.find(db, annotation_id)
    if found is None or found.website_id != website.id:
        raise NotFound.of("annotation", annotation_id)
    return found


def _record(
    db: Connection, website: Website, by: By, action: audit.Action, note: Annotation, changes: audit.Detail
) -> None:
    detail = {"text": note.content.text, "websiteId": website.id, **changes}
    audit.record(db, by, website.organization_id, action, _SUBJECT, note.id, detail)
