"""Public procedures of status pages (wire 9.1)."""

from typing import Annotated, Final, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from analytics_box.base import errors
from analytics_box.base.clock import iso
from analytics_box.base.translation import _
from analytics_box.products.status_pages.directory import StatusPages
from analytics_box.products.status_pages.incident import Impact, Severity, Status
from analytics_box.products.status_pages.page import LONGEST_SLUG, Theme
from analytics_box.products.status_pages.seen import (
    ComponentSeen,
    Current,
    Freshness,
    IncidentSeen,
    Overall,
    PageSeen,
    latest,
)
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from analytics_box.web.call import Call

T = TypeVar("T")

SLUG_LIMIT = 120  # calls in a minute, of all callers together
MOST_LISTED: Final = 1_000  # pages
UNKNOWN: Final = _("There is no status page with this slug")

WireStatus = Literal["investigating", "identified", "monitoring", "resolved"]
WireImpact = Literal["degraded", "down"]

# The wire has fewer words.
_STATUSES: Final[dict[Status, WireStatus]] = {
    "investigating": "investigating",
    "identified": "identified",
    "monitoring": "monitoring",
    "resolved": "resolved",
    "postmortem": "resolved",
}
_IMPACTS: Final[dict[Impact, WireImpact]] = {
    "degraded": "degraded",
    "partial": "degraded",
    "down": "down",
    "maintenance": "degraded",
}


class BySlug(Struct, frozen=True, forbid_unknown_fields=True):
    """Input that names a status page as its address does."""

    slug: Annotated[str, Meta(min_length=1, max_length=LONGEST_SLUG)]


class PublicPageListItem(Struct, frozen=True):
    """A public page."""

    slug: str
    updatedAt: str


class OrganizationPart(Struct, frozen=True):
    """The organization of a page. Its logo is for its members, so it is always null."""

    name: str
    slug: str
    logo: str | None


class PagePart(Struct, frozen=True, rename="camel"):
    """The page's name, description, pictures, links and theme."""

    name: str
    description: str | None
    logo_url: str | None
    favicon_url: str | None
    website_url: str | None
    support_url: str | None
    theme: Theme | None


class DayPart(Struct, frozen=True):
    """A day of a component. Hidden and unknown values are left out. Durations are ms."""

    date: str
    uptime_percentage: float | UnsetType = UNSET
    total_checks: int | UnsetType = UNSET
    successful_checks: int | UnsetType = UNSET
    downtime_seconds: int | UnsetType = UNSET
    avg_response_time: float | UnsetType = UNSET
    p95_response_time: float | UnsetType = UNSET


class MonitorPart(Struct, frozen=True, kw_only=True, rename="camel"):
    """A component; its `id` is what incidents know it by."""

    id: str
    name: str
    domain: str | UnsetType = UNSET
    current_status: Current
    freshness: Freshness
    uptime_percentage: float | UnsetType = UNSET
    last_checked_at: str | None
    daily_data: list[DayPart]


class UpdatePart(Struct, frozen=True, rename="camel"):
    """An incident update; its text is Markdown."""

    id: str
    status: WireStatus
    message: str
    created_at: str


class AffectedPart(Struct, frozen=True, rename="camel"):
    """A component that an incident affects."""

    status_page_monitor_id: str
    monitor_name: str
    impact: WireImpact


class IncidentPart(Struct, frozen=True, rename="camel"):
    """An incident; its updates are newest first."""

    id: str
    title: str
    status: WireStatus
    severity: Severity
    created_at: str
    resolved_at: str | None
    updates: list[UpdatePart]
    affected_monitors: list[AffectedPart]


class PublicPage(Struct, frozen=True, rename="camel"):
    """A status page as visitors see it (wire 9.2)."""

    organization: OrganizationPart
    status_page: PagePart
    overall_status: Overall
    monitors: list[MonitorPart]
    incidents: list[IncidentPart]


async def list_public(call: Call) -> list[PublicPageListItem]:
    """statusPage.listPublic: list pages that search engines may index, latest changed first."""
    pages = (one.page for one in call.parts[StatusPages].all())
    found = [page for page in pages if page.published and page.is_listed]
    newest = sorted(found, key=lambda page: (-page.updated_at, page.slug))
    return [PublicPageListItem(page.slug, iso(page.updated_at)) for page in newest[:MOST_LISTED]]


async def get_by_slug(call: Call, given: BySlug) -> PublicPage:
    """statusPage.getBySlug: get a page as visitors see it. Raises NotFound, or AuthRequired where it has a password."""
    whole = call.parts[StatusPages].by_slug(given.slug)
    if whole is None:
        raise errors.NotFound.of("statusPage", given.slug, UNKNOWN)
    call.parts.limits.take("statusPage.slug", whole.page.id, SLUG_LIMIT)
    if whole.page.password:
        raise errors.AuthRequired(_("This status page has a password. Send it with HTTP Basic, or use a browser"))
    return public_page_answer(await call.parts[PageSnapshots].of(whole))


def public_page_answer(seen: PageSeen) -> PublicPage:
    """A page as the wire has it: a component that shows only while it is degraded is left out while it is not."""
    monitors = [one for one in seen.components if not one.only_if_degraded or one.status != "operational"]
    return PublicPage(
        OrganizationPart(seen.organization, seen.organization_slug, seen.organization_logo),
        PagePart(
            seen.name,
            seen.description or None,
            seen.logo_url,
            seen.favicon_url,
            seen.website_url,
            seen.support_url,
            seen.theme,
        ),
        seen.overall,
        [_monitor(one) for one in monitors],
        [_incident(one) for one in latest(seen.incidents)],
    )


def _monitor(one: ComponentSeen) -> MonitorPart:
    return MonitorPart(
        id=one.id,
        name=one.name,
        domain=_or_unset(one.domain),
        current_status=one.current,
        freshness=one.freshness,
        uptime_percentage=_or_unset(one.uptime),
        last_checked_at=None if one.last_checked_at is None else iso(one.last_checked_at),
        daily_data=[
            DayPart(
                day.date,
                _or_unset(day.uptime),
                _or_unset(day.checks),
                _or_unset(day.passed),
                _or_unset(day.downtime_seconds),
                _or_unset(day.average_ms),
                _or_unset(day.p95_ms),
            )
            for day in one.days
        ],
    )


def _or_unset(value: T | None) -> T | UnsetType:
    return UNSET if value is None else value


def _incident(one: IncidentSeen) -> IncidentPart:
    return IncidentPart(
        one.id,
        one.title,
        _STATUSES[one.status],
        one.severity,
        iso(one.created_at),
        None if one.resolved_at is None else iso(one.resolved_at),
        [UpdatePart(each.id, _STATUSES[each.status], each.message, iso(each.at)) for each in one.updates],
        [
            AffectedPart(each.component_id, each.name, _IMPACTS[each.impact])
            for each in one.affected
            if each.component_id is not None and each.impact in _IMPACTS
        ],
    )
