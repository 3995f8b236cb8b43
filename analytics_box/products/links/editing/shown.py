"""Links as procedures answer with them (wire 7.2)."""

from datetime import datetime

from analytics_box.base.settings import Settings
from analytics_box.products.links.clicks.rows import ClickTotal
from analytics_box.products.links.link import Fields, ShortLink
from analytics_box.products.links.short_url import short_url
from analytics_box.tenants.tenancy.messages import date


class LinkShown(Fields, frozen=True, kw_only=True):
    """A link. `clicks` are those of people so far; `deletedAt` is always null, because deleted links are gone."""

    created_at: datetime
    updated_at: datetime
    deleted_at: None = None
    short_url: str
    expires_at: datetime | None
    has_password: bool
    clicks: int
    last_clicked_at: datetime | None


def link_answer(link: ShortLink, settings: Settings, total: ClickTotal | None = None) -> LinkShown:
    """A link for an answer."""
    return LinkShown(
        **{name: getattr(link, name) for name in Fields.__struct_fields__},
        created_at=date(link.created_at),
        updated_at=date(link.updated_at),
        short_url=short_url(link.domain, link.slug, settings),
        expires_at=date(link.expires_at) if link.expires_at is not None else None,
        has_password=link.password is not None,
        clicks=total.clicks if total is not None else 0,
        last_clicked_at=date(total.last) if total is not None else None,
    )
