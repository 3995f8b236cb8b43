"""The revenue of a website: tiles and a curve in one currency, its breakdowns, products and transactions."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from litestar.params import FromPath
from msgspec import Struct
from msgspec.structs import replace

from analytics_box.base import figures
from analytics_box.base.money import amount_text, marks_of
from analytics_box.base.translation import _, ngettext
from analytics_box.figures import chart, export, page, suggesting, tiles
from analytics_box.figures.asking import PageQuery, UnansweredQuery
from analytics_box.figures.board import Metric
from analytics_box.figures.breakdowns import BreakdownChoice
from analytics_box.figures.export import ExportSheet
from analytics_box.figures.page import Dashboard, TilesAndChart
from analytics_box.figures.view import View, read_view
from analytics_box.products.overview.board import WEBSITE
from analytics_box.products.people.payments import PAYMENT_LABELS
from analytics_box.products.revenue.provider import NAMES
from analytics_box.products.revenue.reports import reason_text
from analytics_box.products.revenue.totals import converted_totals
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
    "several_machines": _("Visits are on ingest machines"),
}
_METHODS: Final = {
    "session": _("Session"),
    "profile": _("Identified person"),
    "anonymous": _("Visitor"),
    "customer": _("Returning customer"),
}
_REPORTERS: Final[Mapping[str, str]] = {
    "stripe": NAMES["stripe"],
    "paddle": NAMES["paddle"],
    "tracker": _("Browser"),
    "server": _("Server"),
    "import": _("Import"),
}
COMPARED: Final = {
    "total_revenue": _("Revenue"),
    "net_revenue": _("Net revenue"),
    "total_transactions": _("Orders"),
    "average_order_value": _("Average order"),
    "unique_customers": _("Customers"),
}
_MOST_ROWS: Final = 15
_MOST_TRANSACTIONS: Final = 15
MOST_EXPORTED: Final = 1_000
_NOT_FILTERED: Final = frozenset(("Unattributed", "Unknown"))


class RevenueTile(Struct, frozen=True):
    """A figure, and below it its change or what it consists of."""

    label: str
    value: str
    note: str = ""
    change: tiles.TileChange | None = None


class RevenueLine(Struct, frozen=True):
    """A row of a breakdown. `counts` has the figures of columns for which phones have no room. `width` is the class of
    its bar; `href` filters the page by it, empty if nothing can."""

    name: str
    revenue: str
    transactions: str
    customers: str
    counts: str
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
        content |= await _content(
            visit, asking, board, split_type, _SPLITS[split][2] if touch == "last" else "", website.organization_id
        )
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
            (rows,) = await asking.rows((name,), limit=MOST_EXPORTED)
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
    visit: PageRequest, asking: PageQuery, board: Dashboard, split_type: str, field: str, organization_id: str
) -> dict[str, Any]:
    """The content of the page in the chosen currency. Raises UnansweredQuery."""
    overview, before = await asking.rows((_OVERVIEW,), so_far=(_OVERVIEW,), limit=MOST_EXPORTED)
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
    against = asking.compared
    compared = against is not None and not against.nothing
    then = next((row for row in before if row["currency"] == currency), None)
    changes = {}
    if against is not None and against.begun is None:
        changes = changes_of(total, then, so_far=bool(asking.until), fair=against.fair)
    exported = sum(row["total_transactions"] + row["refund_count"] for row in overview)
    return {
        "drawn": True,
        "currency": currency,
        "currencies": tabs if len(tabs) > 1 else (),
        "totals": await converted_totals(visit.call, organization_id, asking, overview),
        "tiles": _tiles(total, changes),
        "board": _with_curve(asking, board, currency, series, earlier if compared else None),
        "lines": _lines(rows, currency, board.view, field, reporters=split_type == "revenue_by_provider"),
        "products": _lines(products, currency, board.view, ""),
        "transactions": [_transaction(visit, row) for row in recent],
        "failures": [_failure(row) for row in failures],
        "cut": _(
            "Exports have the latest {count} of {all} transactions. Select a shorter range to export the others."
        ).format(count=figures.count(MOST_EXPORTED), all=figures.count(exported))
        if exported > MOST_EXPORTED
        else "",
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


def changes_of(row: Record, then: Record | None, *, so_far: bool, fair: bool) -> dict[str, tiles.TileChange]:
    """The changes of the figures that are compared, by their names. Without a row, nothing was paid then. `so_far` and
    `fair` are as in tiles."""
    zero = {name: type(row[name])(0) for name in COMPARED if name != "average_order_value"}
    earlier = then or {**zero, "average_order_value": None}
    changes = {}
    for name in COMPARED:
        change = tiles.change_of(Metric(name, _OVERVIEW), row[name], earlier[name], so_far=so_far, fair=fair)
        if change is not None:
            is_money = isinstance(earlier[name], Decimal)
            before = amount_text(earlier[name], row["currency"]) if is_money else change.before
            changes[name] = replace(change, before=before)
    return changes


def _tiles(row: Record, changes: Mapping[str, tiles.TileChange]) -> list[RevenueTile]:
    currency = row["currency"]

    def money(name: str) -> str:
        return amount_text(row[name], currency) if row[name] is not None else "–"

    def tile(label: str, name: str) -> RevenueTile:
        value = money(name) if isinstance(row[name], Decimal | None) else figures.count(row[name])
        return RevenueTile(label, value, change=changes.get(name))

    shown = [
        *(tile(label, name) for name, label in COMPARED.items()),
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
        shown.append(RevenueTile(_("Subscriptions"), money("subscription_revenue"), ", ".join(parts)))
    if row["payment_diagnostics_available"]:
        rate = row["payment_failure_rate"]
        shown.append(
            RevenueTile(
                _("Failed payments"),
                figures.percent(rate) if rate is not None else "–",
                _("{failed} failed, {recovered} recovered").format(
                    failed=figures.count(row["failed_payment_attempts"]),
                    recovered=figures.count(row["recovered_payment_attempts"]),
                ),
            )
        )
    return shown


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
        (),
        replace(drawn, points=points, affixes=marks_of(currency)),
        _("Revenue ({currency})").format(currency=currency),
        "",
    )
    return replace(board, figures=figures_shown)


def _lines(
    rows: Sequence[Record], currency: str, view: View, field: str, *, reporters: bool = False
) -> list[RevenueLine]:
    shown = rows[:_MOST_ROWS]
    most = max((float(row["revenue"]) for row in shown), default=0.0)
    return [
        RevenueLine(
            name=figures.visible(_REPORTERS.get(row["name"], row["name"]) if reporters else row["name"]),
            revenue=amount_text(row["revenue"], currency),
            transactions=figures.count(row["transactions"]),
            customers=figures.count(row["customers"]),
            counts=_("{orders}, {customers}").format(
                orders=ngettext("1 order", "{count} orders", row["transactions"]).format(
                    count=figures.count(row["transactions"])
                ),
                customers=ngettext("1 customer", "{count} customers", row["customers"]).format(
                    count=figures.count(row["customers"])
                ),
            ),
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
        provider=_REPORTERS[row["provider"]],
        is_verified=row["is_verified"],
        is_refund=row["type"] == "refund",
    )


def _failure(row: Record) -> FailureLine:
    reason = figures.visible(reason_text(row["name"]))
    if row["status"] == "canceled":
        reason = _("{reason} (canceled)").format(reason=reason)
    return FailureLine(
        reason,
        figures.count(row["attempts"]),
        amount_text(row["amount"], row["currency"]),
        figures.count(row["recovered"]),
    )
