"""Revenue over RPC: the payment providers of a website. Keys need read:data to list them, manage:websites for the
rest."""

from datetime import datetime

from msgspec import Struct

from analytics_box.base.store.seal import Seal
from analytics_box.products.revenue import provider
from analytics_box.products.revenue.provider import OF_WEBSITE, PROVIDERS, PaymentProvider, ProviderName, Secret
from analytics_box.resource.fields import answer_of
from analytics_box.tenants.tenancy.messages import Success, Text
from analytics_box.tenants.websites.reach import own, own_row
from analytics_box.web.call import Call


class ListProviders(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of revenue.listProviders."""

    websiteId: Text


class NewProvider(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.createProvider. `secret` is the signing secret that the provider shows for its webhook."""

    websiteId: Text
    provider: ProviderName
    secret: Secret


class ChangedSecret(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.rotateProvider."""

    id: Text
    secret: Secret


class OneProvider(Struct, frozen=True, forbid_unknown_fields=True):
    """Input of revenue.deleteProvider."""

    id: Text


class PaymentProviderShown(Struct, frozen=True):
    """A payment provider. `url` is the address of its webhook. `deliveries` counts signed events, `ignored` those that
    report no payment, and `failures` refused requests since the last signed one."""

    id: str
    websiteId: str
    provider: ProviderName
    url: str
    deliveries: int
    ignored: int
    failures: int
    deliveredAt: datetime | None
    failedAt: datetime | None
    lastEvent: str
    lastFailure: str
    createdBy: str
    createdAt: datetime
    updatedAt: datetime


def webhook_url(call: Call, row: PaymentProvider) -> str:
    """The address to which a provider sends its events."""
    base = call.parts.settings.public_url
    return f"{base}/webhooks/{row.provider}/{row.hash}"


async def list_providers(call: Call, given: ListProviders) -> list[PaymentProviderShown]:
    """revenue.listProviders: list the payment providers of a website. Raises NotFound."""
    website = own(call, given.websiteId)
    rows = await call.read(lambda db: PROVIDERS.all(db, OF_WEBSITE, website.id))
    return [answer_of(PaymentProviderShown, row, url=webhook_url(call, row)) for row in rows]


async def create_provider(call: Call, given: NewProvider) -> PaymentProviderShown:
    """revenue.createProvider: add a payment provider. Raises NotFound, BadRequest or Conflict."""
    website, seal = own(call, given.websiteId), call.parts[Seal]
    row = await call.write(lambda db: provider.create(db, call.by, website, seal, given.provider, given.secret))
    return answer_of(PaymentProviderShown, row, url=webhook_url(call, row))


async def rotate_provider(call: Call, given: ChangedSecret) -> PaymentProviderShown:
    """revenue.rotateProvider: replace the signing secret of a payment provider. Raises NotFound or BadRequest."""
    website, _row = await own_row(call, PROVIDERS.find, "revenueProvider", given.id)
    seal = call.parts[Seal]
    row = await call.write(lambda db: provider.rotate(db, call.by, website, seal, given.id, given.secret))
    return answer_of(PaymentProviderShown, row, url=webhook_url(call, row))


async def delete_provider(call: Call, given: OneProvider) -> Success:
    """revenue.deleteProvider: delete a payment provider; its payments stay. Raises NotFound."""
    website, _row = await own_row(call, PROVIDERS.find, "revenueProvider", given.id)
    await call.write(lambda db: provider.delete(db, call.by, website, given.id))
    return Success()
