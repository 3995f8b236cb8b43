"""Events that are older than their website wants to keep them."""

from typing import Any

import pytest

from analytics_box.base.clock import DAY
from analytics_box.base.facts import erase
from tests.inprocess import WholeBox
from tests.tenants.websites.world import ask, call, run_job


@pytest.mark.parametrize("chunk", [1, 2, 1_000])
def test_events_older_than_the_retention_go_and_sessions_stay_whole(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(erase, "CHUNK", chunk)
    shop, blog = box.sites["shop"], box.sites["blog"]
    midnight = box.clock.now() - box.clock.now() % DAY

    def at(time: int, path: str, site: str = shop) -> dict[str, Any]:
        page = f"https://shop.example{path}"
        return {
            "name": "screen_view", "path": page, "websiteId": site, "anonymousId": "a", "anonymizeVisitorIds": False,
            "timestamp": time,
        }  # fmt: skip

    border = midnight - 30 * DAY
    sent = [
        at(border - 5 * DAY, "/old"),
        at(border - 60_000, "/begun-before"),
        at(border + 60_000, "/same-session"),  # goes with the session that began the day before
        at(border + DAY // 2, "/kept"),
        at(midnight, "/new"),
        at(border - 5 * DAY, "/old", blog),
    ]
    assert box.post("/track", sent, key="all").status == 200
    assert call(box, "updateSettings", {"id": shop, "settings": {"dataRetentionDays": 30}}).status == 200
    run_job(box, "retain events")
    left = ask(
        box.box.events.db,
        "select events.site, value from events join strings on strings.id = path order by events.id",
    )
    numbers = box.numbers
    assert sorted(left) == sorted([(numbers["shop"], "/kept"), (numbers["shop"], "/new"), (numbers["blog"], "/old")])
