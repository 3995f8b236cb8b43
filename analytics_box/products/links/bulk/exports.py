"""All links as a file that can be imported again, CSV or JSON, and `links.export` over RPC."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.links import rows
from analytics_box.products.links.bulk import cells
from analytics_box.products.links.bulk.cells import MOST_ROWS
from analytics_box.products.links.clicks.rows import ClickTotal
from analytics_box.products.links.clicks.waiting import Clicks
from analytics_box.products.links.folders.change import names as folder_names
from analytics_box.products.links.link import Fields, ShortLink, Utm
from analytics_box.products.links.messages import Id
from analytics_box.products.links.rows import LinkSelection
from analytics_box.products.links.slugs import short_url
from analytics_box.products.links.targeting import policy as targets
from analytics_box.query import sheets
from analytics_box.resource.fields import record_of
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.web.call import Call

Form = Literal["csv", "json"]
TYPES: Final = {"csv": "text/csv", "json": "application/json"}
_PIECE: Final = 1_000
UTM: Final = {f"utm{name.capitalize()}": name for name in Utm.__struct_fields__}
_OF_ITSELF: Final = ("id", "organizationId", "createdBy")
_BESIDES: Final = {  # what is in the place of a field
    "folderId": ("shortUrl", "folder"),
    "expiredRedirectUrl": ("expiresAt", "expiredRedirectUrl"),
    "utm": tuple(UTM),
}
# The columns of a sheet, in their order. Those in BESIDE are for people: an import passes over them.
COLUMNS: Final = (
    *(
        column
        for wire in Fields.__struct_encode_fields__
        if wire not in _OF_ITSELF
        for column in _BESIDES.get(wire, (wire,))
    ),
    *("protected", "clicks", "createdAt", "id"),
)
BESIDE: Final = frozenset(("shortUrl", "protected", "clicks", "createdAt", "id"))


async def pieces(call: Call, organization_id: str, form: Form, *, folder_id: str | None = None) -> AsyncIterator[bytes]:
    """The links of an organization, or of one of its folders, oldest first, piece by piece; passwords are not in it."""
    after: int | None = 0
    while after is not None:
        found, after = await piece(call, organization_id, form, after=after, folder_id=folder_id)
        yield found


async def piece(
    call: Call, organization_id: str, form: Form, *, after: int, folder_id: str | None = None
) -> tuple[bytes, int | None]:
    """The piece of such a file that begins after the link with this number, 0 for the first; where the next one begins,
    None with the last."""
    folders = await call.read(lambda db: folder_names(db, organization_id))
    selection = LinkSelection(organization_id, folder_id=folder_id or UNSET, sort="oldest", after=after, limit=_PIECE)
    links = await call.read(partial(rows.links, selection=selection))
    content, first = b"", not after
    if first:
        content = sheets.lines(COLUMNS, []).encode() if form == "csv" else b"["
    if links:
        totals = await call.parts[Clicks].totals([link.number for link in links])
        content += await asyncio.to_thread(_piece, links, folders, totals, call.parts.settings, form, first=first)
    is_last = len(links) < _PIECE
    if is_last and form == "json":
        content += b"\n]\n"
    return content, None if is_last else links[-1].number


def _piece(
    links: list[ShortLink],
    folders: Mapping[str, str],
    totals: Mapping[int, ClickTotal],
    settings: Settings,
    form: Form,
    *,
    first: bool,
) -> bytes:
    records = [
        record(
            link,
            folders.get(link.folder_id or ""),
            totals[link.number].clicks if link.number in totals else 0,
            settings,
        )
        for link in links
    ]
    if form == "csv":
        return sheets.lines(COLUMNS, [_cells(one) for one in records], heading=False).encode()
    lines = b",\n".join(msgspec.json.encode(one) for one in records)
    return (b"\n" if first else b",\n") + lines


def record(link: ShortLink, folder: str | None, clicks: int, settings: Settings) -> dict[str, Any]:
    """A link with the fields of COLUMNS."""
    found = record_of(link) | {column: getattr(link.utm, name) or None for column, name in UTM.items()}
    found |= {
        "targetDomain": link.target_domain if link.target_domain != targets.host_of(link.target_url) else None,
        "shortUrl": short_url(link.domain, link.slug, settings),
        "folder": folder,
        "protected": link.password is not None,
        "clicks": clicks,
    }
    return {column: found[column] for column in COLUMNS}


def _cells(found: dict[str, Any]) -> dict[str, Any]:
    """The link as cells that links.cells reads again; rules and variants are JSON."""
    lists = {name: msgspec.json.encode(found[name]).decode() if found[name] else "" for name in ("rules", "variants")}
    texts = found | lists | {"tags": cells.join_tags(found["tags"])}
    return {name: cells.quote_cell(value) if isinstance(value, str) else value for name, value in texts.items()}


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
    content, following = await piece(
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
        return rows.count(db, LinkSelection(organization_id))

    if await call.read(read) > MOST_ROWS:
        raise BadRequest(
            _("There are more than {most:,} links. Use GET /links/export/{value} instead").format(
                most=MOST_ROWS, value=given.format
            )
        )
    content = b"".join([piece async for piece in pieces(call, organization_id, given.format)])
    return LinkExportAnswer(TYPES[given.format], content.decode())
