"""Domains of short links in box.db. Every function takes a connection inside the caller's transaction."""

from typing import Final

from analytics_box.base.store.db import Connection
from analytics_box.products.links.domains.lookup import LinkDomain
from analytics_box.products.links.rows import LINKS
from analytics_box.resource.table import Table

DOMAINS: Final = Table(
    "link_domains",
    LinkDomain,
    key="domain",
    conflicts={"link_domains.domain": ("domain", "This domain is already used for short links")},
)


def everything(db: Connection) -> list[LinkDomain]:
    """All domains of short links."""
    return DOMAINS.all(db, "true order by domain")


def of(db: Connection, organization_id: str) -> list[LinkDomain]:
    """The link domains of an organization by name."""
    return DOMAINS.all(db, "organization_id = ? order by domain", organization_id)


def proven_id(db: Connection, organization_id: str, domain: str) -> str | None:
    """The id of a domain that the organization has proven to be its own."""
    found = db.execute(
        """
        -- links.domains.proven_id
        select id from domains where organization_id = ? and domain = ? and proven_at is not null
        """,
        (organization_id, domain),
    ).fetchone()
    return str(found[0]) if found else None


def status_page_on(db: Connection, domain: str) -> str | None:
    """The name of a status page that is served on it."""
    found = db.execute(
        "-- links.domains.status_page_on\nselect name from status_pages where domain = ?", (domain,)
    ).fetchone()
    return str(found[0]) if found else None


def count_links(db: Connection, domain: str) -> int:
    """The number of links on this domain."""
    return LINKS.count(db, "domain = ?", domain)


def leads_there(db: Connection, domain: str) -> str | None:
    """The slug of a link whose target is on this domain."""
    found = db.execute(
        """
        -- links.domains.leads_there
        select slug from links
        where target_url glob 'http*://' || ?1 || '/*' or target_url glob 'http*://' || ?1 || ':*' limit 1
        """,
        (domain,),
    ).fetchone()
    return str(found[0]) if found else None
