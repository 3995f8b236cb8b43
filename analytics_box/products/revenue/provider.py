"""Payment providers of a website, whose signed webhooks report payments: their rows in box.db."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from analytics_box.base import audit, ids
from analytics_box.base.acting import By
from analytics_box.base.errors import BadRequest, Conflict, NotFound
from analytics_box.base.store.db import Connection
from analytics_box.base.store.seal import Seal
from analytics_box.base.translation import _
from analytics_box.products.revenue import paddle, stripe
from analytics_box.resource.fields import Field, Stamp, date
from analytics_box.resource.table import Table
from analytics_box.tenants.websites.rules import Website

ProviderName = Literal["stripe", "paddle"]
NAMES: Final[dict[ProviderName, str]] = {"stripe": "Stripe", "paddle": "Paddle"}
EVENTS: Final[dict[ProviderName, tuple[str, ...]]] = {"stripe": stripe.EVENTS, "paddle": paddle.EVENTS}
# The most providers of a website.
MOST_PROVIDERS: Final = 10
# The owner of an encrypted secret.
OWNER: Final = "payment provider {}"
_LONGEST_SECRET: Final = 500
# A signing secret as it is sent.
Secret = Annotated[str, Meta(max_length=2 * _LONGEST_SECRET)]


def clean_secret(given: str) -> str:
    """A signing secret. Raises BadRequest."""
    secret = given.strip()
    if not 16 <= len(secret) <= _LONGEST_SECRET or not secret.isascii() or not secret.isprintable() or " " in secret:
        raise BadRequest(_("Enter the signing secret of the webhook, such as whsec_…"))
    return secret


class PaymentProvider(Struct, frozen=True, rename="camel"):
    """A payment provider that reports to `hash`. `secret` is encrypted. `deliveries` counts signed events, `ignored`
    those of other types, `failures` refused requests since the last signed one. Times are UTC ms."""

    id: str
    website_id: str
    provider: ProviderName
    hash: str
    secret: bytes
    deliveries: int
    ignored: int
    failures: int
    delivered_at: Annotated[int | None, Field(given=False, shown=date)]
    failed_at: Annotated[int | None, Field(given=False, shown=date)]
    last_event: str
    last_failure: str
    created_by: str
    created_at: Stamp
    updated_at: Stamp


PROVIDERS: Final = Table("revenue_providers", PaymentProvider)
OF_WEBSITE: Final = "website_id = ? order by created_at, id"


def create(
    db: Connection, by: By, website: Website, seal: Seal, provider: ProviderName, secret: str
) -> PaymentProvider:
    """Add a provider with the signing secret of its webhook. Raises BadRequest or Conflict."""
    if PROVIDERS.count(db, "website_id = ?", website.id) >= MOST_PROVIDERS:
        raise Conflict.full(
            "providers",
            MOST_PROVIDERS,
            _("A website can have up to {most} payment providers").format(most=MOST_PROVIDERS),
        )
    provider_id = ids.new_id()
    sealed = seal.seal(clean_secret(secret).encode(), owner=OWNER.format(provider_id))
    empty = (0, 0, 0, None, None, "", "")
    row = PROVIDERS.insert(
        db,
        PaymentProvider(provider_id, website.id, provider, ids.new_token(), sealed, *empty, by.actor, by.now, by.now),
    )
    _record(db, by, website, row, "created")
    return row


def rotate(db: Connection, by: By, website: Website, seal: Seal, provider_id: str, secret: str) -> PaymentProvider:
    """Replace the signing secret of a provider; its address stays. Raises BadRequest or NotFound."""
    row = existing(db, website, provider_id)
    sealed = seal.seal(clean_secret(secret).encode(), owner=OWNER.format(row.id))
    db.execute(
        "-- revenue.rotate\nupdate revenue_providers set secret = ?, failures = 0, last_failure = '', updated_at = ?"
        " where id = ?",
        (sealed, by.now, row.id),
    )
    _record(db, by, website, row, "updated")
    return existing(db, website, provider_id)


def delete(db: Connection, by: By, website: Website, provider_id: str) -> None:
    """Delete a provider. Its payments stay. Raises NotFound."""
    row = existing(db, website, provider_id)
    PROVIDERS.delete(db, row.id)
    _record(db, by, website, row, "deleted")


def existing(db: Connection, website: Website, provider_id: str) -> PaymentProvider:
    """A provider of a website. Raises NotFound."""
    row = PROVIDERS.find(db, provider_id)
    if row is None or row.website_id != website.id:
        raise NotFound.of("revenueProvider", provider_id)
    return row


def note_request(
    db: Connection, provider_id: str, now: int, *, event: str = "", ignored: bool = False, failure: str = ""
) -> None:
    """Record a signed event, or the reason why a request was refused."""
    change = "failures = failures + 1, failed_at = :now, last_failure = :failure"
    if not failure:
        change = "deliveries = deliveries + 1, ignored = ignored + :ignored, failures = 0, delivered_at = :now"
        change += ", last_event = :event"
    db.execute(
        f"-- revenue.note_request\nupdate revenue_providers set {change} where id = :id",
        {"now": now, "failure": failure, "ignored": int(ignored), "event": event, "id": provider_id},
    )


def _record(db: Connection, by: By, website: Website, row: PaymentProvider, action: audit.Action) -> None:
    about = {"name": NAMES[row.provider], "websiteId": website.id}
    audit.record(db, by, website.organization_id, action, "payment provider", row.id, about)
