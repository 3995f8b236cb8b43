"""Revenue over RPC: the payment providers of a website, and the currency rates of an organization. Keys need read:data
to list them, manage:websites for the rest."""

import datetime
from typing import Annotated

from msgspec import Meta, Struct

from analytics_box.base.store.seal import Seal
from analytics_box.products.revenue import provider, rates
from analytics_box.products.revenue.provider import OF_WEBSITE, PROVIDERS, PaymentProvider, ProviderName, Secret
from analytics_box.products.revenue.rates import MOST_AT_ONCE, MOST_RATES, GivenRate
from analytics_box.resource.fields import answer_of
from analytics_box.resource.reach import acting
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
    deliveredAt: datetime.datetime | None
    failedAt: datetime.datetime | None
    lastEvent: str
    lastFailure: str
    createdBy: str
    createdAt: datetime.datetime
    updatedAt: datetime.datetime


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


class ListRates(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.listRates: optionally the rates of one currency, or into one."""

    organizationId: Text | None = None
    currency: Text = ""
    target: Text = ""
    limit: Annotated[int, Meta(ge=1, le=MOST_RATES)] = 1_000


class NewRates(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.setRates: one unit of a rate's currency is `rate` units of `target`."""

    organizationId: Text | None = None
    target: Text
    rates: Annotated[tuple[GivenRate, ...], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class OneRate(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Input of revenue.deleteRate."""

    organizationId: Text | None = None
    currency: Text
    target: Text
    date: datetime.date


class CurrencyRateShown(Struct, frozen=True):
    """The price of one unit of `currency` in `target`, from this day until the next rate."""

    date: str
    currency: str
    target: str
    rate: str


class RateChanges(Struct, frozen=True):
    """The number of rates that are new or have a new value."""

    changed: int


async def list_rates(call: Call, given: ListRates) -> list[CurrencyRateShown]:
    """revenue.listRates: list the currency rates of the organization, newest first. Raises Forbidden."""
    organization_id, _by = acting(call, given.organizationId)
    currency, target = given.currency.upper(), given.target.upper()
    found = await call.read(
        lambda db: rates.listed_rates(db, organization_id, currency=currency, target=target, most=given.limit)
    )
    return [CurrencyRateShown(one.day, one.currency, one.target, one.rate) for one in found]


async def set_rates(call: Call, given: NewRates) -> RateChanges:
    """revenue.setRates: add currency rates, or replace those of the same days. All are stored, or none. Raises
    Forbidden, BadRequest or Conflict."""
    organization_id, by = acting(call, given.organizationId)
    target = rates.clean_currency(given.target, "target")
    new = [rates.clean_rate(target, one, f"rates[{index}].") for index, one in enumerate(given.rates)]
    return RateChanges(await call.write(lambda db: rates.store_rates(db, by, organization_id, new)))


async def delete_rate(call: Call, given: OneRate) -> Success:
    """revenue.deleteRate: delete a currency rate. Raises Forbidden or NotFound."""
    organization_id, by = acting(call, given.organizationId)
    key = (given.currency.upper(), given.target.upper(), given.date.isoformat())
    await call.write(lambda db: rates.delete_rate(db, by, organization_id, *key))
    return Success()
