"""The revenue of a website: tiles and a curve in one currency, its breakdowns, products and transactions."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.money import amount_text
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import chart, export, page, suggesting
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.board import Metric
from analytics_box.figures.breakdowns import BreakdownChoice
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.page import Dashboard, TilesAndChart
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.people.payments import PAYMENT_LABELS
from analytics_box.query.catalog.registry import TYPES
from analytics_box.query.catalog.types import QueryType, Record
from analytics_box.query.filters import FilterCondition
from analytics_box.tenants.websites.reach import own
from analytics_box.tenants.websites.shell import site_shell
from analytics_box.web.page import dates
from analytics_box.web.page.visit import Answer, Next, PageRequest, Visitor

PARAMETERS: Final = ("currency", "split", "touch")
_OVERVIEW, _SERIES = "revenue_overview", "revenue_time_series"
_CURVE: Final = Metric("revenue", _OVERVIEW, _SERIES)
# Breakdowns by their names in addresses: the label, the query type, and the filter that a click on a row sets.
_SPLITS: Final[Mapping[str, tuple[str, str, str]]] = {
    "channel": (_("Channel"), "revenue_by_channel", "channel"),
    "referrer": (_("Referrer"), "revenue_by_referrer", "referrer"),
    "campaign": (_("Campaign"), "revenue_by_utm_campaign", "utm_campaign"),
    "entry": (_("Entry page"), "revenue_by_entry_page", "entry_page"),
    "country": (_("Country"), "revenue_by_country", "country"),
    "device": (_("Device"), "revenue_by_device", "device_type"),
    "browser": (_("Browser"), "revenue_by_browser", "browser_name"),
    "system": (_("Operating system"), "revenue_by_os", "os_name"),
    "assistant": (_("AI assistant"), "revenue_by_ai_product", ""),
    "provider": (_("Provider"), "revenue_by_provider", ""),
}
_FIRST: Final[Mapping[str, str]] = {
    "channel": "revenue_by_first_channel",
    "referrer": "revenue_by_first_referrer",
    "campaign": "revenue_by_first_utm_campaign",
    "entry": "revenue_by_first_entry_page",
}
_USUAL: Final = {"split": "channel", "touch": "last"}
_UNMATCHED: Final = {
    "pending": _("Waiting for the visit"),
    "no_identifier": _("The payment names no visitor"),
    "not_found": _("The visit was not found"),
}
_METHODS: Final = {
    "session": _("Session"),
    "profile": _("Identified person"),
    "anonymous": _("Visitor"),
    "customer": _("Returning customer"),
}
_MOST_ROWS: Final = 15
_MOST_TRANSACTIONS: Final = 15
_MOST_EXPORTED: Final = 1_000
_NOT_FILTERED: Final = frozenset(("Unattributed", "Unknown"))


class RevenueTile(Struct, frozen=True):
    """A figure, and below it what it was before or what it consists of."""

    label: str
    value: str
    note: str = ""


class RevenueLine(Struct, frozen=True):
    """A row of a breakdown. `width` is the class of its bar; `href` filters the page by it, empty if nothing can."""

    name: str
    revenue: str
    transactions: str
    customers: str
    share: str
    width: str
    href: str = ""


class TransactionLine(Struct, frozen=True):
    """A transaction. `source` is where its session came from, or why there is none."""

    when: str
    kind: str
    product: str
    amount: str
    source: str
    method: str
    provider: str
    is_verified: bool
    is_refund: bool


class FailureLine(Struct, frozen=True):
    """A reason of failed or canceled payments."""

    reason: str
    attempts: str
    amount: str
    recovered: str


class CurrencyTab(Struct, frozen=True):
    """A currency to choose, with its revenue in the range."""

    code: str
    amount: str
    href: str
    selected: bool


async def show(visit: Visitor, website_id: FromPath[str]) -> Answer:
    """GET /sites/{id}/revenue. Raises NotFound."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/revenue", visit.request.query_params, WEBSITE, PARAMETERS)
    settled = await suggesting.redirect_with_values(visit, website.site, view)
    if settled is not None:
        return settled
    asking, board = await page.empty(visit, website.site, view)
    split, touch, split_type = _breakdown(board.view)
    content: dict[str, Any] = {"failed": "", "drawn": False, "currencies": ()}
    try:
        content |= await _content(visit, asking, board, split_type, _SPLITS[split][2] if touch == "last" else "")
    except UnansweredQuery as failed:
        content["failed"] = _("These figures could not be loaded: {why}").format(why=failed)
    return visit.pages.show(
        "revenue.html",
        shell=site_shell(visit, "revenue", website),
        site=website,
        may_set_up=visit.person.may("admin"),
        board=content.pop("board", board),
        split=_SPLITS[split][0],
        splits=_choices(board.view, "split", {name: label for name, (label, *_rest) in _SPLITS.items()}, split),
        touches=_choices(board.view, "touch", {"last": _("Last visit"), "first": _("First visit")}, touch)
        if split in _FIRST
        else (),
        **content,
    )


