"""Links as procedures answer with them (wire 7.2). Pure."""

from datetime import datetime

from msgspec import Struct

from analytics_box.links.clicks.rows import Total
from analytics_box.links.link import Link, RedirectStatus, Utm
from analytics_box.links.messages import date
from analytics_box.links.short_url import short_url
from analytics_box.links.targeting.query_strings import Forwarding
from analytics_box.links.targeting.rules import TargetRule, Variant
from analytics_box.settings import Settings


class LinkShown(Struct, frozen=True, kw_only=True):
    """A link. `clicks` are those of people so far; `deletedAt` is always null, for deleted links are gone."""

    id: str
    organizationId: str
    createdBy: str
    createdAt: datetime
    updatedAt: datetime
    deletedAt: None = None
    name: str
    targetUrl: str
    slug: str
    domain: str
    shortUrl: str
    folderId: str | None
    expiresAt: datetime | None
    expiredRedirectUrl: str | None
    maxClicks: int | None
    hasPassword: bool
    ogTitle: str | None
    ogDescription: str | None
    ogImageUrl: str | None
    ogVideoUrl: str | None
    iosUrl: str | None
    androidUrl: str | None
    deepLinkApp: str | None
    externalId: str | None
    sourceType: str | None
    sourceId: str | None
    sourceOwnerId: str | None
    targetDomain: str
    redirectStatus: RedirectStatus
    queryForwarding: Forwarding
    rules: tuple[TargetRule, ...]
    variants: tuple[Variant, ...]
    utm: Utm
    tags: tuple[str, ...]
    clicks: int
    lastClickedAt: datetime | None


def shown(link: Link, settings: Settings, total: Total | None = None) -> LinkShown:
    """A link for an answer."""
    return LinkShown(
        id=link.id,
        organizationId=link.organization_id,
        createdBy=link.created_by,
        createdAt=date(link.created_at),
        updatedAt=date(link.updated_at),
        name=link.name,
        targetUrl=link.target_url,
        slug=link.slug,
        domain=link.domain,
        shortUrl=short_url(link.domain, link.slug, settings),
        folderId=link.folder_id,
        expiresAt=date(link.expires_at) if link.expires_at is not None else None,
        expiredRedirectUrl=link.expired_url,
        maxClicks=link.max_clicks,
        hasPassword=link.password is not None,
        ogTitle=link.og_title,
        ogDescription=link.og_description,
        ogImageUrl=link.og_image_url,
        ogVideoUrl=link.og_video_url,
        iosUrl=link.ios_url,
        androidUrl=link.android_url,
        deepLinkApp=link.deep_link_app,
        externalId=link.external_id,
        sourceType=link.source_type,
        sourceId=link.source_id,
        sourceOwnerId=link.source_owner_id,
        targetDomain=link.target_domain,
        redirectStatus=link.redirect_status,
        queryForwarding=link.query_forwarding,
        rules=link.rules,
        variants=link.variants,
        utm=link.utm,
        tags=link.tags,
        clicks=total.clicks if total is not None else 0,
        lastClickedAt=date(total.last) if total is not None else None,
    )
