"""Operators see how their machines are doing, and say when one is gone for good."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.app.admin import commands
from analytics_box.app.watch.state import WatchedParts, state
from analytics_box.base.errors import NotFound
from tests.ingest.cluster.world import World, cluster


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with cluster(tmp_path, metrics="on") as made:
        yield made


def retire(world: World, number: int) -> None:
    world.primary.run(commands.run_command(world.primary.box.parts, "retire", b'{"number": %d}' % number))


def test_the_page_of_the_box_shows_each_machine(world: World) -> None:
    page = world.primary.get("/settings/box", cookie=world.primary.cookie).body.decode()
    assert "Ingest machines" not in page
    world.pull()
    world.pull()
    page = world.primary.get("/settings/box", cookie=world.primary.cookie).body.decode()
    assert "Ingest machines" in page
    assert page.count("Up to date") == 2
    found = world.primary.run(state(world.primary.box.parts[WatchedParts]))
    assert [(one.number, one.current, one.done, one.silent) for one in found.machines] == [
        (1, True, True, False),
        (2, True, True, False),
    ]


def test_a_machine_that_says_nothing_is_warned_of_until_it_is_retired(world: World) -> None:
    world.pull()
    world.clock.advance(seconds=40)
    assert world.nodes[1].pull() == ""
    warned = [
        one
        for one in world.primary.run(state(world.primary.box.parts[WatchedParts])).warnings
        if one.code == "machines"
    ]
    assert [one.text.partition(".")[0] for one in warned] == ["Ingest machine 1 does not respond"]
    metrics = world.primary.ask("GET", "/metrics", address="127.0.0.1").body.decode()
    assert 'analytics_box_machine_silent{machine="1"} 1\n' in metrics
    assert 'analytics_box_machine_silent{machine="2"} 0\n' in metrics
    retire(world, 1)
    found = world.primary.run(state(world.primary.box.parts[WatchedParts]))
    assert [one.number for one in found.machines] == [2]
    assert "machines" not in [one.code for one in found.warnings]
    with pytest.raises(NotFound):
        retire(world, 1)
