"""All links as a file that can be imported again: CSV or JSON."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET

from analytics_box.http.call import Call
from analytics_box.links import cells, folder_rows, list_rows, targets
from analytics_box.links.click_rows import Total
from analytics_box.links.list_rows import Wish
from analytics_box.links.parts import Links
from analytics_box.links.rules import Link
from analytics_box.links.shown import short_url
from analytics_box.query import sheets
from analytics_box.settings import Settings
from analytics_box.tenancy.messages import date

Form = Literal["csv", "json"]
TYPES: Final = {"csv": "text/csv", "json": "application/json"}
_AT_ONCE: Final = 1_000  # links in a piece
# The columns of a sheet, in their order. Those in BESIDE are for people: an import passes over them.
COLUMNS: Final = (
    *("name", "targetUrl", "targetDomain", "domain", "slug", "shortUrl", "folder", "tags", "externalId", "expiresAt"),
    *("expiredRedirectUrl", "maxClicks", "redirectStatus", "queryForwarding"),
    *("utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"),
    *("ogTitle", "ogDescription", "ogImageUrl", "ogVideoUrl", "iosUrl", "androidUrl", "deepLinkApp"),
    *("sourceType", "sourceId", "sourceOwnerId", "rules", "variants", "protected", "clicks", "createdAt", "id"),
)
BESIDE: Final = frozenset(("shortUrl", "protected", "clicks", "createdAt", "id"))
UTM: Final = {
    "utmSource": "source",
    "utmMedium": "medium",
    "utmCampaign": "campaign",
    "utmTerm": "term",
    "utmContent": "content",
}


async def pieces(call: Call, organization_id: str, form: Form, *, folder_id: str | None = None) -> AsyncIterator[bytes]:
    """The links of an organization, or of one of its folders, oldest first, piece by piece; passwords are not in it."""
    folders = {one.id: one.name for one in await call.read(lambda db: folder_rows.of(db, organization_id))}
    yield sheets.lines(COLUMNS, []).encode() if form == "csv" else b"["
    after, first = 0, True
    while True:
        wish = Wish(organization_id, folder_id=folder_id or UNSET, sort="oldest", after=after, limit=_AT_ONCE)
        links = await call.read(partial(list_rows.links, wish=wish))
        if links:
            totals = await call.parts[Links].totals([link.number for link in links])
            yield await asyncio.to_thread(_piece, links, folders, totals, call.parts.settings, form, first=first)
            after, first = links[-1].number, False
        if len(links) < _AT_ONCE:
            break
    if form == "json":
        yield b"\n]\n"


def _piece(
    links: list[Link],
    folders: Mapping[str, str],
    totals: Mapping[int, Total],
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


def record(link: Link, folder: str | None, clicks: int, settings: Settings) -> dict[str, Any]:
    """A link with the fields of COLUMNS."""
    found: dict[str, Any] = {
        "name": link.name,
        "targetUrl": link.target_url,
        "targetDomain": link.target_domain if link.target_domain != targets.host_of(link.target_url) else None,
        "domain": link.domain,
        "slug": link.slug,
        "shortUrl": short_url(link, settings),
        "folder": folder,
        "tags": list(link.tags),
        "externalId": link.external_id,
        "expiresAt": date(link.expires_at).isoformat() if link.expires_at is not None else None,
        "expiredRedirectUrl": link.expired_url,
        "maxClicks": link.max_clicks,
        "redirectStatus": link.redirect_status,
        "queryForwarding": link.query_forwarding,
        **{column: getattr(link.utm, name) or None for column, name in UTM.items()},
        "ogTitle": link.og_title,
        "ogDescription": link.og_description,
        "ogImageUrl": link.og_image_url,
        "ogVideoUrl": link.og_video_url,
        "iosUrl": link.ios_url,
        "androidUrl": link.android_url,
        "deepLinkApp": link.deep_link_app,
        "sourceType": link.source_type,
        "sourceId": link.source_id,
        "sourceOwnerId": link.source_owner_id,
        "rules": msgspec.to_builtins(link.rules),
        "variants": msgspec.to_builtins(link.variants),
        "protected": link.password is not None,
        "clicks": clicks,
        "createdAt": date(link.created_at).isoformat(),
        "id": link.id,
    }
    return found


def _cells(found: dict[str, Any]) -> dict[str, Any]:
    """As cells that links.cells reads again; rules and variants are JSON."""
    lists = {name: msgspec.json.encode(found[name]).decode() if found[name] else "" for name in ("rules", "variants")}
    texts = found | lists | {"tags": cells.joined(found["tags"])}
    return {name: cells.quoted(value) if isinstance(value, str) else value for name, value in texts.items()}
