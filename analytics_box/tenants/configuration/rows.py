"""Domains in box.db. Every function takes a connection inside the caller's transaction."""

from analytics_box.base.errors import Conflict
from analytics_box.base.store import records
from analytics_box.base.store.db import Connection, ConstraintError
from analytics_box.base.translation import _
from analytics_box.tenants.configuration.rules import Domain, ProvenBy

_COLUMNS = "id, organization_id, domain, token, created_at, checked_at, check_error, proven_at, proven_by"
TAKEN = "This domain belongs to another organization of this box"


def domains_of(db: Connection, organization_id: str) -> list[Domain]:
    """The domains of an organization by name."""
    return _domains(db, "organization_id = ? order by domain", organization_id)


def find(db: Connection, domain_id: str) -> Domain | None:
    return next(iter(_domains(db, "id = ?", domain_id)), None)


def owner(db: Connection, domain: str) -> str | None:
    """The organization that has proven this domain."""
    found = _domains(db, "domain = ? and proven_at is not null", domain)
    return found[0].organization_id if found else None


def _domains(db: Connection, condition: str, value: str) -> list[Domain]:
    return records.all_of(
        db,
        Domain,
        f"""
        -- configuration.domains_of, find, owner
        select {_COLUMNS} from domains where {condition}
        """,
        (value,),
    )


def insert(db: Connection, domain: Domain) -> None:
    """Raises Conflict when the organization has it already, or another one has proven it."""
    try:
        db.execute(
            f"""
            -- configuration.insert
            insert into domains ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (
                domain.id,
                domain.organization_id,
                domain.domain,
                domain.token,
                domain.created_at,
                domain.checked_at,
                domain.check_error,
                domain.proven_at,
                domain.proven_by,
            ),
        )
    except ConstraintError as taken:
        raise Conflict(_("This domain has already been added")) from taken


def set_checked(db: Connection, domain_id: str, *, at: int, error: str) -> None:
    """A check that proved nothing."""
    db.execute(
        "-- configuration.set_checked\nupdate domains set checked_at = ?, check_error = ? where id = ?",
        (at, error, domain_id),
    )


def set_proven(db: Connection, domain_id: str, *, at: int, by: ProvenBy) -> None:
    """The domain is the organization's. Raises Conflict when another one has proven it."""
    try:
        db.execute(
            """
            -- configuration.set_proven
            update domains set checked_at = ?, check_error = null, proven_at = ?, proven_by = ? where id = ?
            """,
            (at, at, by, domain_id),
        )
    except ConstraintError as taken:
        raise Conflict(TAKEN) from taken


def delete(db: Connection, domain_id: str) -> None:
    """Raises Conflict while something is served on the domain."""
    page = db.execute(
        """
        -- configuration.delete
        select name from status_pages join domains using (domain, organization_id)
        where domains.id = ? and proven_at is not null
        """,
        (domain_id,),
    ).fetchone()
    if page is not None:
        raise Conflict(f"The status page {page[0]} uses this domain. Remove that first")
    try:
        db.execute("-- configuration.delete\ndelete from domains where id = ?", (domain_id,))
    except ConstraintError as used:
        raise Conflict(_("Short links use this domain. Remove that first")) from used
