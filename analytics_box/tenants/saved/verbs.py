"""Operations of a caller on saved items, and their hits in the palette: each finds the website and checks access."""

from collections.abc import Callable, Sequence

from msgspec import UNSET, UnsetType

from analytics_box.tenants.saved import change
from analytics_box.tenants.saved.kept import Content, SavedItem, SavedKind
from analytics_box.tenants.websites.findable import owned_hits
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.tenants.websites.rules import Website
from analytics_box.web.call import Call
from analytics_box.web.palette.hit import PaletteHit, PaletteSearch


async def visible(call: Call, kind: SavedKind[Content], website: Website) -> list[SavedItem[Content]]:
    """The items of a website that the caller can see, by name."""
    return await call.read(lambda db: change.of_website(db, kind, website.id, call.by.user_id or ""))


async def find_visible(call: Call, kind: SavedKind[Content], kept_id: str) -> tuple[Website, SavedItem[Content]]:
    """The item with its website, if the caller can see it. Raises NotFound."""
    website, found = await own_row(call, change.items(kind).find, kind.noun, kept_id)
    if not found.is_seen_by(call.by.user_id or ""):
        raise change.unknown(kind, kept_id)
    return website, found


async def create(
    call: Call, kind: SavedKind[Content], website_id: str, name: str, content: Content, *, is_shared: bool
) -> SavedItem[Content]:
    """Save a new item. Raises NotFound, BadRequest or Conflict."""
    website = own(call, website_id)
    return await call.parts.box_db.write(
        lambda db: change.create(db, kind, website, call.by, name, content, is_shared=is_shared), adds=True
    )


async def update(
    call: Call,
    kind: SavedKind[Content],
    kept_id: str,
    *,
    name: str | UnsetType = UNSET,
    content: Content | UnsetType = UNSET,
    is_shared: bool | UnsetType = UNSET,
) -> SavedItem[Content]:
    """Update an item; omitted fields keep their values. Raises NotFound, BadRequest or Conflict."""
    website, _ = await find_visible(call, kind, kept_id)
    return await call.write(
        lambda db: change.update(db, kind, website, call.by, kept_id, name=name, content=content, is_shared=is_shared)
    )


async def delete(call: Call, kind: SavedKind[Content], kept_id: str) -> None:
    """Delete an item. Raises NotFound."""
    website, _ = await find_visible(call, kind, kept_id)
    await call.write(lambda db: change.delete(db, kind, website, call.by, kept_id))


async def saved_hits(
    call: Call, asked: PaletteSearch, kind: SavedKind[Content], icon: str, address: Callable[[SavedItem[Content]], str]
) -> Sequence[PaletteHit]:
    """The caller's own and shared ones by name, the latest changed first; each leads to its `address`."""
    seen = "kept.is_shared or (kept.user_id <> '' and kept.user_id = :user_id)"
    return await owned_hits(call, asked, change.items(kind), kind.noun, icon, address, seen)
