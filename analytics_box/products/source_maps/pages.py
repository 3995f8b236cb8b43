"""The page of a website's source maps: members upload and delete them."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.errors import BadRequest, PayloadTooLarge
from analytics_box.base.translation import _, ngettext
from analytics_box.products.source_maps import calls
from analytics_box.products.source_maps.calls import NewSourceMap, OneRelease, OneSourceMap
from analytics_box.products.source_maps.mappings import MOST_MAP_BYTES
from analytics_box.products.source_maps.source_map import MAPS, OF_WEBSITE, SourceMap
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_HOME: Final = "/sites/{}/source-maps"
_WRITER: Final = "member"
_DONE: Final = {"added": _("Source map uploaded."), "deleted": _("Deleted.")}


class MapLine(Struct, frozen=True):
    """A source map in the list."""

    script: str
    size: str
    uploaded: str
    delete: str


class ReleaseLine(Struct, frozen=True):
    """The source maps of a release."""

    release: str
    title: str
    about: str
    maps: tuple[MapLine, ...]


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/source-maps: the maps by release, and the form of a new one. Raises NotFound."""
    return await _page(visit, website_id, Again())


async def upload(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/source-maps: upload a map. Raises NotFound."""
    website = own(visit.call, website_id)
    try:
        typed, content = await visit.uploaded_with("content", limit=MOST_MAP_BYTES)
    except PayloadTooLarge as large:
        wrong = _("The file is larger than {most} MB. Build it without sourcesContent.")
        return await _page(
            visit, website_id, Again(large.status, wrong={"content": wrong.format(most=MOST_MAP_BYTES // 1_000_000)})
        )

    async def save() -> str:
        if not content:
            raise BadRequest.about("content", _("Choose a source map"))
        try:
            text = content.decode()
        except UnicodeDecodeError as broken:
            raise BadRequest.about("content", _("This is not a source map of version 3")) from broken
        given: dict[str, Any] = {"websiteId": website.id, "script": typed.get("script", ""), "content": text}
        await calls.upload(visit.call, message_of(given | {"release": typed.get("release", "")}, NewSourceMap))
        return f"{_HOME.format(website.id)}?done=added"

    return await visit.submit(save, lambda to, again: _page(to, website_id, again), values=typed)


async def delete(visit: Visitor, website_id: FromPath[str], source_map_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/source-maps/{map}/delete: delete a map. Raises NotFound."""
    website = own(visit.call, website_id)
    await calls.delete(visit.call, OneSourceMap(source_map_id))
    return visit.go(f"{_HOME.format(website.id)}?done=deleted")


async def delete_release(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/source-maps/delete: delete the maps of a release. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()
    await calls.delete_release(visit.call, OneRelease(website.id, form.get("release", "")))
    return visit.go(f"{_HOME.format(website.id)}?done=deleted")


async def _page(visit: PageRequest, website_id: str, again: Again) -> Page:
    website = own(visit.call, website_id)
    maps = await visit.call.read(lambda db: MAPS.all(db, OF_WEBSITE, website.id))
    most, used = visit.parts.settings.source_map_bytes, sum(one.size for one in maps)
    return visit.show(
        "source_maps.html",
        site_shell(visit, "errors", website),
        again,
        site=website,
        home=_HOME.format(website.id),
        releases=_releases(visit, maps),
        used=_("{used} of {most} used. New source maps replace the oldest.").format(
            used=figures.size(used), most=figures.size(most)
        ),
        may_write=visit.person.may(_WRITER),
        url=visit.parts.settings.public_url,
        done=_DONE.get(visit.asked("done"), ""),
    )


def _releases(visit: PageRequest, maps: Sequence[SourceMap]) -> list[ReleaseLine]:
    """Maps by release, that with the latest upload first."""
    order = {release: place for place, release in enumerate(dict.fromkeys(one.release for one in maps))}
    found = []
    for release, group in groupby(sorted(maps, key=lambda one: order[one.release]), key=lambda one: one.release):
        rows = [*group]
        found.append(
            ReleaseLine(
                release,
                figures.visible(release) or _("All releases"),
                "{count} · {size}".format(
                    count=ngettext("1 source map", "{count} source maps", len(rows)).format(
                        count=figures.count(len(rows))
                    ),
                    size=figures.size(sum(one.size for one in rows)),
                ),
                tuple(
                    MapLine(
                        figures.visible(one.script),
                        figures.size(one.size),
                        dates.moment(one.created_at, visit.person),
                        f"{_HOME.format(one.website_id)}/{one.id}/delete",
                    )
                    for one in rows
                ),
            )
        )
    return found
