"""Domains of short links in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.errors import Conflict
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.products.links.domains.lookup import LinkDomain

_COLUMNS = "domain, domain_id, organization_id, home_url, missing_url, created_at"


def everything(db: Connection) -> list[LinkDomain]:
    """All domains of short links."""
    return _domains(db, "true", ())


def of(db: Connection, organization_id: str) -> list[LinkDomain]:
    """The link domains of an organization by name."""
    return _domains(db, "organization_id = ?", (organization_id,))


def find(db: Connection, domain: str) -> LinkDomain | None:
    return next(iter(_domains(db, "domain = ?", (domain,))), None)


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


def insert(db: Connection, one: LinkDomain) -> None:
    """Raises Conflict when it is there already."""
    try:
        db.execute(
            f"-- links.domains.insert\ninsert into link_domains ({_COLUMNS}) values (?, ?, ?, ?, ?, ?)",
            (one.domain, one.domain_id, one.organization_id, one.home_url, one.missing_url, one.created_at),
        )
    except ConstraintError as taken:
        raise Conflict("This domain is already used for short links") from taken


def update(db: Connection, one: LinkDomain) -> None:
    db.execute(
        "-- links.domains.update\nupdate link_domains set home_url = ?, missing_url = ? where domain = ?",
        (one.home_url, one.missing_url, one.domain),
    )


def delete(db: Connection, domain: str) -> None:
    db.execute("-- links.domains.delete\ndelete from link_domains where domain = ?", (domain,))


def count_links(db: Connection, domain: str) -> int:
    """The number of links on this domain."""
    (found,) = db.execute(
        "-- links.domains.count_links\nselect count(*) from links where domain = ?", (domain,)
    ).fetchone() or (0,)
    return int(str(found))


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


def _domains(db: Connection, condition: str, values: tuple[str, ...]) -> list[LinkDomain]:
    return records.all_of(
        db,
        LinkDomain,
        f"-- links.domains\nselect {_COLUMNS} from link_domains where {condition} order by domain",
        values,
    )
