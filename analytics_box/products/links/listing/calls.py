"""Lists of links over RPC (wire 7.1). Scope: read:links."""

from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box.base.store.db import Connection
from analytics_box.products.links import rows
from analytics_box.products.links.editing.calls import LinkShown, with_clicks
from analytics_box.products.links.link import ShortLink
from analytics_box.products.links.listing import ranked
from analytics_box.products.links.listing.ranked import Ranking
from analytics_box.products.links.messages import LinkOrganizationInput
from analytics_box.products.links.rows import LinkFilters, LinkSelection, Order
from analytics_box.resource.reach import Reach, acting, check
from analytics_box.tenants.tenancy.messages import Text
from analytics_box.web.call import Call

Sort = Order | Ranking
LinkType = Literal["all", "short", "deep"]


class LinkList(LinkFilters, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.list. `folderId` null means links in no folder; `domain` empty those on the box's own host.

    Beyond the wire every list can be sorted, also by clicks or by the last click.
    """

    sort: Sort = "newest"


class LinkPage(LinkList, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.paginated."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 50
    offset: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    search: Text | None = None
    type: LinkType = "all"


class LinkPageAnswer(Struct, frozen=True):
    """Output of links.paginated."""

    items: list[LinkShown]
    hasMore: bool


class LinkTagAnswer(Struct, frozen=True):
    """A tag, and how many links have it."""

    tag: str
    links: int


async def list_tags(call: Call, given: LinkOrganizationInput) -> list[LinkTagAnswer]:
    """links.listTags: list tags by name. Raises Forbidden."""
    organization_id, by = acting(call, given.organizationId)

    def read(db: Connection) -> list[tuple[str, int]]:
        check(db, Reach(organization_id, by), "viewer")
        return rows.tags(db, organization_id)

    return [LinkTagAnswer(*one) for one in await call.read(read)]


MOST_LISTED = 1_000  # wire 7.1


async def list_links(call: Call, given: LinkList) -> list[LinkShown]:
    """links.list: list the first 1,000 matching links, newest first by default. Raises Forbidden."""
    return await with_clicks(call, await _fitting(call, given))


async def list_page(call: Call, given: LinkPage) -> LinkPageAnswer:
    """links.paginated: list a page of matching links. Raises Forbidden."""
    fitting = await _fitting(call, given)
    return LinkPageAnswer(await with_clicks(call, fitting[: given.limit]), hasMore=len(fitting) > given.limit)


async def visible_links(call: Call, organization_id: str | None, selection: LinkSelection) -> list[ShortLink]:
    """The links that someone may see. Raises Forbidden."""
    own, by = acting(call, organization_id)

    def read(db: Connection) -> list[ShortLink]:
        check(db, Reach(own, by), "viewer")
        return rows.links(db, selection)

    return await call.read(read)


async def _fitting(call: Call, given: LinkList) -> list[ShortLink]:
    """The links that a message asks for, in its order. Raises Forbidden."""
    selection = _selection(call, given)
    match given.sort:
        case "clicks" | "last-click" as ranking:
            return await _rank_by_clicks(call, selection, ranking)
        case order:
            return await visible_links(call, given.organization_id, replace(selection, sort=order))


async def _rank_by_clicks(call: Call, selection: LinkSelection, ranking: Ranking) -> list[ShortLink]:
    """The links that someone may see by their clicks. Raises Forbidden."""
    _, by = acting(call, selection.organization_id)
    await call.read(lambda db: check(db, Reach(selection.organization_id, by), "viewer"))
    numbers = await ranked.numbers(call, selection, ranking)
    return await call.read(lambda db: rows.in_order(db, numbers))


def _selection(call: Call, given: LinkList) -> LinkSelection:
    organization_id, _ = acting(call, given.organization_id)
    filters = {name: getattr(given, name) for name in LinkFilters.__struct_fields__}
    own = {"organization_id": organization_id, "among": call.identity.resources}
    selection = LinkSelection(**filters | own, limit=MOST_LISTED)
    if not isinstance(given, LinkPage):
        return selection
    return replace(
        selection,
        limit=given.limit + 1,
        offset=given.offset,
        search=given.search,
        deep=None if given.type == "all" else given.type == "deep",
    )
