"""Transactions (wire 1.17): amounts are told apart by currency, and are exact decimal numbers."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from tests.query.brute.facts import Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import passes
from tests.query.brute.measures import instant, share
from tests.query.brute.series import slots

PLACES = {"JPY": 0, "BHD": 3}


def amount(minor: int, currency: str) -> Decimal:
    return Decimal(minor).scaleb(-PLACES.get(currency, 2))


def paid(row: Row) -> bool:
    return row["payment_type"] in {"sale", "subscription"} and row["payment_status"] == "completed"


def attempted(row: Row, *statuses: str) -> bool:
    return row["payment_status"] in statuses and row["payment_type"] != "subscription_event"


def attributed(row: Row) -> bool:
    return bool(row["attribution"] != "unmatched")


def selected(facts: Facts, asked: Question) -> list[Row]:
    """The transactions of a question. Their page is the one on which their session began."""
    rows = (row | {"path": row["entry"]} for row in facts["transactions"])
    return [row for row in rows if asked.has(row["time"]) and passes(row, asked.filters)]


def total(rows: Rows) -> int:
    return sum(row["amount"] for row in rows if paid(row))


def customers(rows: Rows) -> int:
    return len({row["customer"] for row in rows if paid(row)} - {0})


def by(
    facts: Facts, asked: Question, *, key: Callable[[Row], tuple[Any, ...]], shown: Callable[[Row], Row]
) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in selected(facts, asked):
        groups.setdefault((*key(row), row["currency"]), []).append(row)
    whole: Counter[str] = Counter()
    for (*_rest, currency), rows in groups.items():
        whole[currency] += total(rows)
    ordered = sorted(groups.items(), key=lambda item: (-amount(total(item[1]), item[0][-1]), *item[0]))
    return [
        {
            **shown(rows[0]),
            "currency": values[-1],
            "revenue": amount(total(rows), values[-1]),
            "transactions": sum(map(paid, rows)),
            "customers": customers(rows),
            "percentage": share(total(rows), whole[values[-1]]),
        }
        for values, rows in ordered
        if any(map(paid, rows))
    ]


def _named(name: str, row: Row) -> str:
    return (row[name] or "Unknown") if attributed(row) else "Unattributed"


def _by_session(name: str, *within: str) -> Answer:
    return partial(
        by,
        key=lambda row: (row[name], *(row[one] for one in within), attributed(row)),
        shown=lambda row: {"name": _named(name, row), **{one: row[one] or "Unknown" for one in within}},
    )


def _by_own(name: str) -> Answer:
    return partial(by, key=lambda row: (row[name],), shown=lambda row: {"name": row[name] or "Unknown"})


def _assistant(row: Row) -> str:
    return row["source"] if row["channel"] == "AI Assistant" else ""


def _refunded(rows: Rows) -> int:
    return -sum(int(row["amount"]) for row in rows if row["payment_type"] == "refund")


def _refunds(rows: Rows) -> int:
    return sum(row["payment_type"] == "refund" and row["amount"] < 0 for row in rows)


def _recovered(rows: Rows, facts: Facts) -> int:
    later = {row["payment"] for row in facts["transactions"] if paid(row)} - {0}
    return sum(attempted(row, "failed") and row["payment"] in later for row in rows)


def _commonest(rows: Rows, status: str) -> str | None:
    reasons = Counter(row["failure_reason"] for row in rows if attempted(row, status) and row["failure_reason"])
    return min(reasons, key=lambda reason: (-reasons[reason], reason)) if reasons else None


def overview(facts: Facts, asked: Question) -> list[Row]:
    groups: dict[str, list[Row]] = {}
    for row in selected(facts, asked):
        groups.setdefault(row["currency"], []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-amount(total(item[1]), item[0]), item[0]))
    return [_totals(currency, rows, facts) for currency, rows in ordered]


def _totals(currency: str, rows: Rows, facts: Facts) -> Row:
    sold = [row for row in rows if paid(row)]
    known = [row for row in sold if attributed(row)]
    from_providers = sum(row["provider"] in {"stripe", "paddle"} for row in sold)
    failed = [row for row in rows if attempted(row, "failed")]
    canceled = [row for row in rows if attempted(row, "canceled")]

    def money(minor: int) -> Decimal:
        return amount(minor, currency)

    def of(kind: str) -> list[Row]:
        return [row for row in sold if row["payment_type"] == kind]

    revenue = total(rows)
    average = None
    if sold:
        average = money((2 * revenue + len(sold)) // (2 * len(sold)))
    return {
        "currency": currency,
        "total_revenue": money(revenue),
        "total_transactions": len(sold),
        "refund_amount": money(_refunded(rows)),
        "refund_count": _refunds(rows),
        "subscription_revenue": money(total(of("subscription"))),
        "subscription_count": len(of("subscription")),
        "sale_revenue": money(total(of("sale"))),
        "sale_count": len(of("sale")),
        "unique_customers": customers(rows),
        "attributed_transactions": len(known),
        "attributed_revenue": money(total(known)),
        "payment_diagnostics_available": bool(from_providers or failed or canceled),
        "failed_payment_attempts": len(failed),
        "canceled_payment_attempts": len(canceled),
        "failed_payment_amount": money(sum(row["amount"] for row in failed)),
        "recovered_payment_attempts": _recovered(rows, facts),
        "successful_payment_attempts": from_providers,
        "observed_failure_event_types": bool(failed) + bool(canceled),
        "required_failure_event_types": 2,
        "top_payment_failure_reason": _commonest(rows, "failed"),
        "top_payment_cancellation_reason": _commonest(rows, "canceled"),
        "payment_failure_rate": share(len(failed), len(failed) + from_providers) if failed or from_providers else None,
        "net_revenue": money(revenue - _refunded(rows)),
        "average_order_value": average,
        "verified_revenue": money(total([row for row in sold if row["verified"]])),
        "unverified_revenue": money(total([row for row in sold if not row["verified"]])),
        "new_subscriptions": sum(row["lifecycle"] == "new" for row in sold),
        "renewals": sum(row["lifecycle"] == "renewal" for row in sold),
        "churned_subscriptions": sum(row["lifecycle"] == "churn" for row in rows),
        "trials": sum(row["lifecycle"] == "trial" for row in rows),
    }


def _counted(row: Row) -> bool:
    return row["payment_type"] != "subscription_event" and row["payment_status"] in {"completed", "refunded"}


def series(facts: Facts, asked: Question) -> list[Row]:
    rows = [row for row in selected(facts, asked) if _counted(row)]
    currencies = sorted({row["currency"] for row in rows})
    found = []
    for slot, own in slots(rows, asked):
        for currency in currencies:
            same = [row for row in own if row["currency"] == currency]
            known = [row for row in same if paid(row) and attributed(row)]
            found.append(
                {
                    "date": slot.label,
                    "currency": currency,
                    "revenue": amount(total(same), currency),
                    "transactions": sum(map(paid, same)),
                    "customers": customers(same),
                    "refund_amount": amount(_refunded(same), currency),
                    "refund_count": _refunds(same),
                    "attributed_revenue": amount(total(known), currency),
                    "attributed_transactions": len(known),
                }
            )
    return found


def _hexadecimal(number: int) -> str:
    return f"{number:016x}" if number else ""


def _latest(rows: Rows) -> list[Row]:
    return sorted(rows, key=lambda row: (row["time"], row["id"]), reverse=True)


def recent(facts: Facts, asked: Question) -> list[Row]:
    return [
        {
            "transaction_id": row["transaction_id"],
            "provider": row["provider"],
            "type": row["payment_type"],
            "amount": amount(row["amount"], row["currency"]),
            "currency": row["currency"],
            "anonymous_id": _hexadecimal(row["visitor"]),
            "product_name": row["product_name"],
            "created": instant(row["time"]),
            "is_attributed": attributed(row),
            "attribution_method": row["attribution"],
            "unmatched_reason": row["unmatched_reason"],
            "country": row["country"],
            "browser_name": row["browser"],
            "device_type": row["device"],
            "referrer": row["source"],
            "utm_source": row["utm_source"],
            "utm_campaign": row["utm_campaign"],
            "is_verified": bool(row["verified"]),
            "status": row["payment_status"],
        }
        for row in _latest(selected(facts, asked))
        if _counted(row)
    ]


def of_a_person(facts: Facts, asked: Question) -> list[Row]:
    return [
        {
            "transaction_id": row["transaction_id"],
            "provider": row["provider"],
            "type": row["payment_type"],
            "status": row["payment_status"],
            "amount": amount(row["amount"], row["currency"]),
            "currency": row["currency"],
            "product_name": row["product_name"],
            "created": instant(row["time"]),
        }
        for row in _latest(selected(facts, asked))
    ]


def failures(facts: Facts, asked: Question) -> list[Row]:
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in selected(facts, asked):
        if attempted(row, "failed", "canceled"):
            key = (row["failure_reason"], row["payment_status"], row["currency"])
            groups.setdefault(key, []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), *item[0]))
    return [
        {
            "name": reason or "Unknown",
            "status": status,
            "currency": currency,
            "attempts": len(rows),
            "amount": amount(sum(row["amount"] for row in rows), currency),
            "recovered": _recovered(rows, facts),
        }
        for (reason, status, currency), rows in ordered
    ]


ANSWERS: dict[str, Answer] = {
    "revenue_overview": overview,
    "revenue_time_series": series,
    "revenue_by_provider": partial(by, key=lambda row: (row["provider"],), shown=lambda row: {"name": row["provider"]}),
    "revenue_attribution_overview": partial(
        by,
        key=lambda row: (attributed(row),),
        shown=lambda row: {"name": "Attributed" if attributed(row) else "Unattributed"},
    ),
    "revenue_by_country": _by_session("country"),
    "revenue_by_referrer": _by_session("source"),
    "revenue_by_ai_product": partial(
        by,
        key=lambda row: (_assistant(row), attributed(row)),
        shown=lambda row: {"name": (_assistant(row) or "Other sources") if attributed(row) else "Unattributed"},
    ),
    "revenue_by_utm_source": _by_session("utm_source"),
    "revenue_by_utm_medium": _by_session("utm_medium"),
    "revenue_by_utm_campaign": _by_session("utm_campaign"),
    "revenue_by_entry_page": _by_session("entry"),
    "revenue_by_browser": _by_session("browser"),
    "revenue_by_device": partial(
        by,
        key=lambda row: (row["device"], attributed(row)),
        shown=lambda row: {"name": (row["device"] or "desktop") if attributed(row) else "Unattributed"},
    ),
    "revenue_by_os": _by_session("system"),
    "revenue_by_region": _by_session("region", "country"),
    "revenue_by_city": _by_session("city", "country"),
    "revenue_by_product": partial(
        by,
        key=lambda row: (row["product_name"], row["product_id"], row["provider"]),
        shown=lambda row: {
            "name": row["product_name"] or "Unknown",
            "product_id": row["product_id"],
            "provider": row["provider"],
        },
    ),
    "recent_transactions": recent,
    "revenue_by_channel": _by_session("channel"),
    "revenue_by_first_referrer": _by_own("first_source"),
    "revenue_by_first_channel": _by_own("first_channel"),
    "revenue_by_first_utm_campaign": _by_own("first_campaign"),
    "revenue_by_first_entry_page": _by_own("first_entry"),
    "failed_payments": failures,
    "profile_revenue": of_a_person,
}
