"""The subjects of queries, in order of precedence of a request's parameters (wire 1.1 and 3.1)."""

from functools import partial

from analytics_box.base.store.db import Db
from analytics_box.products.links.lookup import known_link
from analytics_box.products.monitors.lookup import known_monitor
from analytics_box.query import access
from analytics_box.query.access import KnownLink, KnownMonitor
from analytics_box.query.subjects import QuerySubject, Subjects
from analytics_box.tenants.tenancy.directory import OrganizationDirectory
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website


def subjects(db: Db, websites: Directory, organizations: OrganizationDirectory) -> Subjects:
    """The subjects of a box. `db` is box.db."""

    async def link(link_id: str) -> KnownLink | None:
        found = await db.read(lambda reader: known_link(reader, link_id))
        return KnownLink(*found) if found is not None else None

    async def monitor(monitor_id: str) -> KnownMonitor | None:
        found = await db.read(lambda reader: known_monitor(reader, monitor_id))
        return KnownMonitor(*found) if found is not None else None

    async def website(website_id: str) -> Website | None:
        return websites.find(website_id)

    async def organization(organization_id: str) -> str:
        return organization_id  # read by those who belong there; an unknown one by nobody

    of_website = partial(access.of_website, organizations)
    of_organization = partial(access.of_organization, websites, organizations)
    return Subjects(
        QuerySubject("link", "link_id", link, access.of_link),
        QuerySubject("monitor", "schedule_id", monitor, access.of_monitor, scope=None),
        QuerySubject("website", "website_id", website, of_website),
        QuerySubject("organization", "organization_id", organization, of_organization, usual=True),
    )
