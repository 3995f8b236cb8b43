"""Input of link procedures, and the links that they answer with (wire 7.1 and 7.2)."""

from datetime import datetime

from msgspec import Struct

from analytics_box.base.settings import Settings
from analytics_box.products.links.clicks.rows import ClickTotal
from analytics_box.products.links.link import Fields, ShortLink
from analytics_box.products.links.messages import Id
from analytics_box.products.links.short_url import short_url
from analytics_box.resource.fields import answer_of, date, input_of


@input_of(ShortLink, needed=("name", "target_url"))
class NewLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.create. `domain` is empty for the box's own host."""

    organization_id: Id | None = None


@input_of(ShortLink)
class ChangedLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """Input of links.update. What is not given stays; null empties a field."""

    id: Id
    organization_id: Id | None = None


class UpsertedLink(NewLink, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.upsert: the link with this externalId."""

    external_id: Id


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
    return answer_of(
        LinkShown,
        link,
        short_url=short_url(link.domain, link.slug, settings),
        has_password=link.password is not None,
        clicks=total.clicks if total is not None else 0,
        last_clicked_at=date(total.last) if total is not None else None,
    )
