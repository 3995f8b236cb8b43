"""A removed person: every query type answers as if they had never come."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from analytics_box.base.clock import DAY, MINUTE
from analytics_box.query.catalog import registry
from analytics_box.query.catalog.registry import TYPES
from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box

# Filters that types need, all of the person or of what everybody does.
NEEDS: Final = {"path": "/docs", "message": "Boom", "fingerprint": "0123456789abcdef", "goal": "", "funnel": "", "flag": "sale"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as inside:
        yield inside


def visit(box: WholeBox, who: str, days_ago: int) -> None:
    """A session with something of every kind."""
    shop, origin = box.sites["shop"], "https://shop.example"
    at = box.clock.now() - days_ago * DAY - 20 * MINUTE

    def one(minutes: float, path: str = "/docs", **more: Any) -> dict[str, Any]:
        known = {"anonymousId": who, "sessionId": f"{who}-{days_ago}", "timestamp": round(at + minutes * MINUTE)}
        return {**known, "path": f"{origin}{path}", "profileId": f"person-{who}", **more}

    views = [one(number, path, name="screen_view") for number, path in enumerate(("/", "/docs", "/cart"))]
    exit_ = one(1.5, name="page_exit", time_on_page=20, scroll_depth=80, interaction_count=3)
    events = [one(3, name="buy", properties={"plan": "pro", "price": 5}), one(4, name="$flag", properties={})]
    sent = {
        "batch": [*views, exit_, *events],
        "errors": [one(1, message="Boom", stack=f"Error\n    at pay ({origin}/a.js:1:2)", errorType="Error", release="1")],
        "vitals": [one(1, metricName=name, metricValue=100.0) for name in ("LCP", "TTFB")],
        "outgoing": [],
    }
    headers = {"origin": origin}
    for path, rows in sent.items():
        if rows:
            answer = box.post(f"/{path}?client_id={shop}", rows, **headers)
            assert answer.status == 200, answer.body


def answers(box: WholeBox) -> dict[str, Any]:
    """The answer of each type about websites."""
    found = {}
    for name, known in TYPES.items():
        if "website" not in known.subjects:
            continue
        filters = [{"field": need, "op": "eq", "value": NEEDS.get(need, "x")} for need in known.full_needs]
        content = {"parameters": [name], "preset": "last_30d", "filters": filters, "limit": 1_000}
        answer = box.query("shop", content)
        (row,) = json.loads(answer.body)["data"][0:1]
        found[name] = (row["data"][0]["success"], row["data"][0]["data"])
    return found
