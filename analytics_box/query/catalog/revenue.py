"""Transactions (wire 1.17). Amounts of different currencies are never added: each row is about one currency.

Facts have amounts in minor units, and so do all sums; rows of answers have decimal numbers of the main unit.
"""

from collections.abc import Sequence
from typing import Any, Final

from analytics_box.base.money import major
from analytics_box.query.catalog.types import OutputColumn, QueryType, Record, ScanRequest, Visualization, column
from analytics_box.query.catalog.values import (
    UNKNOWN,
    WHOLE,
    Measured,
    SortableValue,
    Value,
    device_of,
    field,
    hexadecimal,
    instant,
    percent_of,
    text_or_unknown,
)
from analytics_box.query.filters import OF_WEBSITES, SELECTING, FilterCondition
from analytics_box.query.plan import BUCKET, DerivedKey, PlanOrder
from analytics_box.query.ranges import TimeWindow

UNATTRIBUTED = "Unattributed"
OTHER_SOURCES = "Other sources"
# Failed and canceled payments, which only providers with webhooks report.
_KINDS_OF_FAILURES = 2
_PRODUCTS = ("product_id", "product_name")
FILTERS = (
    *("currency", "provider", "type", "country", "region", "city", "browser_name", "device_type", "os_name"),
    *("utm_source", "utm_medium", "utm_campaign", "referrer", "path"),
    # Beyond the wire.
    *_PRODUCTS,
    *("channel", "language", "website_id", "attribution_method", "verified", "lifecycle", *SELECTING),
)
_CURRENCY = column("currency", "string", "ISO 4217 code of the currency", field("currency"))


def _money(name: str) -> SortableValue:
    """A sum of minor units as a decimal number of the currency's main unit."""
    return SortableValue(lambda row: major(row[name], row["currency"]), DerivedKey("money", (name, "currency")))


def _amount(name: str, description: str, of: str = "") -> OutputColumn:
    return column(name, "number", description, _money(of or name), unit="currency")


def _count(name: str, description: str, of: str = "") -> OutputColumn:
    return column(name, "number", description, field(of or name))


_REVENUE = _amount("revenue", "Completed sales and subscription payments, before refunds")
_TRANSACTIONS = _count("transactions", "Completed sales and subscription payments")
_CUSTOMERS = _count("customers", "Distinct paying customers")
_PERCENTAGE = column(
    "percentage",
    "number",
    "Share of the revenue in this currency",
    SortableValue(lambda row: percent_of(row["revenue"], row[WHOLE]), DerivedKey("ratio", ("revenue", WHOLE))),
    unit="percent",
)
_FIGURES = (_REVENUE, _TRANSACTIONS, _CUSTOMERS, _PERCENTAGE)
_PER_ROW = ("revenue", "transactions", "customers")
_BY_REVENUE = (PlanOrder(DerivedKey("money", ("revenue", "currency"))),)


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    filters: tuple[str, ...] = FILTERS,
    rows: int = 100,
    visualization: Visualization = "table",
    **more: Any,
) -> QueryType:
    return QueryType(
        name=name,
        family="Revenue",
        title=title,
        description=description,
        columns=columns,
        asks=asks,
        filters=filters,
        organization=True,
        default_limit=rows,
        visualization=visualization,
        **more,
    )


def _by(
    name: str,
    title: str,
    group: tuple[str, ...],
    *,
    value: SortableValue | Value,
    more: tuple[OutputColumn, ...] = (),
    rows: int = 100,
) -> QueryType:
    """Revenue by some dimensions and currency, largest amounts first."""
    return _type(
        name,
        title,
        f"{title}, a row for each currency",
        (column("name", "string", "Name of the row", value), *more, _CURRENCY, *_FIGURES),
        ScanRequest(
            "transactions",
            _PER_ROW,
            (*group, "currency"),
            share_of="revenue",
            share_within=("currency",),
            order=_BY_REVENUE,
            least=("transactions", 1),
        ),
        rows=rows,
        visualization="bar",
    )


def _by_session(
    name: str,
    title: str,
    dimension: str,
    *,
    more: tuple[OutputColumn, ...] = (),
    group: tuple[str, ...] = (),
    rows: int = 20,
    empty: str = UNKNOWN,
) -> QueryType:
    """Revenue by a value of the session that a payment is attributed to."""

    def name_of(row: Measured) -> str:
        if not row["attributed"]:
            return UNATTRIBUTED
        return device_of(row) if dimension == "device" else row[dimension] or empty

    # Names in place of an empty value have no place in the order of engines.
    sorts = dimension != "device" and empty == UNKNOWN
    value = SortableValue(name_of, DerivedKey("attributed", (dimension, "attributed"))) if sorts else name_of
    return _by(name, title, (dimension, *group, "attributed"), value=value, more=more, rows=rows)


