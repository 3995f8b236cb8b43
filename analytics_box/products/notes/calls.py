"""The procedures `annotations.*` (wire 10.5). Keys need read:data to read and manage:websites to write.

Anonymous callers see the public notes of public websites.
"""

from functools import partial

from analytics_box.base import errors
from analytics_box.base.clock import DAY
from analytics_box.base.translation import _
from analytics_box.products.notes import change, draft
from analytics_box.products.notes.annotation import Annotation
from analytics_box.products.notes.draft import note_moment
from analytics_box.products.notes.messages import (
    AnnotationShown,
    ChangedAnnotation,
    ListAnnotations,
    NewAnnotation,
    OneAnnotation,
    note_answer,
)
from analytics_box.tenants.tenancy.messages import Success
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import is_own, own, own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call


def visible(call: Call, website_id: str) -> tuple[Website, bool]:
    """A website whose notes the caller may see, and whether that goes for all of them or for public ones only.

    Raises AuthRequired for anonymous callers of what is not public, else NotFound.
    """
    website = call.parts[Directory].find(website_id)
    if website is not None and (is_own(call, website) or website.is_public):
        return website, is_own(call, website)
    if call.identity.anonymous:
        raise errors.AuthRequired(_("Authentication required"))
    raise errors.NotFound.of("website", website_id)


async def find_note(call: Call, annotation_id: str) -> tuple[Annotation, bool]:
    """A note that the caller can see, and whether its website is theirs. Raises AuthRequired or NotFound."""
    found = await call.read(lambda db: change.NOTES.find(db, annotation_id))
    website = None if found is None else call.parts[Directory].find(found.website_id)
    if found is not None and website is not None:
        own = is_own(call, website)
        if own or (website.is_public and found.content.public):
            return found, own
    if call.identity.anonymous:
        raise errors.AuthRequired(_("Authentication required"))
    raise errors.NotFound.of("annotation", annotation_id)


FIRST, LAST = -(2**53), 2**53  # before and after every note


async def list_annotations(call: Call, given: ListAnnotations) -> list[AnnotationShown]:
    """annotations.list: list notes, latest first. Raises NotFound, BadRequest, or AuthRequired for anonymous
    callers."""
    website, every = visible(call, given.websiteId)
    first = note_moment(given.startDate, "startDate").at if given.startDate else FIRST
    last = note_moment(given.endDate, "endDate").at + DAY - 1 if given.endDate else LAST
    found = await call.read(
        partial(change.between, website_id=website.id, first=first, last=last, most=given.limit, public=not every)
    )
    return [note_answer(note, own=every) for note in found]


async def get_by_id(call: Call, given: OneAnnotation) -> AnnotationShown:
    """annotations.getById: get a note. Raises NotFound, or AuthRequired for anonymous callers."""
    found, own_website = await find_note(call, given.id)
    return note_answer(found, own=own_website)


async def create(call: Call, given: NewAnnotation) -> AnnotationShown:
    """annotations.create: add a note to all charts of a website. Raises NotFound, BadRequest or Conflict."""
    return note_answer(await add(call, given))


async def update(call: Call, given: ChangedAnnotation) -> AnnotationShown:
    """annotations.update: update a note. Raises NotFound or BadRequest.

    Omitted fields keep their values.
    """
    return note_answer(await alter(call, given))


async def delete(call: Call, given: OneAnnotation) -> Success:
    """annotations.delete: delete a note. Raises NotFound."""
    website, _ = await own_row(call, change.NOTES.find, "annotation", given.id)
    await call.write(
        lambda db: change.NOTES.remove(db, call.by, website.organization_id, change.existing(db, website, given.id))
    )
    return Success()


async def add(call: Call, given: NewAnnotation) -> Annotation:
    """Write a note. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    period, content = draft.draft_note(given, call.now)
    return await call.write(lambda db: change.create(db, website, call.by, period, content))


async def alter(call: Call, given: ChangedAnnotation) -> Annotation:
    """Change a note. Raises NotFound or BadRequest."""
    website, _ = await own_row(call, change.NOTES.find, "annotation", given.id)
    return await call.write(
        lambda db: change.update(
            db, website, call.by, draft.redraft_note(change.existing(db, website, given.id), given)
        )
    )
