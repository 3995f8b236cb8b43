"""AI agents and the visitors whom their products refer (wire 1.14)."""

from collections.abc import Callable
from typing import Any

from analytics_box.web.recognition.ai_agents import agents
from tests.query.brute.facts import CUSTOM, VIEW, Answer, Facts, Question, Row, Rows
from tests.query.brute.filters import OF_SPANS, passes
from tests.query.brute.measures import distinct, last, share, views, visitors
from tests.query.brute.series import by_slot, slots
from tests.query.brute.sessions import visits

OF_REQUESTS = {name for name, table in OF_SPANS.items() if table == "ai_requests"}
PURPOSES = ("training", "search_index", "on_demand")


def _requests(facts: Facts, asked: Question) -> list[Row]:
    """The requests in the range. Only filters that say something of requests select them."""
    filters = [item for item in asked.filters if item[0] in OF_REQUESTS | {"path"}]
    return [row for row in facts["ai_requests"] if asked.has(row["time"]) and passes(row, filters)]


def _people(facts: Facts, asked: Question) -> list[Row]:
    filters = [item for item in asked.filters if item[0] not in OF_REQUESTS]
    return [
        row
        for row in facts["events"]
        if row["kind"] in {VIEW, CUSTOM} and not row["bot"] and asked.has(row["time"]) and passes(row, filters)
    ]


def _referred(facts: Facts, asked: Question) -> list[Row]:
    return [row for row in _people(facts, asked) if row["channel"] == "AI Assistant"]


def _by(rows: Rows, *names: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names) if len(names) > 1 else row[names[0]], []).append(row)
    return groups


def _largest(groups: dict[Any, list[Row]]) -> list[tuple[Any, list[Row]]]:
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def _purposes(rows: Rows) -> Row:
    return {purpose: sum(row["purpose"] == purpose for row in rows) for purpose in PURPOSES}


def _errors(rows: Rows) -> int:
    return sum((row["status"] or 0) >= 400 for row in rows)


def _products(facts: Facts, asked: Question) -> list[Row]:
    read, referred = _by(_requests(facts, asked), "product"), _by(_referred(facts, asked), "source")
    found = [
        {
            "product": product,
            "requests": len(read.get(product, ())),
            "pages": distinct("path")(read.get(product, [])),
            **_purposes(read.get(product, [])),
            "visitors": visitors(referred.get(product, [])),
            "last_seen": last(read[product]) if product in read else None,
        }
        for product in {*read, *referred}
    ]
    return sorted(found, key=lambda row: (-row["requests"], -row["visitors"], row["product"]))


def _formats(facts: Facts, asked: Question) -> list[Row]:
    return [
        {
            "format": name,
            "requests": len(rows),
            "pages": distinct("path")(rows),
            "products": [product for product, _rows in _largest(_by(rows, "product"))],
        }
        for name, rows in _largest(_by(_requests(facts, asked), "format"))
    ]


def _product_visitors(facts: Facts, asked: Question) -> list[Row]:
    found = []
    for slot, rows in slots(_referred(facts, asked), asked):
        each = {product: visitors(own) for product, own in _by(rows, "source").items()}
        for product in sorted(each, key=lambda name: (-each[name], name)):
            found.append({"date": slot.label, "product": product, "visitors": each[product]})
    return found


def _pages(facts: Facts, asked: Question) -> list[Row]:
    seen = _by([row for row in _people(facts, asked) if row["kind"] == VIEW], "path")
    found = []
    for path, rows in _largest(_by(_requests(facts, asked), "path")):
        own = seen.get(path, [])
        found.append(
            {
                "page": path,
                "visitors": visitors([row for row in own if row["channel"] == "AI Assistant"]),
                "products": distinct("product")(rows),
                "requests": len(rows),
                "format": _largest(_by(rows, "format"))[0][0],
                "pageviews": views(own),
            }
        )
    return found


