"""Links as procedures answer with them (wire 7.2)."""

from datetime import datetime

from msgspec import Struct

from analytics_box.links.click_rows import Total
from analytics_box.links.domain_rows import LinkDomain
from analytics_box.links.folder_rows import Folder
from analytics_box.links.rules import Forwarding, Link, RedirectStatus, TargetRule, Utm, Variant
from analytics_box.links.targets import PREFIX
from analytics_box.settings import Settings
from analytics_box.tenancy.messages import date


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


class PageShown(Struct, frozen=True):
    """Output of links.paginated."""

    items: list[LinkShown]
    hasMore: bool


class FolderShown(Struct, frozen=True):
    """A folder."""

    id: str
    organizationId: str
    name: str
    slug: str
    createdAt: datetime
    updatedAt: datetime


class DomainShown(Struct, frozen=True):
    """A domain of short links: where it leads itself, and where unknown slugs do; null is a page of the box."""

    domain: str
    organizationId: str
    homeUrl: str | None
    notFoundUrl: str | None
    createdAt: datetime


def short_url(link: Link, settings: Settings) -> str:
    """The whole short address."""
    return address(link.domain, link.slug, settings)


def address(domain: str, slug: str, settings: Settings) -> str:
    """The whole short address of a slug. On the box's own host links stand below a prefix."""
    if not domain:
        return f"{settings.public_url}{PREFIX}{slug}"
    return f"{'https' if settings.secure else 'http'}://{domain}/{slug}"


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
        shortUrl=short_url(link, settings),
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


def folder_shown(folder: Folder) -> FolderShown:
    """A folder for an answer."""
    return FolderShown(
        folder.id, folder.organization_id, folder.name, folder.slug, date(folder.created_at), date(folder.updated_at)
    )


def domain_shown(one: LinkDomain) -> DomainShown:
    """A domain for an answer."""
    return DomainShown(one.domain, one.organization_id, one.home_url, one.missing_url, date(one.created_at))
