"""Domains of an organization: their rules, and claiming, proving and removing them. Each verb writes its row and audit
entry in the caller's transaction.

A domain is verified by a TXT record that only its owner can create, or added by an administrator of the box (security:
link and status domains).
"""

from collections.abc import Collection
from typing import Annotated, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import audit, errors, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict
from analytics_box.base.outgoing.client import Client
from analytics_box.base.outgoing.failures import AddressRefused, RequestFailed
from analytics_box.base.outgoing.target import clean_host
from analytics_box.base.settings import Settings
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.resource.fields import Field, Stamp, date
from analytics_box.resource.table import Table
from analytics_box.tenants.tenancy import members

ProvenBy = Literal["dns", "administrator"]

MOST_DOMAINS: Final = 50  # of one organization
RECORD: Final = "_analytics-box"  # the label below which a domain's TXT record stands
_LONGEST: Final = 253 - len(RECORD) - 1


class Domain(Struct, frozen=True, rename="camel"):
    """A domain that an organization claims, or has proven to be its own. Times are UTC ms.

    `check_error` says why the latest check did not prove it.
    """

    id: str
    organization_id: str
    domain: str
    token: str
    created_at: Stamp
    checked_at: Stamp | None = None
    check_error: Annotated[str | None, Field(name="error", given=False)] = None
    proven_at: Annotated[int | None, Field(name="verifiedAt", given=False, shown=date)] = None
    proven_by: Annotated[ProvenBy | None, Field(name="verifiedBy", given=False)] = None

    @property
    def record(self) -> str:
        """The name of the TXT record that proves it; its value is the token."""
        return f"{RECORD}.{self.domain}"


def clean_domain(given: str, own_hosts: Collection[str]) -> str:
    """A bare domain in its one spelling (IDNA). Raises BadRequest for no domain and for the box's own hosts."""
    text = given.strip()
    text = text.partition("://")[2] if "://" in text else text
    text = text.partition("/")[0]
    try:
        domain = clean_host(text)
    except AddressRefused:
        domain = ""
    last = domain.rpartition(".")[2]
    if "." not in domain or last.isdecimal() or not 4 <= len(domain) <= _LONGEST:
        raise BadRequest.about("domain", _("Enter a domain, such as go.example.com"))
    if last in {"localhost", "local", "internal", "invalid", "onion", "alt"}:
        raise BadRequest.about("domain", _("This domain cannot be added"))
    if domain in own_hosts:
        raise BadRequest.about("domain", _("This is the server's own address. Enter another domain or subdomain"))
    return domain


def hosts_of(addresses: Collection[str]) -> frozenset[str]:
    """The host names in these addresses, which may also be bare hosts."""
    found = set()
    for address in addresses:
        host = url_parts(address if "://" in address else f"//{address}").hostname
        if host:
            try:
                found.add(clean_host(host))
            except AddressRefused:
                continue
    return frozenset(found)


TAKEN: Final = "This domain belongs to another organization of this server"
DOMAINS: Final = Table(
    "domains",
    Domain,
    conflicts={
        "domains.organization_id, domains.domain": ("domain", _("This domain has already been added")),
        "domains.domain": ("domain", TAKEN),
    },
)


def owner(db: Connection, domain: str) -> str | None:
    """The organization that has proven this domain."""
    found = DOMAINS.first(db, "domain = ? and proven_at is not null", domain)
    return found.organization_id if found is not None else None


class DomainUse(Struct, frozen=True):
    """A product that is served on domains: the table with a column `domain`, and what refusals say. They name a row by
    the column `name`."""

    table: str
    text: str
    name: str = "name"


# A domain serves one of them.
SHORT_LINKS: Final = DomainUse("link_domains", _("Short links use this domain"), name="domain")
STATUS_PAGES: Final = DomainUse("status_pages", _("The status page {name} uses this domain"))
SHARES: Final = DomainUse("shares", _("The share link {name} uses this domain"))
USES: Final = (SHORT_LINKS, STATUS_PAGES, SHARES)


def free(db: Connection, organization_id: str, domain: str, wanted: DomainUse) -> Domain:
    """A verified domain of an organization on which a product can be served. Raises BadRequest or Conflict."""
    found = DOMAINS.first(db, "domain = ? and proven_at is not null", domain)
    if found is None or found.organization_id != organization_id:
        raise BadRequest.about("domain", _("Verify this domain first, under the organization's domains"))
    for use in USES:
        used = "" if use is wanted else _use_of(db, use, domain)
        if used:
            raise Conflict.about("domain", _("{use}. Choose another one").format(use=used))
    return found


def _use_of(db: Connection, use: DomainUse, domain: str) -> str:
    """The use of a domain in words; empty if this product is not served there."""
    statement = f"-- configuration.domains.use_of\nselect {use.name} from {use.table} where domain = ? limit 1"
    found = db.execute(statement, (domain,)).fetchone()
    return use.text.format(name=found[0]) if found is not None else ""


