"""What procedures of links take (wire 7.1 and 7.2). What is not given in an update stays; null empties a field."""

from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.errors import BadRequest, Detail
from analytics_box.links.editing.draft import Wanted
from analytics_box.links.link import LONGEST_TAG, MOST_TAGS, RedirectStatus, Utm
from analytics_box.links.messages import Id, Short, Text, Url
from analytics_box.links.targeting.query_strings import Forwarding
from analytics_box.links.targeting.rules import MOST_RULES, MOST_VARIANTS, TargetRule, Variant

Name = Annotated[str, Meta(min_length=1, max_length=255)]
Slug = Annotated[str, Meta(max_length=200)]
Clicks = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Password = Annotated[str, Meta(min_length=4, max_length=128)]
Tags = Annotated[tuple[Annotated[str, Meta(max_length=LONGEST_TAG)], ...], Meta(max_length=MOST_TAGS)]
Rules = Annotated[tuple[TargetRule, ...], Meta(max_length=MOST_RULES)]
Variants = Annotated[tuple[Variant, ...], Meta(max_length=MOST_VARIANTS)]


class Fields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a link that its maker may leave out. `domain` is empty for the box's own host."""

    slug: Slug | UnsetType | None = UNSET
    domain: Text | UnsetType = UNSET
    folderId: Id | UnsetType | None = UNSET
    expiresAt: datetime | UnsetType | None = UNSET
    expiredRedirectUrl: Url | UnsetType | None = UNSET
    maxClicks: Clicks | UnsetType | None = UNSET
    password: Password | UnsetType | None = UNSET
    ogTitle: Annotated[str, Meta(max_length=200)] | UnsetType | None = UNSET
    ogDescription: Annotated[str, Meta(max_length=500)] | UnsetType | None = UNSET
    ogImageUrl: Url | UnsetType | None = UNSET
    ogVideoUrl: Url | UnsetType | None = UNSET
    iosUrl: Url | UnsetType | None = UNSET
    androidUrl: Url | UnsetType | None = UNSET
    deepLinkApp: Short | UnsetType | None = UNSET
    externalId: Text | UnsetType | None = UNSET
    sourceType: Short | UnsetType | None = UNSET
    sourceId: Text | UnsetType | None = UNSET
    sourceOwnerId: Text | UnsetType | None = UNSET
    targetDomain: Text | UnsetType | None = UNSET
    redirectStatus: RedirectStatus | UnsetType = UNSET
    queryForwarding: Forwarding | UnsetType = UNSET
    rules: Rules | UnsetType = UNSET
    variants: Variants | UnsetType = UNSET
    utm: Utm | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET


class NewLink(Fields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.create."""

    name: Name
    targetUrl: Url
    organizationId: Id | None = None


class ChangedLink(Fields, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.update."""

    id: Id
    name: Name | UnsetType = UNSET
    targetUrl: Url | UnsetType = UNSET
    organizationId: Id | None = None


class UpsertedLink(NewLink, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Input of links.upsert: the link with this externalId."""

    externalId: Id


_NAMES = {
    "name": "name",
    "targetUrl": "target_url",
    "slug": "slug",
    "domain": "domain",
    "folderId": "folder_id",
    "expiredRedirectUrl": "expired_url",
    "maxClicks": "max_clicks",
    "ogTitle": "og_title",
    "ogDescription": "og_description",
    "ogImageUrl": "og_image_url",
    "ogVideoUrl": "og_video_url",
    "iosUrl": "ios_url",
    "androidUrl": "android_url",
    "deepLinkApp": "deep_link_app",
    "externalId": "external_id",
    "sourceType": "source_type",
    "sourceId": "source_id",
    "sourceOwnerId": "source_owner_id",
    "targetDomain": "target_domain",
    "redirectStatus": "redirect_status",
    "queryForwarding": "query_forwarding",
    "rules": "rules",
    "variants": "variants",
    "utm": "utm",
    "tags": "tags",
}


_YEARS = range(1970, 10_000)


def wanted(given: NewLink | ChangedLink, *, password: str | UnsetType | None) -> Wanted:
    """What a message wants a link to be; the hash of the password comes from who made it."""
    found: dict[str, Any] = {
        ours: value
        for name, ours in _NAMES.items()
        if (value := getattr(given, name)) is not UNSET and not (name == "slug" and value is None)
    }
    if given.expiresAt is not UNSET:
        found["expires_at"] = instant_of(given.expiresAt)
    return Wanted(**found, password=password)


def instant_of(given: datetime | UnsetType | None) -> int | None:
    """A date as UTC ms; one without a zone is UTC. Raises BadRequest for a year that no calendar shows again."""
    if given is None or isinstance(given, UnsetType):
        return None
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    if not _YEARS.start < aware.year < _YEARS.stop - 1:  # its zone may move it into the next
        message = f"The year must lie between {_YEARS.start} and {_YEARS.stop - 1}"
        raise BadRequest(message, details=(Detail("expiresAt", message),))
    return round(aware.timestamp() * 1000)
