"""History that a server sends by key, and clocks that are ahead (semantics 1 and 7)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE
from tests.ingest.rows import rows
from tests.inprocess import WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path) as whole:
        yield whole


def send(box: WholeBox, times: list[int], **fields: Any) -> None:
    """Page views of one client at these instants."""
    views = [
        {"name": "screen_view", "path": "/a", "websiteId": box.sites["shop"], "anonymousId": "ann", "timestamp": time}
        for time in times
    ]
    answer = box.post("/track", [{**view, **fields} for view in views], key="all")
    assert answer.status == 200, answer.json


def long_ago(box: WholeBox) -> int:
    """Midnight UTC, forty days back."""
    return box.clock.now() // DAY * DAY - 40 * DAY


def test_a_day_of_history_has_one_visitor_however_many_sittings_it_takes(box: WholeBox) -> None:
    day = long_ago(box)
    send(box, [day + 10 * HOUR])
    box.clock.advance(seconds=5 * 86_400)
    send(box, [day + 20 * HOUR])
    visitors = {visitor for (visitor,) in rows(box, "events", "visitor")}
    assert len(visitors) == 1


def test_days_of_history_and_websites_share_no_visitor(box: WholeBox) -> None:
    day = long_ago(box)
    send(box, [day + 10 * HOUR, day + DAY + 10 * HOUR])
    send(box, [day + 10 * HOUR], websiteId=box.sites["blog"])
    assert len({visitor for (visitor,) in rows(box, "events", "visitor")}) == 3


@pytest.mark.parametrize("minutes", [(-20, 10), (10, -20)], ids=["in order", "backwards"])
def test_a_visit_of_history_goes_on_over_midnight(box: WholeBox, minutes: tuple[int, int]) -> None:
    for minute in minutes:
        send(box, [long_ago(box) + minute * MINUTE])
    found = rows(box, "events", "visitor", "session")
    assert len({visitor for visitor, _ in found}) == 2
    assert len({session for _, session in found}) == 1


def test_a_clock_that_is_ahead_counts_at_the_arrival(box: WholeBox) -> None:
    now = box.clock.now()
    send(box, [now + 4 * MINUTE, now + HOUR])
    body = {"name": "screen_view", "path": "https://shop.example/a", "timestamp": now + 4 * MINUTE}
    assert box.post(f"/track?website_id={box.sites['shop']}", body).status == 200
    assert {time for (time,) in rows(box, "events", "time")} == {now}