_COUNTRY = column("country", "string", "English name of the country, or Unknown", text_or_unknown("country"))

_TOTALS = (
    *("revenue", "transactions", "refund_amount", "refunds", "subscription_revenue", "subscriptions", "sale_revenue"),
    *("sales", "customers", "attributed_transactions", "attributed_revenue", "failed", "canceled", "failed_amount"),
    *("recovered", "from_providers", "failure_kinds", "verified_revenue", "started", "renewed", "churned", "trials"),
)


def _overview(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
    """The totals of each currency with their commonest reasons."""
    failures, cancellations = ({row["currency"]: row["failure_reason"] for row in found} for found in rows[1:])
    return [
        row
        | {
            "failure": failures.get(row["currency"]),
            "cancellation": cancellations.get(row["currency"]),
            "net": row["revenue"] - row["refund_amount"],
            "unverified": row["revenue"] - row["verified_revenue"],
        }
        for row in rows[0]
    ]


def _average(row: Measured) -> Any:
    """Revenue per transaction, rounded half up to the currency's minor unit; None if there are none."""
    count = row["transactions"]
    return major((2 * row["revenue"] + count) // (2 * count), row["currency"]) if count else None


def _failure_rate(row: Measured) -> float | None:
    """Failed attempts in percent of all attempts at providers that report failures; None if there are none."""
    attempts = row["failed"] + row["from_providers"]
    return percent_of(row["failed"], attempts) if attempts else None


_PAYMENTS = FilterCondition("payment_type", "is", ("subscription_event",), negated=True)
# The commonest reason of unsuccessful payments in each currency.
_REASONS = tuple(
    ScanRequest(
        "transactions",
        ("count",),
        ("currency", "failure_reason"),
        present=("failure_reason",),
        where=(_PAYMENTS, FilterCondition("payment_status", "is", (status,), negated=False)),
        order=(PlanOrder("currency", descending=False), PlanOrder("count")),
        per=(1, 1),
    )
    for status in ("failed", "canceled")
)
_SERIES = (
    *("revenue", "transactions", "customers", "refund_amount", "refunds", "attributed_revenue"),
    "attributed_transactions",
)


def _series(rows: Sequence[list[Record]], window: TimeWindow) -> list[Record]:
    """A row for each bucket and each currency of the range, zero where nothing was paid."""
    found = {(row[BUCKET], row["currency"]): row for row in rows[0]}
    currencies = sorted({row["currency"] for row in rows[0]})
    nothing = dict.fromkeys(_SERIES, 0)
    return [
        found.get((number, currency), nothing | {"currency": currency}) | {"date": bucket.label}
        for number, bucket in enumerate(window.buckets)
        for currency in currencies
    ]


_COUNTED = (_PAYMENTS, FilterCondition("payment_status", "is", ("completed", "refunded"), negated=False))
_TRANSACTION = column("transaction_id", "string", "Id of the transaction at its provider", field("transaction_id"))
_PROVIDER = column("provider", "string", "stripe, paddle, server, tracker or import", field("provider"))
_PAYMENT_TYPE = column("type", "string", "sale, subscription, refund or subscription_event", field("payment_type"))
_STATUS = column("status", "string", "completed, refunded, failed or canceled", field("payment_status"))
_SIGNED = _amount("amount", "Amount; negative for refunds")
_PRODUCT_NAME = column("product_name", "string", "Name of the product", field("product_name"))
_CREATED = column("created", "datetime", "Time of the transaction, UTC", instant("time"))
_LATEST_FIRST = (PlanOrder("time"),)
_DATE = column("date", "date", "The day, or the hour")

TYPES = (
    _type(
        "revenue_overview",
        "Revenue",
        "Totals of payments, refunds and failed payments, a row for each currency",
        (
            _CURRENCY,
            _amount("total_revenue", "Completed sales and subscription payments, before refunds", "revenue"),
            _count("total_transactions", "Completed sales and subscription payments", "transactions"),
            _amount("refund_amount", "Refunded amount"),
            _count("refund_count", "Refunds", "refunds"),
            _amount("subscription_revenue", "Completed subscription payments"),
            _count("subscription_count", "Completed subscription payments", "subscriptions"),
            _amount("sale_revenue", "Completed sales"),
            _count("sale_count", "Completed sales", "sales"),
            _count("unique_customers", "Distinct paying customers", "customers"),
            _count("attributed_transactions", "Transactions that are attributed to a session"),
            _amount("attributed_revenue", "Revenue that is attributed to a session"),
            column(
                "payment_diagnostics_available",
                "boolean",
                "Whether a provider that reports failed payments is connected and sent payments of the range",
                lambda row: bool(row["from_providers"] or row["failed"] or row["canceled"]),
            ),
            _count("failed_payment_attempts", "Failed payments", "failed"),
            _count("canceled_payment_attempts", "Canceled payments", "canceled"),
            _amount("failed_payment_amount", "Amount of failed payments", "failed_amount"),
            _count("recovered_payment_attempts", "Failed payments that succeeded later", "recovered"),
            _count(
                "successful_payment_attempts", "Completed payments of providers that report failures", "from_providers"
            ),
            _count(
                "observed_failure_event_types",
                "Kinds of unsuccessful payments in the range: failed and canceled",
                "failure_kinds",
            ),
            column(
                "required_failure_event_types",
                "number",
                "Kinds of unsuccessful payments that providers report",
                lambda _row: _KINDS_OF_FAILURES,
            ),
            column("top_payment_failure_reason", "string", "Commonest reason of failed payments", field("failure")),
            column(
                "top_payment_cancellation_reason",
                "string",
                "Commonest reason of canceled payments",
                field("cancellation"),
            ),
            column(
                "payment_failure_rate",
                "number",
                "Failed payments as a share of failed and successful ones",
                _failure_rate,
                unit="percent",
            ),
            # Beyond the wire.
            _amount("net_revenue", "Revenue minus refunds", "net"),
            column("average_order_value", "number", "Revenue per transaction", _average, unit="currency"),
            _amount("verified_revenue", "Revenue reported by a signed webhook or with an API key"),
            _amount("unverified_revenue", "Revenue reported by browsers", "unverified"),
            _count("new_subscriptions", "Subscriptions that started", "started"),
            _count("renewals", "Subscription payments that renewed a subscription", "renewed"),
            _count("churned_subscriptions", "Subscriptions that ended", "churned"),
            _count("trials", "Trials that started"),
        ),
        ScanRequest("transactions", _TOTALS, ("currency",), order=_BY_REVENUE),
        *_REASONS,
        shape=_overview,
        filters=tuple(name for name in FILTERS if name != "type"),
        visualization="metric",
    ),
    _type(
        "revenue_time_series",
        "Revenue over time",
        "Revenue by day or hour, a row for each currency of the range",
        (
            _DATE,
            _CURRENCY,
            _REVENUE,
            _TRANSACTIONS,
            _CUSTOMERS,
            _amount("refund_amount", "Refunded amount"),
            _count("refund_count", "Refunds", "refunds"),
            _amount("attributed_revenue", "Revenue that is attributed to a session"),
            _count("attributed_transactions", "Transactions that are attributed to a session"),
        ),
        ScanRequest("transactions", _SERIES, ("currency",), where=_COUNTED),
        shape=_series,
        series=True,
        visualization="timeseries",
    ),
    _by("revenue_by_provider", "Revenue by provider", ("provider",), value=field("provider")),
    _by(
        "revenue_attribution_overview",
        "Attributed revenue",
        ("attributed",),
        value=lambda row: "Attributed" if row["attributed"] else UNATTRIBUTED,
    ),
    _by_session("revenue_by_country", "Revenue by country", "country"),
    _by_session("revenue_by_referrer", "Revenue by referrer", "source"),
    _by_session("revenue_by_ai_product", "Revenue by AI assistant", "ai_product", empty=OTHER_SOURCES),
    _by_session("revenue_by_utm_source", "Revenue by campaign source", "utm_source"),
    _by_session("revenue_by_utm_medium", "Revenue by campaign medium", "utm_medium"),
    _by_session("revenue_by_utm_campaign", "Revenue by campaign", "utm_campaign"),
    _by_session("revenue_by_entry_page", "Revenue by entry page", "entry"),
    _by_session("revenue_by_browser", "Revenue by browser", "browser", rows=10),
    _by_session("revenue_by_device", "Revenue by device", "device", rows=10),
    _by_session("revenue_by_os", "Revenue by operating system", "system", rows=10),
    _by_session("revenue_by_region", "Revenue by region", "region", more=(_COUNTRY,), group=("country",)),
    _by_session("revenue_by_city", "Revenue by city", "city", more=(_COUNTRY,), group=("country",)),
    _by(
        "revenue_by_product",
        "Revenue by product",
        ("product_name", "product_id", "provider"),
        value=text_or_unknown("product_name"),
        more=(
            column("product_id", "string", "Id of the product at its provider", field("product_id")),
            _PROVIDER,
        ),
        rows=50,
    ),
    _type(
        "recent_transactions",
        "Transactions",
        "Payments and refunds, latest first",
        (
            _TRANSACTION,
            _PROVIDER,
            _PAYMENT_TYPE,
            _SIGNED,
            _CURRENCY,
            column("anonymous_id", "string", "Visitor's id; empty if unknown", hexadecimal("visitor")),
            _PRODUCT_NAME,
            _CREATED,
            column(
                "is_attributed",
                "boolean",
                "Whether the transaction is attributed to a session",
                SortableValue(lambda row: bool(row["attributed"]), "attributed"),
            ),
            column(
                "attribution_method",
                "string",
                "session, profile, anonymous, customer or unmatched",
                field("attribution"),
            ),
            column(
                "unmatched_reason",
                "string",
                "pending, no_identifier, not_found or several_machines; empty if the transaction is attributed",
                field("unmatched_reason"),
            ),
            column("country", "string", "English name of the country", field("country")),
            column("browser_name", "string", "Name of the browser", field("browser")),
            column("device_type", "string", "desktop, mobile or tablet", field("device")),
            column("referrer", "string", "Source of the session", field("source")),
            column("utm_source", "string", "Campaign source", field("utm_source")),
            column("utm_campaign", "string", "Campaign", field("utm_campaign")),
            # Beyond the wire.
            column(
                "is_verified",
                "boolean",
                "Whether a signed webhook or an API key reported the transaction, not a browser",
                SortableValue(lambda row: bool(row["verified"]), "verified"),
            ),
            _STATUS,
        ),
        ScanRequest(
            "transactions",
            columns=(
                *(
                    "transaction_id",
                    "provider",
                    "payment_type",
                    "amount",
                    "currency",
                    "visitor",
                    "product_name",
                    "time",
                ),
                *(
                    "attribution",
                    "attributed",
                    "unmatched_reason",
                    "country",
                    "browser",
                    "device",
                    "source",
                    "utm_source",
                ),
                *("utm_campaign", "verified", "payment_status"),
            ),
            where=_COUNTED,
            order=_LATEST_FIRST,
        ),
        rows=50,
    ),
    # Beyond the wire.
    _by_session("revenue_by_channel", "Revenue by channel", "channel"),
    *(
        _by(
            f"revenue_by_first_{name}",
            f"Revenue by {what} of the first visit",
            (dimension,),
            value=text_or_unknown(dimension),
            rows=20,
        )
        for name, what, dimension in (
            ("referrer", "referrer", "first_source"),
            ("channel", "channel", "first_channel"),
            ("utm_campaign", "campaign", "first_campaign"),
            ("entry_page", "entry page", "first_entry"),
        )
    ),
    _type(
        "failed_payments",
        "Failed payments",
        "Reasons for failed and canceled payments, a row for each currency",
        (
            column(
                "name", "string", "Reason as the provider reports it, or Unknown", text_or_unknown("failure_reason")
            ),
            _STATUS,
            _CURRENCY,
            _count("attempts", "Failed or canceled payments", "count"),
            _amount("amount", "Amount of these payments"),
            _count("recovered", "Payments that succeeded later"),
        ),
        ScanRequest(
            "transactions",
            ("count", "amount", "recovered"),
            ("failure_reason", "payment_status", "currency"),
            where=(_PAYMENTS, FilterCondition("payment_status", "is", ("failed", "canceled"), negated=False)),
            order=(PlanOrder("count"),),
        ),
        rows=50,
    ),
)

# Pages and procedures of goals, funnels, links and flags ask it of the sessions that these select.
OF_SESSIONS: Final = _type(
    "session_revenue",
    "Revenue of sessions",
    "Revenue that is attributed to the selected sessions, a row for each currency",
    (_CURRENCY, _REVENUE, _TRANSACTIONS),
    ScanRequest(
        "transactions", ("revenue", "transactions"), ("currency",), order=_BY_REVENUE, least=("transactions", 1)
    ),
    filters=OF_WEBSITES,
)

PERSONAL = (
    QueryType(
        name="profile_revenue",
        family="Profiles",
        personal=True,
        title="Transactions of a person",
        description="Transactions of one visitor or identified person, latest first",
        columns=(
            _TRANSACTION,
            _PROVIDER,
            _PAYMENT_TYPE,
            _STATUS,
            _SIGNED,
            _CURRENCY,
            _PRODUCT_NAME,
            _CREATED,
        ),
        asks=(
            ScanRequest(
                "transactions",
                columns=(
                    *("transaction_id", "provider", "payment_type", "payment_status", "amount", "currency"),
                    *("product_name", "time"),
                ),
                order=_LATEST_FIRST,
            ),
        ),
        filters=("anonymous_id", "profile_id", "currency", "provider", "type"),
        needs=("anonymous_id", "profile_id"),
        default_limit=50,
    ),
)
