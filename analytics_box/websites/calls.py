"""Websites over RPC (wire 10.3). Scopes: read:data to read, manage:websites to change."""

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from analytics_box import audit, errors
from analytics_box.http.call import Call
from analytics_box.store.db import Connection
from analytics_box.websites import rows, rules
from analytics_box.websites.create import create as create_website
from analytics_box.websites.rules import Website

Text = Annotated[str, Meta(max_length=255)]


class OfOrganization(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that may name an organization; else it is the caller's."""

    organizationId: Text | None = None


class ById(Struct, frozen=True, forbid_unknown_fields=True):
    id: Text


class ByWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    websiteId: Text


class NewWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.create."""

    name: Text
    domain: Text
    organizationId: Text | None = None


class ChangedWebsite(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.update; what is not given stays."""

    id: Text
    name: Text | None = None
    domain: Text | None = None


class Publicity(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.togglePublic."""

    id: Text
    isPublic: bool


class WebsiteShown(Struct, frozen=True):
    """A website as procedures answer with it; dates are ISO text."""

    id: str
    name: str
    domain: str
    status: str
    isPublic: bool
    organizationId: str
    createdAt: str


class Success(Struct, frozen=True):
    success: bool = True


class TrackingState(Struct, frozen=True):
    """Output of websites.isTrackingSetup."""

    tracking_setup: bool
    integration_type: str | None
    has_events: bool
    recent_events: bool
    status_message: str
    tracking_issue: str | None


async def list_websites(call: Call, given: OfOrganization) -> list[WebsiteShown]:
    """websites.list: the organization's websites that the caller may read, oldest first."""
    key = call.identity.key
    found = call.parts.websites.of(call.organization(given.organizationId))
    return [shown(website) for website in found if key is None or key.reaches(website.id)]


async def get_by_id(call: Call, given: ById) -> WebsiteShown:
    """websites.getById. Raises NotFound."""
    return shown(own(call, given.id))


async def create(call: Call, given: NewWebsite) -> WebsiteShown:
    """websites.create. Raises BadRequest, or Conflict for a domain that is measured already."""
    organization_id = call.organization(given.organizationId)
    refuse_restricted(call)
    website = await call.write(
        lambda db: create_website(
            db,
            organization_id=organization_id,
            name=given.name,
            domain=given.domain,
            actor=call.actor,
            now=call.now,
        )
    )
    call.parts.websites.remember(website)
    return shown(website)


async def update(call: Call, given: ChangedWebsite) -> WebsiteShown:
    """websites.update: another name or domain. Raises NotFound, BadRequest or Conflict."""
    website = own(call, given.id)
    changed = replace(
        website,
        name=website.name if given.name is None else rules.clean_name(given.name),
        domain=website.domain if given.domain is None else rules.clean_domain(given.domain),
    )
    return await _store(call, website, changed)


async def toggle_public(call: Call, given: Publicity) -> WebsiteShown:
    """websites.togglePublic: whether anybody may run public query types on it. Raises NotFound."""
    website = own(call, given.id)
    return await _store(call, website, replace(website, is_public=given.isPublic))


async def delete(call: Call, given: ById) -> Success:
    """websites.delete: it takes no events and answers no questions from now on. Raises NotFound."""
    website = own(call, given.id)

    def write(db: Connection) -> None:
        rows.delete(db, website.id, call.now)
        _record(db, call, website, "deleted", {"domain": website.domain})

    await call.write(write)
    call.parts.websites.forget(website.id)
    return Success()


async def is_tracking_setup(call: Call, given: ByWebsite) -> TrackingState:
    """websites.isTrackingSetup: whether events arrive. Raises NotFound."""
    website = own(call, given.websiteId)
    begun = website.site in await call.parts.presence.begun((website.site,))
    recent = (await call.parts.presence.online((website.site,), call.now))[website.site] > 0
    return TrackingState(
        tracking_setup=begun,
        integration_type="script" if begun else None,
        has_events=begun,
        recent_events=recent,
        status_message="Events arrive" if begun else "No event has arrived yet",
        tracking_issue=None if begun else "Paste the snippet into your pages",
    )


def own(call: Call, website_id: str) -> Website:
    """The caller's website with this id. Raises NotFound for an unknown one and for somebody else's."""
    website = call.parts.websites.find(website_id)
    key = call.identity.key
    if (
        website is None
        or website.organization_id != call.organization()
        or (key is not None and not key.reaches(website.id))
    ):
        raise errors.NotFound("There is no website with this id")
    return website


def refuse_restricted(call: Call) -> None:
    """Raises Forbidden for a key of single websites, which cannot act for its organization."""
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden("This needs a key with global access")


def shown(website: Website) -> WebsiteShown:
    """A website for an answer."""
    return WebsiteShown(
        id=website.id,
        name=website.name,
        domain=website.domain,
        status=website.status,
        isPublic=website.is_public,
        organizationId=website.organization_id,
        createdAt=iso(website.created_at),
    )


def iso(instant: int) -> str:
    """An instant as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(instant / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def _store(call: Call, before: Website, after: Website) -> WebsiteShown:
    changes = {
        name: getattr(after, name)
        for name in ("name", "domain", "is_public")
        if getattr(after, name) != getattr(before, name)
    }

    def write(db: Connection) -> None:
        rows.update(db, after, call.now)
        _record(db, call, after, "updated", changes)

    await call.write(write)
    call.parts.websites.remember(after)
    return shown(after)


def _record(db: Connection, call: Call, website: Website, action: audit.Action, detail: dict[str, object]) -> None:
    audit.record(
        db,
        now=call.now,
        organization_id=website.organization_id,
        actor=call.actor,
        action=action,
        subject="website",
        subject_id=website.id,
        detail=detail,
    )