async def file(visit: Visitor, website_id: FromPath[str], form: FromPath[str]) -> Next:
    """GET /sites/{id}/revenue/export/{form}: the tables of the page, and the transactions of the range.

    Raises NotFound, RateLimited or Unavailable."""
    website = own(visit.call, website_id)
    view = read_view(f"/sites/{website.id}/revenue", visit.request.query_params, WEBSITE, PARAMETERS)
    *_rest, split_type = _breakdown(view)
    names = (_OVERVIEW, _SERIES, split_type, "revenue_by_product", "failed_payments", "recent_transactions")

    def sheet_of(name: str) -> Any:
        async def sheet(asking: PageQuery) -> ExportSheet:
            (rows,) = await asking.rows((name,), limit=_MOST_EXPORTED)
            return ExportSheet(name, tuple(output.name for output in TYPES[name].outputs), rows)

        return sheet

    return await export.file(visit, website.site, view, names, form, own={name: sheet_of(name) for name in names})


def _breakdown(view: View) -> tuple[str, str, str]:
    """The breakdown of the address, whose visit it is of, and its query type; only some have one for the first."""
    split, touch = view.own_value("split"), "first" if view.own_value("touch") == "first" else "last"
    if split not in _SPLITS:
        split = _USUAL["split"]
    usual = _SPLITS[split][1]
    return split, touch, _FIRST.get(split, usual) if touch == "first" else usual


def _choices(view: View, name: str, labels: Mapping[str, str], chosen: str) -> list[BreakdownChoice]:
    return [
        BreakdownChoice(label, view.choose(_USUAL, **{name: value}), value == chosen) for value, label in labels.items()
    ]


async def _content(
    visit: PageRequest, asking: PageQuery, board: Dashboard, split_type: str, field: str
) -> dict[str, Any]:
    """The content of the page in the chosen currency. Raises UnansweredQuery."""
    overview, before = await asking.rows((_OVERVIEW,), before=(_OVERVIEW,), limit=_MOST_EXPORTED)
    currency = _currency(board.view, overview)
    tabs = [
        CurrencyTab(
            row["currency"],
            amount_text(row["total_revenue"], row["currency"]),
            board.view.choose(currency=row["currency"]),
            row["currency"] == currency,
        )
        for row in overview
    ]
    if not currency:
        return {"drawn": False}
    types = (split_type, "revenue_by_product", "recent_transactions", "failed_payments")
    derived = [_in_currency(TYPES[name], currency) for name in types]
    series, earlier = await asking.rows((_SERIES,), before=(_SERIES,), limit=10_000)
    rows, products, recent, failures = await asking.rows((), derived=derived, limit=_MOST_TRANSACTIONS)
    total = next(row for row in overview if row["currency"] == currency)
    compared = asking.compared is not None and not asking.compared.nothing
    then = next((row for row in before if row["currency"] == currency), None) if compared else None
    return {
        "drawn": True,
        "currency": currency,
        "currencies": tabs if len(tabs) > 1 else (),
        "tiles": _tiles(total, then),
        "board": _with_curve(asking, board, currency, series, earlier if compared else None),
        "lines": _lines(rows, currency, board.view, field),
        "products": _lines(products, currency, board.view, ""),
        "transactions": [_transaction(visit, row) for row in recent],
        "failures": [_failure(row) for row in failures],
        "unverified": amount_text(total["unverified_revenue"], currency) if total["unverified_revenue"] else "",
    }


def _currency(view: View, overview: Sequence[Record]) -> str:
    """The currency of the address, else that of the most transactions; empty if there are none."""
    chosen = view.own_value("currency")
    known = [row["currency"] for row in overview]
    if chosen in known:
        return chosen
    return str(max(overview, key=lambda row: row["total_transactions"])["currency"]) if overview else ""


def _in_currency(query_type: QueryType, currency: str) -> QueryType:
    """The type for transactions in one currency."""
    only = FilterCondition("currency", "is", (currency,), negated=False)
    return replace(query_type, asks=tuple(replace(ask, where=(*ask.where, only)) for ask in query_type.asks))


