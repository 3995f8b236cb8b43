"""Sums of money: breakdowns add up to the overview, currencies are never mixed, and no count is negative."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.query import parquet
from analytics_box.query.catalog.registry import TYPES
from tests.examples import examples
from tests.query.questions import Asked, ask, questions
from tests.query.stories import Story, tell
from tests.query.world import World

BREAKDOWNS = sorted(
    name
    for name, known in TYPES.items()
    if known.family == "Revenue" and {"revenue", "percentage"} <= {output.name for output in known.outputs}
)


@pytest.fixture(scope="module")
def stories(world: World) -> tuple[Story, ...]:
    return tuple(tell(world, seed) for seed in range(90, 98))


def _asked(data: st.DataObject, stories: tuple[Story, ...], name: str) -> tuple[Story, Asked]:
    story = data.draw(st.sampled_from(stories))
    asked = data.draw(questions(story, name))
    question = replace(asked.question, filters=tuple(one for one in asked.question.filters if one[0] != "type"))
    return story, replace(asked, question=question, sort_by=None, limit=10_000, page=1)


def _sums(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    found: Counter[str] = Counter()
    for row in rows:
        found[row["currency"]] += row[name]
    return {currency: value for currency, value in found.items() if value}


@pytest.mark.parametrize("name", [*BREAKDOWNS, "revenue_time_series"])
@examples(10, unchecked=HealthCheck)
@given(data=st.data())
def test_rows_of_a_breakdown_add_up_to_the_overview_of_each_currency(
    stories: tuple[Story, ...], name: str, data: st.DataObject
) -> None:
    story, asked = _asked(data, stories, name)
    rows = ask(story, asked).data
    whole = ask(story, replace(asked, type="revenue_overview")).data
    assert _sums(rows, "revenue") == _sums(whole, "total_revenue"), asked
    assert _sums(rows, "transactions") == _sums(whole, "total_transactions"), asked


@examples(20, unchecked=HealthCheck)
@given(data=st.data())
def test_no_count_is_negative_and_no_currency_has_two_rows(stories: tuple[Story, ...], data: st.DataObject) -> None:
    story, asked = _asked(data, stories, "revenue_overview")
    rows = ask(story, asked).data
    for row in rows:
        assert all(value >= 0 for value in row.values() if isinstance(value, int)), row
        assert row["attributed_revenue"] <= row["total_revenue"]
    assert len({row["currency"] for row in rows}) == len(rows)


def test_amounts_are_decimal_columns_of_parquet_files(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"amount": Decimal("12.30")}, {"amount": Decimal("0.001")}, {"amount": None}]
    (content,) = parquet.files([(("amount",), rows)])
    path = tmp_path / "amounts.parquet"
    path.write_bytes(content)
    assert [row["amount"] for row in parquet.rows(path, ("amount",))] == [Decimal("12.3"), Decimal("0.001"), None]


def test_no_type_about_money_is_public() -> None:
    money = [known for known in TYPES.values() if any(ask.source == "transactions" for ask in known.asks)]
    assert money
    assert not any(known.is_public(values=True) for known in money)
