"""Pages in memory: read once for all who ask, changed at once, and still there when no database answers."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.uptime import DOWN, UptimeSpan
from analytics_box.products.status_pages.page import Whole
from analytics_box.products.status_pages.seen import PageSeen
from analytics_box.products.status_pages.view import sources
from analytics_box.products.status_pages.view.snapshots import PageSnapshots
from tests.inprocess import NOON
from tests.products.status_pages.view.world import PAGE, StatusWorld, incident


class Reads:
    """Counts the reads of days, and lets them fail or wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.refused = False
        self.gate: asyncio.Event | None = None
        self._read = sources.past
        monkeypatch.setattr(sources, "past", self.past)

    async def past(self, *given: Any) -> Any:
        self.count += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.refused:
            raise Unavailable("box.db is too busy")
        return await self._read(*given)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


@pytest.fixture
def monitor(status_world: StatusWorld) -> str:
    made = status_world.made(name="API")
    status_world.live(made, "up")
    status_world.add("component-1", made)
    return made


def later(world: StatusWorld, seconds: float) -> PageSeen:
    world.box.clock.advance(seconds=seconds)
    return world.seen()


def test_concurrent_visitors_share_a_read_and_a_page(status_world: StatusWorld, monitor: str, reads: Reads) -> None:
    async def many() -> list[PageSeen]:
        return await asyncio.gather(*(status_world.snapshots.of(status_world.whole()) for _ in range(20)))

    found = status_world.box.run(many())
    assert reads.count == 1
    assert all(one is found[0] for one in found)
    assert later(status_world, 4) is found[0]
    assert reads.count == 1


def test_days_are_read_again_before_they_are_old_without_anybody_waiting(
    status_world: StatusWorld, monitor: str, reads: Reads
) -> None:
    first = status_world.seen()
    reads.gate = asyncio.Event()
    assert later(status_world, 6) is first  # who asks begins the read, and does not wait for it
    reads.gate.set()
    status_world.settle()
    assert later(status_world, 2).at == first.at + 8_000
    assert reads.count == 2


def test_a_change_of_a_monitor_shows_at_once_and_its_day_follows(
    status_world: StatusWorld, monitor: str, reads: Reads
) -> None:
    assert status_world.seen().overall == "operational"
    reads.gate = asyncio.Event()
    status_world.live(monitor, "down", code=0, age=0)
    assert status_world.seen().overall == "operational"  # looked at a moment ago
    down = later(status_world, 0.25)
    assert (down.overall, down.components[0].status) == ("outage", "major_outage")
    status_world.live(monitor, "down", code=404, age=0)
    assert later(status_world, 0.25).components[0].current == "degraded"
    assert reads.count == 2
    status_world.spans(monitor, UptimeSpan(DOWN, NOON, 0))
    reads.gate.set()
    status_world.settle()
    assert later(status_world, 0.25).components[0].days[-1].state == "down"
    assert reads.count == 2


def test_a_change_of_the_page_shows_at_once(status_world: StatusWorld, monitor: str, reads: Reads) -> None:
    status_world.seen()
    status_world.change_page(name="New name")
    assert status_world.seen().name == "New name"
    assert reads.count == 1
    status_world.add("component-2", name="By hand")
    assert [one.name for one in status_world.seen().components] == ["API", "By hand"]
    status_world.change_page(zone="Pacific/Kiritimati")
    assert status_world.seen().components[0].days[-1].date == "2026-06-18"
    assert reads.count == 3
    whole = status_world.whole()
    broken = Whole(whole.page, whole.groups, whole.components, (incident("incident-1", ("component-2", "B", "down")),))
    assert status_world.box.run(status_world.snapshots.of(broken)).overall == "outage"
    assert reads.count == 3


def test_a_page_never_goes_back_to_an_earlier_version(status_world: StatusWorld, monitor: str, reads: Reads) -> None:
    before = status_world.whole()
    status_world.change_page(name="New name")
    known = status_world.seen()
    assert status_world.box.run(status_world.snapshots.of(before)) is known
    assert status_world.seen() is known


def test_the_last_that_is_known_is_shown_while_nothing_can_be_read(
    status_world: StatusWorld, monitor: str, reads: Reads
) -> None:
    known = status_world.seen()
    reads.refused = True
    status_world.live(monitor, "down", code=0, age=0)
    stale = later(status_world, 11)
    assert (stale.stale_since, stale.at) == (known.at, known.at + 11_000)
    assert stale.overall == "outage"  # what is in memory is as true as ever
    assert stale.components[0].days == known.components[0].days
    assert stale.etag != known.etag
    reads.refused = False
    assert status_world.seen() == stale  # it was refused a moment ago
    assert later(status_world, 2).stale_since is None


def test_a_page_of_which_nothing_is_known_is_shown_without_its_days(
    status_world: StatusWorld, monitor: str, reads: Reads
) -> None:
    reads.refused = True
    seen = status_world.seen()
    assert (seen.overall, seen.stale_since) == ("operational", seen.at)
    assert {day.state for day in seen.components[0].days} == {"unknown"}


def test_slow_read_delays_no_visitor(
    status_world: StatusWorld, monitor: str, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analytics_box.products.status_pages.view.snapshots.PATIENCE", 0.01)
    known = status_world.seen()
    reads.gate = asyncio.Event()
    assert later(status_world, 11).stale_since == known.at
    assert later(status_world, 1).stale_since == known.at
    assert reads.count == 2
    reads.gate.set()
    status_world.settle()
    assert later(status_world, 0.25).stale_since is None


def test_a_broken_read_is_no_broken_page(
    status_world: StatusWorld, monitor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: Any) -> Any:
        raise RuntimeError("disk I/O error")

    known = status_world.seen()
    monkeypatch.setattr(sources, "past", broken)
    assert later(status_world, 11).stale_since == known.at


def test_unrequested_pages_are_forgotten(status_world: StatusWorld, monitor: str, reads: Reads) -> None:
    few = PageSnapshots(status_world.snapshots.sources, most=2)
    pages = [replace(status_world.whole().page, id=f"page-{name}") for name in "abc"]
    wholes = [Whole(page, (), status_world.whole().components) for page in pages]

    def ask(number: int) -> None:
        status_world.box.run(few.of(wholes[number]))

    for number in (0, 1, 2, 2, 1):
        ask(number)
    assert reads.count == 3
    ask(0)
    assert reads.count == 4
    assert PAGE not in {page.id for page in pages}
