"""Valid custom domains of an organization. Pure."""

from collections.abc import Collection
from typing import Annotated, Final, Literal

from msgspec import Struct

from analytics_box.base.errors import BadRequest
from analytics_box.base.outgoing.failures import AddressRefused
from analytics_box.base.outgoing.target import clean_host
from analytics_box.base.translation import _
from analytics_box.base.urls import url_parts
from analytics_box.resource.fields import Field, Stamp, date

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
