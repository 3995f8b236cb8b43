"""Websites over RPC (wire 10.3). Scopes: read:data to read, manage:websites to change."""

import asyncio
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box import errors
from analytics_box.clock import DAY
from analytics_box.http.call import Call
from analytics_box.query import ranges
from analytics_box.store.db import Connection
from analytics_box.websites import change
from analytics_box.websites.asking import Asking, Unanswered, ask_week
from analytics_box.websites.change import By
from analytics_box.websites.create import create as create_website
from analytics_box.websites.mini_chart import MiniChart, mini_chart
from analytics_box.websites.rules import Website
from analytics_box.websites.shown import PublicWebsite, WebsiteShown, reduced, shown
from analytics_box.websites.tracking import GivenTracking

CHARTS_AT_ONCE = 4
UNKNOWN = "There is no website with this id"

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


class ChangedSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.updateSettings; a setting that is not given stays."""

    id: Text
    settings: GivenTracking


class Transfer(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of websites.transfer and websites.transferToOrganization."""

    websiteId: Text
    organizationId: Text


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


class WithCharts(Struct, frozen=True):
    """Output of websites.listWithCharts: charts and current visitors by website id."""

    websites: list[WebsiteShown]
    chartData: dict[str, MiniChart]
    activeUsers: dict[str, int]


# Reading


async def list_websites(call: Call, given: OfOrganization) -> list[WebsiteShown]:
    """websites.list: the organization's websites that the caller may read, oldest first."""
    return [shown(website, call.now) for website in _readable(call, given)]


async def list_with_charts(call: Call, given: OfOrganization) -> WithCharts:
    """websites.listWithCharts: the same with the page views of the last seven days and who is there now."""
    found = _readable(call, given)
    sites = tuple(website.site for website in found)
    online = await call.parts.presence.online(sites, call.now)
    begun = await call.parts.presence.begun(sites)
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    days = ranges.of_preset("last_7d", call.now, zone)
    slots = asyncio.Semaphore(CHARTS_AT_ONCE)

    async def chart(website: Website) -> MiniChart:
        async with slots:
            totals, per_day = await ask_week(Asking(call.parts.queries, website.site, days, zone, call.now))
        return mini_chart(website.id, totals.pageviews, per_day, has_data=website.site in begun)

    try:
        charts = await asyncio.gather(*(chart(website) for website in found))
    except Unanswered as failed:
        raise errors.Unavailable("The charts could not be computed in time; ask again in a moment") from failed
    return WithCharts(
        websites=[shown(website, call.now) for website in found],
        chartData={chart.id: chart for chart in charts},
        activeUsers={website.id: online[website.site] for website in found},
    )


async def get_by_id(call: Call, given: ById) -> WebsiteShown | PublicWebsite:
    """websites.getById: the row for those who may read it, the reduced row of a public one for everybody else.

    Raises AuthRequired for strangers, else NotFound.
    """
    website = call.parts.websites.find(given.id)
    if website is not None and _is_own(call, website):
        return shown(website, call.now)
    if website is not None and website.is_public:
        return reduced(website)
    if call.identity.anonymous:
        raise errors.AuthRequired("Authentication required")
    raise errors.NotFound(UNKNOWN)


async def get_public_summary(call: Call, given: ById) -> PublicWebsite:
    """websites.getPublicSummary: the reduced row of a public website. Raises NotFound for any other."""
    website = call.parts.websites.find(given.id)
    if website is None or not website.is_public:
        raise errors.NotFound(UNKNOWN)
    return reduced(website)


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


# Changing


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
    return shown(website, call.now)


async def update(call: Call, given: ChangedWebsite) -> WebsiteShown:
    """websites.update: another name or domain. Raises NotFound, BadRequest or Conflict."""
    return await _change(
        call, given.id, lambda db, website, by: change.details(db, website, by, name=given.name, domain=given.domain)
    )


async def toggle_public(call: Call, given: Publicity) -> WebsiteShown:
    """websites.togglePublic: whether anybody may run public query types on it. Raises NotFound."""
    return await _change(
        call, given.id, lambda db, website, by: change.publicity(db, website, by, public=given.isPublic)
    )


async def update_settings(call: Call, given: ChangedSettings) -> WebsiteShown:
    """websites.updateSettings: tracking settings. Raises NotFound or BadRequest."""
    return await _change(call, given.id, lambda db, website, by: change.settings(db, website, by, given.settings))


async def rotate_tracking(call: Call, given: ById) -> WebsiteShown:
    """websites.rotateTracking: a new client id; the old one is accepted for the days of `client_id_grace_days`.

    Raises NotFound, or Conflict when too many old ones are still accepted.
    """
    days = call.parts.settings.client_id_grace_days
    return await _change(call, given.id, lambda db, website, by: change.rotate(db, website, by, grace_days=days))


async def transfer(call: Call, given: Transfer) -> WebsiteShown:
    """websites.transfer and websites.transferToOrganization; for people, to an organization that they manage.

    Raises NotFound, Forbidden or Conflict.
    """
    person = call.identity.person
    if person is None:
        raise errors.Forbidden("Sign in to do this; API keys cannot")
    refuse_restricted(call)
    return await _change(
        call,
        given.websiteId,
        lambda db, website, by: change.transfer(
            db, website, by, user_id=person.user_id, organization_id=given.organizationId
        ),
    )


async def delete(call: Call, given: ById) -> Success:
    """websites.delete: it takes no events and answers no questions from now on. Raises NotFound.

    `websites.restore` undoes it for the days of `grace_days`; then its events are removed.
    """
    website = own(call, given.id)
    await call.write(lambda db: change.delete(db, website, by(call)))
    call.parts.websites.forget(website.id)
    return Success()


async def restore(call: Call, given: ById) -> WebsiteShown:
    """websites.restore: undo a deletion whose grace period is not over. Raises NotFound or Conflict."""
    grace = call.parts.settings.grace_days * DAY
    website = await call.write(
        lambda db: change.restore(db, given.id, by(call), lambda found: _is_own(call, found), grace=grace)
    )
    call.parts.websites.remember(website)
    return shown(website, call.now)


def own(call: Call, website_id: str) -> Website:
    """The caller's website with this id. Raises NotFound for an unknown one and for somebody else's."""
    website = call.parts.websites.find(website_id)
    if website is None or not _is_own(call, website):
        raise errors.NotFound(UNKNOWN)
    return website


def refuse_restricted(call: Call) -> None:
    """Raises Forbidden for a key of single websites, which cannot act for its organization."""
    if call.identity.key is not None and call.identity.key.websites is not None:
        raise errors.Forbidden("This needs a key with global access")


def by(call: Call) -> By:
    """The caller as the one who changes something."""
    return By(call.actor, call.now)


async def _change(call: Call, website_id: str, work: Callable[[Connection, Website, By], Website]) -> WebsiteShown:
    website = own(call, website_id)
    changed = await call.write(lambda db: work(db, website, by(call)))
    call.parts.websites.remember(changed)
    return shown(changed, call.now)


def _readable(call: Call, given: OfOrganization) -> list[Website]:
    found, key = call.parts.websites.of(call.organization(given.organizationId)), call.identity.key
    return [website for website in found if key is None or key.reaches(website.id)]


def _is_own(call: Call, website: Website) -> bool:
    key, person = call.identity.key, call.identity.person
    if key is not None:
        return key.organization_id == website.organization_id and key.reaches(website.id)
    return person is not None and person.organization_id == website.organization_id
