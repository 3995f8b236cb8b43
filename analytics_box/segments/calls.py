"""The procedures `segments.*`. Keys need read:data to read and manage:websites to write, and see shared ones only."""

from analytics_box import errors
from analytics_box.http.call import Call
from analytics_box.segments import change, rows
from analytics_box.segments.messages import ChangedSegment, NewSegment, OneSegment, SegmentShown, shown
from analytics_box.segments.segment import Saved
from analytics_box.tenancy.messages import Success
from analytics_box.websites.directory import Directory
from analytics_box.websites.messages import ByWebsite
from analytics_box.websites.reach import is_own, own
from analytics_box.websites.rules import Website


async def list_segments(call: Call, given: ByWebsite) -> list[SegmentShown]:
    """segments.list: the caller's own and the shared ones, by name. Raises NotFound."""
    website = own(call, given.websiteId)
    return [shown(one) for one in await visible(call, website)]


async def get_by_id(call: Call, given: OneSegment) -> SegmentShown:
    """segments.getById. Raises NotFound."""
    _, saved = await seen(call, given.id)
    return shown(saved)


async def create(call: Call, given: NewSegment) -> SegmentShown:
    """segments.create. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.websiteId)
    return shown(
        await call.parts.box_db.write(
            lambda db: change.create(db, website, call.by, given.name, given.filters, is_shared=given.isShared),
            adds=True,
        )
    )


async def update(call: Call, given: ChangedSegment) -> SegmentShown:
    """segments.update: what is not given stays. Raises NotFound, BadRequest or Conflict."""
    website, _ = await seen(call, given.id)
    changed = await call.write(
        lambda db: change.update(
            db, website, call.by, given.id, name=given.name, filters=given.filters, is_shared=given.isShared
        )
    )
    return shown(changed)


async def delete(call: Call, given: OneSegment) -> Success:
    """segments.delete. Raises NotFound."""
    website, _ = await seen(call, given.id)
    await call.write(lambda db: change.delete(db, website, call.by, given.id))
    return Success()


async def visible(call: Call, website: Website) -> list[Saved]:
    """The segments of a website that the caller sees, by name."""
    return await call.read(lambda db: rows.of_website(db, website.id, call.by.user_id or ""))


async def seen(call: Call, segment_id: str) -> tuple[Website, Saved]:
    """A segment that the caller sees, with its website. Raises NotFound."""
    found = await call.read(lambda db: rows.find(db, segment_id))
    website = None if found is None else call.parts[Directory].find(found.website_id)
    if found is None or website is None or not is_own(call, website) or not found.is_seen_by(call.by.user_id or ""):
        raise errors.NotFound(change.UNKNOWN)
    return website, found
