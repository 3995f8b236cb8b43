"""The data that a query may read (spec 4 and 5, wire 3.1 and 3.2). Pure.

Each `of_…` function returns the scope of a query about one subject; None if the caller must not read it.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import errors
from analytics_box.base.identity import Identity
from analytics_box.base.translation import _
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import SubjectName
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website

Names = tuple[str, ...]  # of query types
_OF_MONITORS = frozenset(("read:monitors", "read:data"))


class ReadScope(Struct, frozen=True):
    """The scope of a query, as site numbers: websites, and the organization's events (0 for none).

    `ids` maps website ids to these numbers, for filters that name a website. `people` is whether the caller may see who
    visitors are, as members and API keys may. With `public`, the caller can read only because the website is public,
    and sees values that events carried only with `values`. For a link, the single number is the link's among the
    clicks; for a monitor, its number among the checks.
    """

    sites: tuple[int, ...]
    owner: int = 0
    ids: Mapping[str, int] = {}
    people: bool = True
    public: bool = False
    values: bool = True
    subject: SubjectName = "website"


class KnownLink(Struct, frozen=True):
    """A short link: its number among the clicks, and whose it is."""

    id: str
    number: int
    organization_id: str


class KnownMonitor(Struct, frozen=True):
    """A monitor: its number among the checks, and whose it is."""

    id: str
    number: int
    organization_id: str
    website_id: str | None


def of_monitor(identity: Identity, monitor: KnownMonitor, _: Names) -> ReadScope | None:
    """Return the scope of a query about a monitor."""
    return ReadScope((monitor.number,), subject="monitor") if may_read_monitor(identity, monitor) else None


def of_link(identity: Identity, link: KnownLink, _: Names) -> ReadScope | None:
    """Return the scope of a query about a link."""
    if not may_read_links(identity, link.organization_id, link.id):
        return None
    return ReadScope((link.number,), subject="link")


def of_website(
    organizations: OrganizationDirectory, identity: Identity, website: Website, types: Names
) -> ReadScope | None:
    """Return the scope of a query about a website. Raises FeatureUnavailable."""
    if not may_read(identity, website, types):
        return None
    check_plan(organizations.plan_of(website.organization_id), types)
    public = not may_export(identity, website)
    return ReadScope(
        (website.site,),
        ids={website.id: website.site},
        people=may_see_people(identity, website),
        public=public,
        values=not public or website.public_values,
    )


def of_organization(
    websites: Directory, organizations: OrganizationDirectory, identity: Identity, organization_id: str, _: Names
) -> ReadScope | None:
    """Return the scope of a query about an organization: the websites that the caller may read, and the organization's
    events.
    """
    if not may_read_organization(identity, organization_id):
        return None
    numbers = {website.id: website.site for website in readable(identity, organization_id, websites)}
    return ReadScope(
        tuple(numbers.values()),
        owner=organizations.site_of(organization_id) if identity.resources is None else 0,
        ids=numbers,
        people=identity.person is None or identity.person.may("member"),
    )


def check_plan(plan: str, types: Names) -> None:
    """Raises FeatureUnavailable where the plan of a website's organization lacks one of these types (wire 3.4)."""
    if plan == "free" and any(TYPES[name].gated for name in types if name in TYPES):
        raise errors.FeatureUnavailable(
            _("This feature is not available on the plan"), feature="error_tracking", required_plan="hobby"
        )


def may_read(identity: Identity, website: Website, types: Names) -> bool:
    """Whether the caller may run these types on this website; on a public one strangers may run public types."""
    values = website.public_values
    if website.is_public and all(name in TYPES and TYPES[name].is_public(values=values) for name in types):
        return True
    if identity.key is not None:
        own = identity.key.organization_id == website.organization_id
        return own and identity.has("read:data") and identity.key.reaches(website.id)
    person = identity.person
    return person is not None and person.organization_id == website.organization_id and identity.reaches(website.id)


def may_export(identity: Identity, website: Website) -> bool:
    """Whether the caller may take away single facts of this website; that it is public is not enough."""
    return may_read(identity, replace(website, is_public=False), ())


def may_see_people(identity: Identity, website: Website) -> bool:
    """Whether the caller may see who someone is on this website: viewers and the public see figures only."""
    viewer = identity.person is not None and identity.person.role == "viewer"
    return not viewer and may_export(identity, website)


def may_read_organization(identity: Identity, organization_id: str) -> bool:
    """Whether the caller may ask for all that an organization has."""
    if identity.key is not None:
        return identity.key.organization_id == organization_id and identity.has("read:data")
    return identity.person is not None and identity.person.organization_id == organization_id


def may_read_links(identity: Identity, organization_id: str, link_id: str | None = None) -> bool:
    """Whether the caller may ask about clicks on an organization's links, or on one of them: a key needs global access
    (spec 2.2)."""
    if not may_read_organization(identity, organization_id):
        return False
    return identity.may_act_for_organization("read:data") and (identity.person is None or identity.reaches(link_id))


def may_read_monitor(identity: Identity, monitor: KnownMonitor) -> bool:
    """Whether the caller may ask about a monitor: a key needs one of two scopes, on all of the organization or on the
    monitor's website (wire 0 and 3.2)."""
    key = identity.key
    if key is None:
        person = identity.person
        own = person is not None and person.organization_id == monitor.organization_id
        return own and identity.reaches(monitor.id, monitor.website_id)
    if key.organization_id != monitor.organization_id:
        return False
    if key.websites is None and not _OF_MONITORS.isdisjoint(key.scopes):
        return True
    return monitor.website_id is not None and any(key.may(scope, monitor.website_id) for scope in _OF_MONITORS)


def readable(identity: Identity, organization_id: str, websites: Directory) -> list[Website]:
    """The websites of an organization that the caller may read; a restricted caller reads those that they reach."""
    return [website for website in websites.of(organization_id) if identity.reaches(website.id)]
