"""A day on a status page has the same figures as that day in the monitor's own queries (semantics 23)."""

import random

from analytics_box.base.facts.uptime import DEGRADED, DOWN, MAINTENANCE, UNKNOWN, UP, UptimeSpan
from tests.inprocess import NOON
from tests.products.status_pages.view.world import StatusWorld

HOUR = 3_600_000
FIELDS = {
    "date": "date",
    "uptime": "uptime_percentage",
    "checks": "total_checks",
    "passed": "successful_checks",
    "downtime_seconds": "downtime_seconds",
    "average_ms": "avg_response_time",
    "p95_ms": "p95_response_time",
}


def test_a_day_is_the_same_on_the_page_and_in_queries(status_world: StatusWorld) -> None:
    chance = random.Random(1)
    monitor = status_world.made(name="API")
    edges = sorted({NOON - 30 * 24 * HOUR, NOON, *(NOON - chance.randrange(1, 700) * HOUR for _ in range(60))})
    states = [chance.choice((UP, UP, DEGRADED, DOWN, UNKNOWN, MAINTENANCE)) for _ in edges]
    spans = [
        UptimeSpan(state, start, until if until < NOON else 0)
        for state, start, until in zip(states, edges, edges[1:], strict=False)
    ]
    status_world.spans(monitor, *spans)
    status_world.checks(
        monitor,
        *(
            (at, chance.choice((0, 1, 1, 2)), chance.choice((None, chance.randrange(1_000, 900_000))))
            for at in range(NOON - 29 * 24 * HOUR, NOON, HOUR // 2)
        ),
    )
    status_world.add("component-1", monitor)
    for zone in ("UTC", "Australia/Lord_Howe", "America/New_York"):
        status_world.box.box.box_db.write_now(lambda db: db.execute("delete from component_days").fetchall())
        status_world.change_page(zone=zone)
        days = status_world.seen().components[0].days[-28:]
        asked = {
            "parameters": ["uptime_time_series"],
            "granularity": "day",
            "startDate": days[0].date,
            "endDate": days[-1].date,
        }
        status_world.settle()
        answer = status_world.box.post(f"/v1/query?schedule_id={monitor}&timezone={zone}", asked, key="all")
        assert answer.status == 200, answer.body
        rows = answer.json["data"][0]["data"]
        assert [{wire: getattr(day, own) for own, wire in FIELDS.items()} for day in days] == [
            {wire: row[wire] for wire in FIELDS.values()} for row in rows
        ]