def _outcomes(facts: Facts, asked: Question) -> list[Row]:
    plain = Question(
        asked.first,
        asked.last,
        asked.tz,
        tuple(item for item in asked.filters if item[0] not in OF_REQUESTS),
        asked.hourly,
        asked.now,
    )
    begun, referred = visits(facts, plain), _by(_referred(facts, plain), "source")
    own: dict[str, list[Any]] = {}
    for visit in begun:
        if visit.rows[0]["channel"] == "AI Assistant":
            own.setdefault(visit.rows[0]["source"], []).append(visit)

    def outcome(product: str, some: list[Any], rows: Rows) -> Row:
        return {
            "product": product,
            "visitors": len({visit.visitor for visit in some}),
            "pages_per_visit": share(views(rows), len(some), 1),
            "engaged_rate": share(sum(not visit.bounced for visit in some), len(some)),
        }

    each = [outcome(product, some, referred.get(product, [])) for product, some in own.items()]
    each.sort(key=lambda row: (-row["visitors"], row["product"]))
    return [outcome("All visitors", begun, _people(facts, plain)), *each]


def _crawlers(facts: Facts, asked: Question) -> list[Row]:
    found = []
    for agent_id, rows in _largest(_by(_requests(facts, asked), "ai_agent")):
        newest = max(rows, key=lambda row: (row["time"], row["id"]))
        known = agents().get(agent_id)
        seen = {row["known_address"] for row in rows}
        found.append(
            {
                "agent_id": agent_id,
                "name": known.token if known else agent_id,
                "product": newest["product"],
                "purpose": newest["purpose"],
                "requests": len(rows),
                "last_seen": last(rows),
                "user_agent": newest["user_agent"],
                "operator": known.operator if known else "",
                "pages": distinct("path")(rows),
                "errors": _errors(rows),
                "verified": "no" if 0 in seen else "yes" if 1 in seen else "unknown",
                "about": known.about if known else "",
            }
        )
    return found


def _summary(facts: Facts, asked: Question) -> list[Row]:
    rows = _requests(facts, asked)
    return [
        {
            "requests": len(rows),
            "products": distinct("product")(rows),
            "agents": distinct("ai_agent")(rows),
            "pages": distinct("path")(rows),
            **_purposes(rows),
            "errors": _errors(rows),
            "visitors": visitors(_referred(facts, asked)),
        }
    ]


def _by_date(facts: Facts, asked: Question) -> list[Row]:
    return by_slot(
        _requests(facts, asked),
        asked,
        lambda rows: {"requests": len(rows), **_purposes(rows), "errors": _errors(rows)},
    )


def _of_pages(keep: Callable[[Facts, Question, str, Rows], bool], fields: Callable[[Rows], Row]) -> Answer:
    def answer(facts: Facts, asked: Question) -> list[Row]:
        return [
            {
                "page": path,
                **fields(rows),
                "requests": len(rows),
                "products": distinct("product")(rows),
                "last_seen": last(rows),
            }
            for path, rows in _largest(_by(_requests(facts, asked), "path"))
            if keep(facts, asked, path, rows)
        ]

    return answer


def _is_unvisited(facts: Facts, asked: Question, path: str, _rows: Rows) -> bool:
    return not any(
        row["path"] == path and row["kind"] == VIEW and not row["bot"] and asked.has(row["time"])
        for row in facts["events"]
    )


def _error_pages(facts: Facts, asked: Question) -> list[Row]:
    found = _of_pages(lambda _facts, _asked, _path, rows: _errors(rows) > 0, lambda rows: {"errors": _errors(rows)})
    return sorted(found(facts, asked), key=lambda row: (-row["errors"], row["page"]))


ANSWERS: dict[str, Answer] = {
    "ai_products": _products,
    "ai_content_formats": _formats,
    "ai_product_visitors": _product_visitors,
    "ai_agent_pages": _pages,
    "ai_visitor_outcomes": _outcomes,
    "ai_crawlers": _crawlers,
    "ai_summary": _summary,
    "ai_requests_by_date": _by_date,
    "ai_unvisited_pages": _of_pages(_is_unvisited, lambda _rows: {}),
    "ai_error_pages": _error_pages,
}