def _tiles(row: Record, then: Record | None) -> list[RevenueTile]:
    currency = row["currency"]

    def money(name: str) -> str:
        return amount_text(row[name], currency) if row[name] is not None else "–"

    def before(name: str) -> str:
        if then is None or then[name] is None:
            return ""
        value = then[name]
        text = amount_text(value, currency) if isinstance(value, Decimal) else figures.count(value)
        return _("before: {value}").format(value=text)

    tiles = [
        RevenueTile(_("Revenue"), money("total_revenue"), before("total_revenue")),
        RevenueTile(_("Net revenue"), money("net_revenue"), before("net_revenue")),
        RevenueTile(_("Orders"), figures.count(row["total_transactions"]), before("total_transactions")),
        RevenueTile(_("Average order"), money("average_order_value"), before("average_order_value")),
        RevenueTile(_("Customers"), figures.count(row["unique_customers"]), before("unique_customers")),
        RevenueTile(
            _("Refunds"),
            money("refund_amount"),
            ngettext("1 refund", "{count} refunds", row["refund_count"]).format(
                count=figures.count(row["refund_count"])
            ),
        ),
    ]
    if row["subscription_count"] or row["churned_subscriptions"] or row["trials"]:
        parts = (
            _("{count} new").format(count=figures.count(row["new_subscriptions"])),
            _("{count} renewed").format(count=figures.count(row["renewals"])),
            _("{count} ended").format(count=figures.count(row["churned_subscriptions"])),
        )
        tiles.append(RevenueTile(_("Subscriptions"), money("subscription_revenue"), ", ".join(parts)))
    if row["payment_diagnostics_available"]:
        rate = row["payment_failure_rate"]
        tiles.append(
            RevenueTile(
                _("Failed payments"),
                figures.percent(rate) if rate is not None else "–",
                _("{failed} failed, {recovered} recovered").format(
                    failed=figures.count(row["failed_payment_attempts"]),
                    recovered=figures.count(row["recovered_payment_attempts"]),
                ),
            )
        )
    return tiles


def _with_curve(
    asking: PageQuery, board: Dashboard, currency: str, rows: Sequence[Record], earlier: Sequence[Record] | None
) -> Dashboard:
    """The page with the curve of a currency; its texts are amounts of money."""
    own_rows = [row for row in rows if row["currency"] == currency]
    theirs = None if earlier is None else [row for row in earlier if row["currency"] == currency]
    last: date | None = asking.compared.days.last if asking.compared is not None else None
    drawn = chart.chart(_CURVE, own_rows, theirs or None, axis=asking.axis, previous_last=last)
    points = tuple(
        replace(
            point,
            **{
                name: amount_text(Decimal(str(value)), currency)
                for name, value in (("text", point.value), ("before_text", point.before))
                if value is not None
            },
        )
        for point in drawn.points
    )
    figures_shown = TilesAndChart(
        (), replace(drawn, points=points), _("Revenue ({currency})").format(currency=currency), ""
    )
    return replace(board, figures=figures_shown)


def _lines(rows: Sequence[Record], currency: str, view: View, field: str) -> list[RevenueLine]:
    shown = rows[:_MOST_ROWS]
    most = max((float(row["revenue"]) for row in shown), default=0.0)
    return [
        RevenueLine(
            name=figures.visible(row["name"]),
            revenue=amount_text(row["revenue"], currency),
            transactions=figures.count(row["transactions"]),
            customers=figures.count(row["customers"]),
            share=figures.share(row["percentage"]),
            width=figures.bar_width(float(row["revenue"]), most),
            href=view.narrowed({field: row["name"]}).link() if field and row["name"] not in _NOT_FILTERED else "",
        )
        for row in shown
    ]


def _transaction(visit: PageRequest, row: Record) -> TransactionLine:
    known = row["is_attributed"]
    source = row["referrer"] or _("Unknown")
    if known and row["utm_campaign"]:
        source = f"{source} · {row['utm_campaign']}"
    return TransactionLine(
        when=dates.exact(row["created"], visit.person),
        kind=PAYMENT_LABELS[row["type"]],
        product=figures.visible(row["product_name"]),
        amount=amount_text(row["amount"], row["currency"]),
        source=figures.visible(source if known else _UNMATCHED.get(row["unmatched_reason"], _("Unattributed"))),
        method=_METHODS.get(row["attribution_method"], "") if known else "",
        provider=figures.visible(row["provider"]),
        is_verified=row["is_verified"],
        is_refund=row["type"] == "refund",
    )


def _failure(row: Record) -> FailureLine:
    reason = figures.visible(row["name"])
    if row["status"] == "canceled":
        reason = _("{reason} (canceled)").format(reason=reason)
    return FailureLine(
        reason,
        figures.count(row["attempts"]),
        amount_text(row["amount"], row["currency"]),
        figures.count(row["recovered"]),
    )
