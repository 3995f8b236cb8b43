"""Domains of short links in box.db: each verb writes its row and audit entry in the caller's transaction.

The domain has to be proven first (configuration.domains; security: link and status domains).
"""

from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from analytics_box.base import audit, errors
from analytics_box.base.acting import By
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.links.domains.lookup import LinkDomain
from analytics_box.products.links.rows import LINKS
from analytics_box.resource.audited import AuditedTable
from analytics_box.resource.reach import Reach, check
from analytics_box.tenants.configuration import domains

DOMAINS: Final = AuditedTable(
    "link_domains",
    LinkDomain,
    "link domain",
    "linkDomain",
    about=lambda domain: {"domain": domain.domain},
    key="domain",
    conflicts={"link_domains.domain": ("domain", "This domain is already used for short links")},
)


def everything(db: Connection) -> list[LinkDomain]:
    """All domains of short links."""
    return DOMAINS.all(db, "true order by domain")


def domains_of(db: Connection, organization_id: str) -> list[LinkDomain]:
    """The link domains of an organization by name."""
    return DOMAINS.all(db, "organization_id = ? order by domain", organization_id)


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


UNKNOWN: Final = "This domain is not used for short links"


def of(db: Connection, organization_id: str, by: By) -> list[LinkDomain]:
    """The link domains of the organization by name. Raises Forbidden."""
    check(db, Reach(organization_id, by), "viewer")
    return domains_of(db, organization_id)


def add(
    db: Connection, organization_id: str, by: By, domain: str, *, home_url: str | None, missing_url: str | None
) -> LinkDomain:
    """From now on links live on this domain. Raises Forbidden, BadRequest or Conflict."""
    check(db, Reach(organization_id, by), "admin")
    domain_id = domains.free(db, organization_id, domain, domains.SHORT_LINKS).id
    leading = leads_there(db, domain)
    if leading is not None:
        raise errors.Conflict(
            _("The link {leading} redirects to this domain, which would cause a loop").format(leading=leading)
        )
    made = LinkDomain(domain, domain_id, organization_id, home_url, missing_url, by.now)
    return DOMAINS.create(db, by, organization_id, made)


def change(
    db: Connection,
    organization_id: str,
    by: By,
    domain: str,
    *,
    home_url: str | UnsetType | None,
    missing_url: str | UnsetType | None,
) -> LinkDomain:
    """The targets of the bare domain and of unknown slugs. Raises Forbidden or NotFound."""
    check(db, Reach(organization_id, by), "admin")
    before = existing(db, organization_id, domain)
    given = {
        name: value for name, value in (("home_url", home_url), ("missing_url", missing_url)) if value is not UNSET
    }
    return DOMAINS.change(db, by, organization_id, before, replace(before, **given), audit.difference)


def remove(db: Connection, organization_id: str, by: By, domain: str) -> LinkDomain:
    """Remove a domain without links. Raises Forbidden, NotFound, or Conflict if it has links."""
    check(db, Reach(organization_id, by), "admin")
    gone = existing(db, organization_id, domain)
    links = LINKS.count(db, "domain = ?", domain)
    if links:
        raise errors.Conflict(_("{links} links use this domain. Move or delete them first").format(links=links))
    DOMAINS.remove(db, by, organization_id, gone)
    return gone


def existing(db: Connection, organization_id: str, domain: str) -> LinkDomain:
    """Raises NotFound for an unknown domain and for one of another organization."""
    found = DOMAINS.first(db, "domain = ?", domain)
    if found is None or found.organization_id != organization_id:
        raise errors.NotFound.of("linkDomain", domain, UNKNOWN)
    return found


def is_own(db: Connection, organization_id: str, domain: str) -> bool:
    """Whether the organization serves links on this domain."""
    found = DOMAINS.first(db, "domain = ?", domain)
    return found is not None and found.organization_id == organization_id
