"""Real processes that are killed in the middle: every acknowledged event is in ClickHouse once, and counted; and
everybody is known of whom a machine was told."""

from tests.benchmarks.cluster import measure
from tests.query.clickhouse.served import needs_chdb


@needs_chdb
def test_acknowledged_events_are_stored_once_whichever_process_is_killed() -> None:
    found = measure(5, nodes=2, pause=0.05)
    assert found["killed"] == ["node1", "primary", "clickhouse", "node2"]
    assert found["acknowledged"] > 100
    assert found["identified"] > 5
    assert found["acknowledged"] <= found["stored"] <= found["sent"] + 2, "the first of each machine are not counted"
