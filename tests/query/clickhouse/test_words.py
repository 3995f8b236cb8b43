"""Statements in the words of ClickHouse, without one."""

import pytest

from analytics_box.query.engines.clickhouse import tables, words
from analytics_box.query.engines.sql import SqlStatement
from analytics_box.query.filters import FilterCondition
from analytics_box.query.plan import QueryPlan


def rendered(*where: FilterCondition, **more: object) -> SqlStatement:
    return words.render(QueryPlan("events", (1, 2), 0, 10, measures=("pageviews",), where=where, **more))  # type: ignore[arg-type]


def test_every_value_is_bound_with_its_type() -> None:
    statement = rendered(FilterCondition("path", "is", ("/a'b", "/c"), negated=False))
    assert "/a'b" not in statement.sql
    assert "site in {sites:Array(Int64)}" in statement.sql
    assert "time >= {start:Int64}" in statement.sql
    bound = words.bind_values(statement)
    assert bound["sites"] == [1, 2]
    assert ["/a'b", "/c"] in bound.values()
    assert all(f"{{{name}:" in statement.sql for name in bound), "and nothing else is bound"


def test_patterns_are_looked_for_in_texts_and_not_the_other_way_round() -> None:
    statement = rendered(FilterCondition("status", "regex", ("^4(0|1)",), negated=False))
    (name,) = (name for name, value in statement.values.items() if value == "^4(0|1)")
    assert f"match(cast(status as varchar), concat('(?-s)', {{{name}:String}}))" in statement.sql


def test_identities_are_joined_only_where_needed() -> None:
    assert "asof left join" in rendered(FilterCondition("person", "set", (), negated=False)).sql
    assert "join" not in rendered().sql


def test_single_server_has_tables_and_a_cluster_adds_distributed_ones() -> None:
    events = tables.BY_NAME["events"]
    (alone,) = tables.create_statements(events, "")
    assert " engine = MergeTree partition by toYYYYMM(" in alone
    assert " order by (site, kind, time, id) settings non_replicated_deduplication_window" in alone
    local, over = tables.create_statements(events, "stats")
    assert local.startswith("create table if not exists events_local on cluster 'stats' (id Int64, site Int64")
    assert " engine = ReplicatedMergeTree partition by" in local
    assert over.endswith("engine = Distributed('stats', currentDatabase(), events_local, intHash64(id))")


@pytest.mark.parametrize("table", ["strings", "visitor_profiles", "monitor_spans", "link_clicks", "checks"])
def test_a_table_lies_in_the_order_of_what_it_has(table: str) -> None:
    (made,) = tables.create_statements(tables.BY_NAME[table], "")
    order = made.partition(" order by (")[2].partition(")")[0].split(", ")
    assert order[-1] == "id"
    assert set(order) <= set(tables.BY_NAME[table].names)


def test_texts_go_before_the_rows_that_have_their_numbers() -> None:
    names = list(tables.BY_NAME)
    assert names.index("strings") < names.index("events")
