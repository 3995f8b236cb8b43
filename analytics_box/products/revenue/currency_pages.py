"""The page /settings/currencies: the currency rates of an organization."""

from typing import Final

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.money import CURRENCIES
from analytics_box.base.store.db import Connection
from analytics_box.base.translation import _
from analytics_box.products.revenue import calls, rates
from analytics_box.products.revenue.calls import NewRates, OneRate
from analytics_box.products.revenue.rates import MOST_AT_ONCE, CurrencyRate
from analytics_box.tenants.tenancy.messages import message_of
from analytics_box.web.page.visit import Again, Answer, Page, PageRequest, Visitor

HOME: Final = "/settings/currencies"
_DONE: Final = {
    "saved": _("Rates saved."),
    "unchanged": _("These rates are saved already."),
    "deleted": _("Rate deleted."),
}
_PER_PAGE: Final = 100
# A select that nothing was chosen in shows this currency.
_USUAL_TARGET: Final = "EUR"


class RateLine(Struct, frozen=True):
    """A rate on the page: `sentence` such as "1 USD = 0.92 EUR"."""

    day: str
    currency: str
    target: str
    sentence: str


async def show(visit: Visitor) -> Page:
    """GET /settings/currencies."""
    return await _page(visit, Again())


async def add(visit: Visitor) -> Answer:
    """POST /settings/currencies: add one rate, or a pasted list."""
    form = await visit.form()
    pasted = "lines" in form

    async def save() -> str:
        one = {name: form.get(name, "") for name in ("date", "currency", "rate")}
        given = {"target": form.get("target", "")}
        if pasted:
            found = await calls.set_rates(visit.call, NewRates(**given, rates=tuple(rates.read_lines(form["lines"]))))
        else:
            found = await calls.set_rates(visit.call, message_of(given | {"rates": [one]}, NewRates))
        return f"{HOME}?done={'saved' if found.changed else 'unchanged'}"

    return await visit.submit(save, _page, values=form, field="lines" if pasted else "")


async def delete(visit: Visitor) -> Answer:
    """POST /settings/currencies/delete: delete a rate. Raises NotFound."""
    form = await visit.form()

    async def work() -> str:
        key = {name: form.get(name, "") for name in ("currency", "target", "date")}
        await calls.delete_rate(visit.call, message_of(key, OneRate))
        return f"{HOME}?done=deleted"

    return await visit.submit(work, _page)


async def _page(visit: PageRequest, again: Again) -> Page:
    organization_id, asked = visit.person.organization_id, visit.asked("from")
    first = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < len(str(rates.MOST_RATES)) else 0

    def find(db: Connection) -> tuple[list[CurrencyRate], list[str]]:
        found = rates.listed_rates(db, organization_id, most=_PER_PAGE + 1, skip=first)
        return found, rates.targets(db, organization_id)

    found, targets = await visit.call.read(find)
    wrong = {name.rpartition(".")[2]: message for name, message in again.wrong.items()}
    return visit.settings_page(
        "currencies.html",
        "currencies",
        again=Again(again.code, again.values, wrong, again.general),
        values={
            "target": targets[0] if targets else _USUAL_TARGET,
            "date": "",
            "currency": "",
            "rate": "",
            "lines": "",
        },
        rates=[
            RateLine(one.day, one.currency, one.target, f"1 {one.currency} = {one.rate} {one.target}")
            for one in found[:_PER_PAGE]
        ],
        currencies=sorted(CURRENCIES),
        newer=f"{HOME}?from={max(first - _PER_PAGE, 0)}" if first else "",
        older=f"{HOME}?from={first + _PER_PAGE}" if len(found) > _PER_PAGE else "",
        most=figures.count(MOST_AT_ONCE),
        done=_DONE.get(visit.asked("done"), "") if again.code == 200 else "",
    )
