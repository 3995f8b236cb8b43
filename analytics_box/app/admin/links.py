"""The commands `link …`: the procedures of short links, called by the command line."""

from typing import Any

import msgspec
from msgspec import Struct

from analytics_box.app.admin.asking import acting_in, organization_of
from analytics_box.app.admin.given.links import (
    EditedLink,
    ExportedLinks,
    Fields,
    ImportedLinks,
    MadeLink,
    NamedLink,
    SomeLinks,
)
from analytics_box.base import errors
from analytics_box.base.settings import Settings
from analytics_box.base.urls import url_parts
from analytics_box.products.links.bulk import exports
from analytics_box.products.links.bulk.imports import ImportLinks, LinkImportAnswer, import_links
from analytics_box.products.links.editing import calls
from analytics_box.products.links.editing.messages import ChangedLink, NewLink
from analytics_box.products.links.editing.shown import LinkShown
from analytics_box.products.links.folders import calls as folder_calls
from analytics_box.products.links.listing.calls import list_page
from analytics_box.products.links.listing.messages import LinkPage
from analytics_box.products.links.lookup import links_named
from analytics_box.products.links.messages import LinkOrganizationInput, OneLink
from analytics_box.products.links.short_url import PREFIX
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.web.call import Call, Parts

_PAGE = 100


class ExportPiece(Struct, frozen=True):
    """A piece of the file, and where the next one begins; `next` is null with the last."""

    content: str
    next: int | None


async def link_list(parts: Parts, given: SomeLinks) -> list[LinkShown]:
    """link list. Raises NotFound or BadRequest."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    found: list[LinkShown] = []
    while len(found) < given.limit:
        limit = min(_PAGE, given.limit - len(found))
        page = await list_page(call, LinkPage(limit=limit, offset=len(found), search=given.search, tag=given.tag))
        found += page.items
        if not page.hasMore:
            break
    return found


async def link_show(parts: Parts, given: NamedLink) -> LinkShown:
    """link show. Raises NotFound."""
    call, link_id = await _call_for_link(parts, given.link)
    return await calls.get(call, OneLink(link_id))


async def link_create(parts: Parts, given: MadeLink) -> LinkShown:
    """link create. Raises BadRequest, NotFound or Conflict."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    fields = await _with_folder(call, given.fields, given.folder)
    return await calls.create(call, _message(fields, NewLink))


async def link_edit(parts: Parts, given: EditedLink) -> LinkShown:
    """link edit. Raises BadRequest, NotFound or Conflict."""
    call, link_id = await _call_for_link(parts, given.link)
    fields = await _with_folder(call, given.fields, given.folder)
    return await calls.update(call, _message(fields | {"id": link_id}, ChangedLink))


async def link_delete(parts: Parts, given: NamedLink) -> LinkShown:
    """link delete: it is gone at once, its clicks with it. Raises NotFound."""
    call, link_id = await _call_for_link(parts, given.link)
    gone = await calls.get(call, OneLink(link_id))
    await calls.delete(call, OneLink(link_id))
    return gone


async def link_import(parts: Parts, given: ImportedLinks) -> LinkImportAnswer:
    """link import: each row succeeds or fails by itself. Raises BadRequest or NotFound."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    wanted = {"content": given.content, "format": given.format, "dryRun": given.dry_run, "domain": given.domain}
    return await import_links(call, _message(wanted, ImportLinks))


async def link_export(parts: Parts, given: ExportedLinks) -> ExportPiece:
    """link export: a piece of the file, oldest links first. Raises NotFound."""
    call = acting_in(parts, organization_of(parts, given.organization).id)
    folder_id = await _folder_id(call, given.folder) if given.folder is not None else None
    piece, following = await exports.piece(
        call, call.organization(), given.format, after=given.after, folder_id=folder_id
    )
    return ExportPiece(piece.decode(), following)


async def _call_for_link(parts: Parts, given: str) -> tuple[Call, str]:
    """A call in the organization of this link, and the link's id. Raises NotFound or BadRequest."""
    domain, slug = _place(given, parts.settings)
    found = await parts.box_db.read(lambda db: links_named(db, given, domain, slug))
    known = {each.id for each in parts[OrganizationDirectory].all()}
    found = [(link_id, organization_id) for link_id, organization_id in found if organization_id in known]
    if not found:
        raise errors.NotFound(f"There is no link {given}; name it by its id, its slug or its short URL")
    if len(found) > 1:
        ids = ", ".join(link_id for link_id, _ in found)
        raise errors.BadRequest(f"Several links have the slug {given}; name one by its id: {ids}")
    ((link_id, organization_id),) = found
    return acting_in(parts, organization_id), link_id


def _place(given: str, settings: Settings) -> tuple[str | None, str]:
    """The domain and the slug of a short URL; a bare slug may be on any domain."""
    if "/" not in given:
        return None, given
    parsed = url_parts(given if "://" in given else f"//{given}")
    host, path = (parsed.hostname or "").lower(), parsed.path
    own = host in {url_parts(settings.public_url).hostname, ""}
    return ("" if own else host), path.removeprefix(PREFIX if own else "/").strip("/")


async def _with_folder(call: Call, fields: Fields, folder: str | None) -> Fields:
    return fields if folder is None else fields | {"folderId": await _folder_id(call, folder)}


async def _folder_id(call: Call, given: str) -> str:
    """Raises NotFound."""
    for one in await folder_calls.list_folders(call, LinkOrganizationInput()):
        if given in {one.id, one.slug} or given.lower() == one.name.lower():
            return one.id
    raise errors.NotFound(f"There is no folder {given}")


def _message(fields: Fields, kind: type[Any]) -> Any:
    """The message of a procedure. Raises BadRequest."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as wrong:
        raise errors.BadRequest(str(wrong).replace(" - at `$.", ": `").replace("`$`", "the link")) from wrong
