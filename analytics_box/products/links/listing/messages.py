"""Input and output of link lists (wire 7.1)."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from analytics_box.products.links.editing.shown import LinkShown
from analytics_box.products.links.list_rows import LinkFilters, Order
from analytics_box.products.links.listing.ranked_rows import Ranking
from analytics_box.tenants.tenancy.messages import Text

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
