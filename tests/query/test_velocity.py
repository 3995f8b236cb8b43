"""realtime_velocity shows the minute of now and the 59 before it, in whichever millisecond it is asked."""

from itertools import pairwise

import pytest

from analytics_box.base.clock import MINUTE
from tests.query.facts_of_all_kinds import ANA, page_view
from tests.query.world import World

NOON = 1_781_697_600_000  # 2026-06-17 12:00 UTC


@pytest.mark.parametrize("into", [0, 1, 30_000, MINUTE - 2, MINUTE - 1])
def test_there_are_sixty_minutes_and_the_last_is_now(world: World, into: int) -> None:
    (site,) = world.new_sites(1)
    now = NOON + into
    world.store_facts([page_view(site, now - 59 * MINUTE, "/first", ANA), page_view(site, now, "/last", ANA)])
    world.clock.advance(seconds=(now - world.clock.now()) / 1000)
    (entry,) = world.entries({"parameters": ["realtime_velocity"], "preset": "today"}, (site,), now=now)
    assert len(entry.data) == 60
    assert entry.data[-1]["minute"] == "2026-06-17 12:00:00.000"
    assert [row["pageviews"] for row in entry.data] == [1] + [0] * 58 + [1]
    assert all(before["minute"] < after["minute"] for before, after in pairwise(entry.data))
