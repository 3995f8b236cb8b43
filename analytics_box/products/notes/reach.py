"""Notes that a caller can see and change."""

from functools import partial

from analytics_box.base import errors
from analytics_box.products.notes import rows
from analytics_box.products.notes.annotation import Annotation
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.reach import is_own
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
        raise errors.AuthRequired("Authentication required")
    raise errors.NotFound.of("website", website_id)


async def find_note(call: Call, annotation_id: str) -> tuple[Annotation, bool]:
    """A note that the caller may see, and whether it is of their own website. Raises AuthRequired or NotFound."""
    found = await call.read(partial(rows.find, annotation_id=annotation_id))
    website = None if found is None else call.parts[Directory].find(found.website_id)
    if found is not None and website is not None:
        own = is_own(call, website)
        if own or (website.is_public and found.content.public):
            return found, own
    if call.identity.anonymous:
        raise errors.AuthRequired("Authentication required")
    raise errors.NotFound.of("annotation", annotation_id)


async def own_note(call: Call, annotation_id: str) -> tuple[Website, Annotation]:
    """A note of one of the caller's websites. Raises NotFound."""
    found = await call.read(partial(rows.find, annotation_id=annotation_id))
    website = None if found is None else call.parts[Directory].find(found.website_id)
    if found is None or website is None or not is_own(call, website):
        raise errors.NotFound.of("annotation", annotation_id)
    return website, found