def delete(db: Connection, domain: Domain) -> None:
    """Delete a domain. Raises Conflict while something is served on it."""
    if domain.proven_at is not None:
        for use in USES:
            used = _use_of(db, use, domain.domain)
            if used:
                raise Conflict(_("{use}. Remove that first").format(use=used))
    DOMAINS.delete(db, domain.id)


_SUBJECT: Final = "domain"


class DomainCheckResult(Struct, frozen=True):
    """The result of a TXT record look-up; without an error it proves the domain."""

    error: str = ""


def own_hosts(settings: Settings) -> frozenset[str]:
    """The hosts that the box itself answers on."""
    return hosts_of((settings.public_url, settings.tracker_url, settings.host))


def of(db: Connection, organization_id: str, by: By) -> list[Domain]:
    """The organization's domains by name. Raises Forbidden."""
    members.check(db, organization_id, by, "read")
    return DOMAINS.all(db, "organization_id = ? order by domain", organization_id)


def existing(db: Connection, domain_id: str, organization_id: str) -> Domain:
    """Raises NotFound for an unknown domain and for one of another organization."""
    found = DOMAINS.find(db, domain_id)
    if found is None or found.organization_id != organization_id:
        raise errors.NotFound.of("domain", domain_id)
    return found


def existing_for(db: Connection, domain_id: str, organization_id: str, by: By) -> Domain:
    """Find a domain for a user who can change it. Raises Forbidden or NotFound."""
    members.check(db, organization_id, by, "update")
    return existing(db, domain_id, organization_id)


def claim(
    db: Connection, organization_id: str, by: By, *, given: str, own_hosts: Collection[str], without_proof: bool
) -> Domain:
    """Add a domain. Only an administrator of the box can add one `without_proof`, which is verified immediately.

    Raises Forbidden, BadRequest or Conflict.
    """
    members.check(db, organization_id, by, "update")
    if without_proof and not members.administers(db, by):
        raise errors.Forbidden(_("Only a server administrator can add a domain without verification"))
    domain = clean_domain(given, own_hosts)
    if DOMAINS.count(db, "organization_id = ?", organization_id) >= MOST_DOMAINS:
        raise Conflict.full(
            "domains",
            MOST_DOMAINS,
            _("An organization can have up to {most} domains; remove one first").format(most=MOST_DOMAINS),
        )
    if owner(db, domain) not in {None, organization_id}:
        raise Conflict(TAKEN)
    made = Domain(
        id=ids.new_id(),
        organization_id=organization_id,
        domain=domain,
        token=f"analytics-box-{ids.base62(32)}",
        created_at=by.now,
        proven_at=by.now if without_proof else None,
        proven_by="administrator" if without_proof else None,
    )
    DOMAINS.insert(db, made)
    detail = {"domain": domain, "proven": without_proof}
    audit.record(db, by, organization_id, "created", _SUBJECT, made.id, detail)
    return made


async def look_up(client: Client, domain: Domain) -> DomainCheckResult:
    """Whether the TXT record is there."""
    try:
        client.fence.check_name(domain.record)
        texts = await client.resolver.texts(domain.record)
    except RequestFailed as why:
        return DomainCheckResult(str(why))
    if domain.token in (text.strip() for text in texts):
        return DomainCheckResult()
    if texts:
        return DomainCheckResult(f"The TXT record at {domain.record} has another value")
    return DomainCheckResult(f"There is no TXT record at {domain.record} yet; a new one can take a while to be seen")


def store_check(db: Connection, domain: Domain, by: By, found: DomainCheckResult) -> Domain:
    """Store what a look at the record found. Raises NotFound, or Conflict when another organization was first."""
    members.check(db, domain.organization_id, by, "update")
    now = existing(db, domain.id, domain.organization_id)
    if now.proven_at is not None:
        return now
    if found.error:
        after = replace(now, checked_at=by.now, check_error=found.error)
        DOMAINS.update(db, after)
        return after
    if owner(db, now.domain) not in {None, now.organization_id}:
        raise Conflict(TAKEN)
    after = replace(now, checked_at=by.now, check_error=None, proven_at=by.now, proven_by="dns")
    DOMAINS.update(db, after)
    detail = {"domain": now.domain, "proven": {"before": False, "after": True}}
    audit.record(db, by, now.organization_id, "updated", _SUBJECT, now.id, detail)
    return after


def remove(db: Connection, organization_id: str, by: By, domain_id: str) -> Domain:
    """The organization has the domain no longer. Raises Forbidden or NotFound."""
    members.check(db, organization_id, by, "update")
    found = existing(db, domain_id, organization_id)
    delete(db, found)
    detail = {"domain": found.domain, "proven": found.proven_at is not None}
    audit.record(db, by, organization_id, "deleted", _SUBJECT, found.id, detail)
    return found


def owns(db: Connection, organization_id: str, domain: str) -> bool:
    """Whether the organization has proven this very domain."""
    return owner(db, domain) == organization_id
