"""Notes in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base import ids
from analytics_box.base.acting import By
from analytics_box.base.differences import Detail
from analytics_box.base.errors import NotFound
from analytics_box.base.store.db import Connection
from analytics_box.products.notes.annotation import MOST_NOTES, Annotation, Content
from analytics_box.products.notes.draft import NotePeriod
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import difference
from analytics_box.tenants.websites.rules import Website

NOTES: Final = AuditedTable(
    "annotations",
    Annotation,
    "annotation",
    "annotation",
    about=lambda note: {"text": note.content.text, "websiteId": note.website_id},
)


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


def create(db: Connection, website: Website, by: By, period: NotePeriod, content: Content) -> Annotation:
    """Create a note. Raises Conflict if the website has the maximum number."""
    full = f"A website can have up to {MOST_NOTES:,} notes; delete some first"
    NOTES.check_room(db, MOST_NOTES, full, "website_id = ?", website.id)
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
    return NOTES.create(db, by, website.organization_id, made)


def update(db: Connection, website: Website, by: By, after: Annotation) -> Annotation:
    """Update a note. Raises NotFound if it was deleted in the meantime."""
    before = existing(db, website, after.id)
    return NOTES.change(db, by, website.organization_id, before, after, _changes)


def existing(db: Connection, website: Website, annotation_id: str) -> Annotation:
    """A note of a website. Raises NotFound."""
    found = NOTES.find(db, annotation_id)
    if found is None or found.website_id != website.id:
        raise NotFound.of("annotation", annotation_id)
    return found


def _changes(before: Annotation, after: Annotation) -> Detail:
    """The changes of a note for the audit log."""
    return difference(before, after, without=("content",)) | difference(
        before.content, after.content, without=("days",)
    )
