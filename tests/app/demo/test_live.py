"""Visitors of a demo that is served: somebody is there, its days go on, and the next start adds nothing twice."""

import shutil
from pathlib import Path

from msgspec.structs import replace

from analytics_box.app.demo import fill
from analytics_box.app.demo.live import Visitors
from analytics_box.base.clock import HOUR, MINUTE
from analytics_box.query.presence import Presence
from tests.app.demo.asking import ask, count
from tests.app.demo.conftest import NOW
from tests.inprocess import FixedClock, empty_box


def test_a_demo_that_is_served_has_visitors_and_its_own_days_go_on(once: Path, tmp_path: Path) -> None:
    directory, clock = tmp_path / "live", FixedClock(NOW)
    shutil.copytree(once, directory)
    before = count(directory)
    filled = fill.fill_demo(directory, NOW)
    site = filled.made.target.site
    with empty_box(directory, clock=clock) as box:
        side = box.box.events
        visitors = Visitors(clock, box.box.box_db, side.intake, side.clicks, directory, filled)
        for minutes in (1, 3, 4, 30):
            clock.advance(seconds=minutes * 60)
            box.run(visitors.look(clock.now()))
        until = clock.now()
        online = box.run(box.box.parts[Presence].online((site,), until))[site]
        assert side.intake.arrivals.stored(site) >= 4
    assert 1 <= online <= 15
    ((latest, visits, lonely),) = ask(
        directory,
        "select max(time), count(distinct session), sum(session = 0) from events where time >= ? and bot = 0",
        NOW,
    )
    assert NOW < latest <= until
    assert 30 <= visits <= 80
    assert lonely == 0
    stored = count(directory)
    own, given = fill.since(replace(filled.demo, filled=until), filled.made, NOW)
    assert stored - before > len(own) + len(given.events)
    assert fill.fill(directory, until).filled == until
    assert count(directory) == stored
    assert fill.fill(directory, until + HOUR + MINUTE).filled == until + HOUR + MINUTE
    assert count(directory) > stored
