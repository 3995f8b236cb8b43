"""The links of an organization as a file, over RPC: `links.export`."""

from typing import Literal

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.store.db import Connection
from analytics_box.products.links import list_rows
from analytics_box.products.links.bulk import exports
from analytics_box.products.links.bulk.files import MOST_ROWS
from analytics_box.products.links.list_rows import LinkSelection
from analytics_box.products.links.messages import Id
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.web.call import Call


class ExportLinks(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of links.export. GET /links/export/csv and /json give as many as there are."""

    format: Literal["csv", "json"] = "csv"
    organizationId: Id | None = None


class ExportPiece(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of the command line's export, which has no limit: the piece after the link with this number."""

    format: Literal["csv", "json"] = "csv"
    after: int = 0
    folderId: Id | None = None


class LinkExportPiece(Struct, frozen=True):
    """A piece of the file, and where the next one begins; `next` is null with the last."""

    content: str
    next: int | None


async def export_piece(call: Call, given: ExportPiece) -> LinkExportPiece:
    """A piece of an export, oldest links first."""
    content, following = await exports.piece(
        call, call.organization(), given.format, after=given.after, folder_id=given.folderId
    )
    return LinkExportPiece(content.decode(), following)


class LinkExportAnswer(Struct, frozen=True):
    """The links of an organization as the text of a file."""

    type: str
    content: str


async def export(call: Call, given: ExportLinks) -> LinkExportAnswer:
    """links.export: export up to 10,000 links in the format of links.import. Raises Forbidden, or BadRequest where
    there are more.

    Passwords are left out.
    """
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> int:
        check(db, Reach(organization_id, by), "viewer")
        return list_rows.count(db, LinkSelection(organization_id))

    if await call.read(read) > MOST_ROWS:
        raise BadRequest(f"There are more than {MOST_ROWS:,} links: ask GET /links/export/{given.format} for them")
    content = b"".join([piece async for piece in exports.pieces(call, organization_id, given.format)])
    return LinkExportAnswer(exports.TYPES[given.format], content.decode())
