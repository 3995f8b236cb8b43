"""Source maps over RPC. Keys need read:data to list them, manage:websites for the rest."""

import asyncio
from datetime import datetime

from msgspec import Struct

from analytics_box.products.source_maps import source_map
from analytics_box.products.source_maps.mappings import pack
from analytics_box.products.source_maps.source_map import MAPS, OF_WEBSITE, SourceMap
from analytics_box.products.source_maps.stacks import OriginalPlaces
from analytics_box.resource.fields import answer_of, input_of, values_of
from analytics_box.tenants.tenancy.messages import Success, Text
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.web.call import Call


class ListSourceMaps(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of sourceMaps.list."""

    websiteId: Text


@input_of(SourceMap, needed=("script",))
class NewSourceMap(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of sourceMaps.upload. `content` is the text of the map, `script` the path of the script in production, or
    the end of it, such as app.js. Without `release` the map is for all releases."""

    websiteId: Text
    content: str


class OneSourceMap(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of sourceMaps.delete."""

    id: Text


class OneRelease(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of sourceMaps.deleteRelease. An empty `release` names the maps that are for all releases."""

    websiteId: Text
    release: str


class SourceMapShown(Struct, frozen=True):
    """A source map. `size` is what it takes on disk, in bytes."""

    id: str
    websiteId: str
    release: str
    script: str
    size: int
    createdBy: str
    createdAt: datetime


class DeletedMaps(Struct, frozen=True):
    """The number of deleted source maps."""

    deleted: int


async def list_maps(call: Call, given: ListSourceMaps) -> list[SourceMapShown]:
    """sourceMaps.list: list the source maps of a website, latest first. Raises NotFound."""
    website = own(call, given.websiteId)
    rows = await call.read(lambda db: MAPS.all(db, OF_WEBSITE, website.id))
    return [answer_of(SourceMapShown, one) for one in rows]


async def upload(call: Call, given: NewSourceMap) -> SourceMapShown:
    """sourceMaps.upload: store the source map of a script. It replaces that of the same script and release.

    The source code in it is dropped. The oldest maps of the website are deleted when it has more than its space for
    maps. Raises NotFound, BadRequest or PayloadTooLarge.
    """
    website = own(call, given.websiteId)
    values = values_of(given, SourceMap)
    async with call.parts[OriginalPlaces].turn:
        packed = await asyncio.to_thread(pack, given.content.encode(errors="surrogatepass"))
    most = call.parts.settings.source_map_bytes
    stored = await call.parts.box_db.write(
        lambda db: source_map.store(db, call.by, website, values, packed, most), adds=True
    )
    return answer_of(SourceMapShown, stored)


async def delete(call: Call, given: OneSourceMap) -> Success:
    """sourceMaps.delete: delete a source map. Raises NotFound."""
    website, _row = await own_row(call, MAPS.find, "sourceMap", given.id)
    await call.write(lambda db: source_map.delete(db, call.by, website, given.id))
    return Success()


async def delete_release(call: Call, given: OneRelease) -> DeletedMaps:
    """sourceMaps.deleteRelease: delete the source maps of a release. Raises NotFound."""
    website = own(call, given.websiteId)
    return DeletedMaps(await call.write(lambda db: source_map.delete_release(db, call.by, website, given.release)))
