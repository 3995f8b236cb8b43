"""A share link of a website: its fields, declared once, and the input and output of its procedures."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta, Struct

from analytics_box.base import names
from analytics_box.base.errors import BadRequest
from analytics_box.base.translation import _
from analytics_box.query.request import QueryFilterInput
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.fields import Field, Instant, Stamp, input_of
from analytics_box.tenants.tenancy.messages import Text

MOST_SHARES: Final = 50


def _name(given: str) -> str:
    name = names.one_line(given)
    if not names.is_name(name):
        raise BadRequest(_("Enter a name of 1 to {most} characters").format(most=names.LONGEST))
    return name


class ShareLink(Struct, frozen=True, rename="camel"):
    """A share link of a website. Times are UTC ms.

    Its `slug` is the secret. Visitors see totals, pages, sources, places and devices of what its `filters` let through,
    in its time zone, until it expires or is deleted. Its `password` is a hash.
    """

    id: str
    website_id: str
    slug: str
    name: Annotated[str, Meta(max_length=names.LONGEST), Field(clean=_name)]
    expires_at: Instant | None
    password: Annotated[str, Meta(min_length=4, max_length=128), Field(secret=True)] | None
    filters: tuple[QueryFilterInput, ...]
    time_zone: str
    created_by: str
    created_at: Stamp
    updated_at: Stamp


SHARES: Final = AuditedTable(
    "shares", ShareLink, "share", "share", about=lambda share: {"name": share.name, "websiteId": share.website_id}
)


class ListShares(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of shares.list."""

    websiteId: Text


class OneShare(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of shares.delete."""

    id: Text


@input_of(ShareLink, needed=("name",))
class NewShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of shares.create. With `segmentId` the link shows only what the filters of this segment let through now;
    later changes of the segment do not change the link."""

    websiteId: Text
    segmentId: Text | None = None


@input_of(ShareLink)
class ChangedShare(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of shares.update; omitted fields keep their values. An expired link works again with a later time."""

    id: Text


class ShareShown(Struct, frozen=True):
    """A share link. `url` is its address, which is the secret of the link."""

    id: str
    websiteId: str
    name: str
    url: str
    expiresAt: datetime | None
    hasPassword: bool
    isFiltered: bool
    createdAt: datetime
    updatedAt: datetime
