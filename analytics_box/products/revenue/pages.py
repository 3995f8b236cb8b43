"""The revenue settings of a website: its payment providers, its currency, and revenue that browsers report."""

from typing import Final

from litestar.params import FromPath
from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.money import CURRENCIES
from analytics_box.base.translation import _, ngettext
from analytics_box.ingest.cluster.primary import Machines
from analytics_box.products.revenue import calls, provider
from analytics_box.products.revenue.calls import ChangedSecret, NewProvider, OneProvider
from analytics_box.products.revenue.provider import EVENTS, NAMES, OF_WEBSITE, PROVIDERS, PaymentProvider
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.tenants.websites import change as websites
from analytics_box.tenants.websites.reach import change as change_own
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.settings_area import settings_page
from analytics_box.tenants.websites.tracking import GivenTracking
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

_HOME: Final = "/sites/{}/settings/revenue"
_DONE: Final = {
    "saved": _("Saved."),
    "added": _("Payment provider added. Enter its address in the provider's dashboard."),
    "rotated": _("Signing secret replaced."),
    "deleted": _("Payment provider deleted. Its payments stay."),
}
_REASONS: Final = {
    "WEBHOOK_MISSING_SIGNATURE": _("The request had no signature"),
    "WEBHOOK_INVALID_SIGNATURE": _("The signature did not match the signing secret, or was older than five minutes"),
    "WEBHOOK_INVALID_PAYLOAD": _("The event could not be read"),
}


class ProviderLine(Struct, frozen=True):
    """A payment provider on the page. `failures` describes refused requests; empty for none."""

    id: str
    name: str
    url: str
    events: str
    state: str
    failures: str


async def show(visit: Visitor, website_id: FromPath[str]) -> Page:
    """GET /sites/{id}/settings/revenue. Raises NotFound."""
    website = own(visit.call, website_id)
    return await _page(visit, website, Again())


async def save(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/revenue: the default currency, and whether browsers can report revenue."""
    website, form = own(visit.call, website_id), await visit.form()
    given = {
        "defaultCurrency": form.get("defaultCurrency", "").strip() or None,
        "browserRevenue": bool(form.get("browserRevenue")),
    }

    async def work() -> str:
        tracking = message_of(given, GivenTracking)
        await change_own(visit.call, website.id, lambda db, known, by: websites.settings(db, known, by, tracking))
        return f"{_HOME.format(website.id)}?done=saved"

    return await visit.submit(work, lambda to, again: _page(to, website, again), values=form)


async def add(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/revenue/providers: add a payment provider. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()

    async def work() -> str:
        given = {name: form.get(name, "") for name in ("provider", "secret")}
        await calls.create_provider(visit.call, message_of(given | {"websiteId": website.id}, NewProvider))
        return f"{_HOME.format(website.id)}?done=added"

    return await visit.submit(work, lambda to, again: _page(to, website, again), values={**form, "secret": ""})


async def act(visit: Visitor, website_id: FromPath[str], name: FromPath[str], action: FromPath[str]) -> Answer:
    """POST /sites/{id}/settings/revenue/providers/{provider}/{rotate or delete}. Raises NotFound."""
    website, form = own(visit.call, website_id), await visit.form()
    await visit.call.read(lambda db: provider.existing(db, website, name))

    async def work() -> str:
        if action == "rotate":
            await calls.rotate_provider(visit.call, ChangedSecret(id=name, secret=form.get("secret", "")))
            return f"{_HOME.format(website.id)}?done=rotated"
        await calls.delete_provider(visit.call, OneProvider(name))
        return f"{_HOME.format(website.id)}?done=deleted"

    return await visit.submit(work, lambda to, again: _page(to, website, again))


async def _page(visit: PageRequest, website: Website, again: Again) -> Page:
    rows = await visit.call.read(lambda db: PROVIDERS.all(db, OF_WEBSITE, website.id))
    return settings_page(
        visit,
        "site_revenue.html",
        "revenue",
        website,
        again=again,
        providers=[_line(visit, row) for row in rows],
        names=NAMES,
        currencies=sorted(CURRENCIES),
        tracking=website.tracking,
        visits_elsewhere=visit.parts[Machines].are_wanted,
        done=_DONE.get(visit.asked("done"), ""),
    )


def _line(visit: PageRequest, row: PaymentProvider) -> ProviderLine:
    state = _("Waiting for the first event")
    if row.delivered_at is not None:
        state = ngettext("1 event", "{count} events", row.deliveries).format(count=figures.count(row.deliveries))
        state = _("{count} · last one {time}: {event}").format(
            count=state, time=dates.moment(row.delivered_at, visit.person), event=figures.visible(row.last_event)
        )
    failures = ""
    if row.failures and row.failed_at is not None:
        failures = _("{count} requests refused since then, the last one {time}: {reason}.").format(
            count=figures.count(row.failures),
            time=dates.moment(row.failed_at, visit.person),
            reason=_REASONS.get(row.last_failure, figures.visible(row.last_failure)),
        )
    url, events = calls.webhook_url(visit.call, row), " ".join(EVENTS[row.provider])
    return ProviderLine(row.id, NAMES[row.provider], url, events, state, failures)
