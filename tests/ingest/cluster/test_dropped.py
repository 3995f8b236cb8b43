"""What machines have dropped is counted by the primary, once, whatever breaks in between."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from analytics_box.base.store.seal import SealBroken
from analytics_box.ingest.dropped import DroppedCount
from analytics_box.ingest.profiles import ProfileLinks
from tests.ingest.cluster.test_identify import lose_answers, say
from tests.ingest.cluster.world import Node, World, heard


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with heard(tmp_path) as made:
        yield made


def send_bot(world: World, node: Node) -> None:
    """A bot comes to a machine, which drops what it sends."""
    event = {"websiteId": world.primary.sites["shop"], "name": "screen_view", "path": "https://shop.example/"}
    node.post("/track", event, origin="https://shop.example", user_agent="Googlebot/2.1")


def ask(world: World, node: Node) -> None:
    """A minute later what was dropped is on its way, and then there."""
    world.clock.advance(seconds=61)
    for _ in range(2):
        node.pull()


def dropped(world: World) -> list[DroppedCount]:
    events = world.primary.box.events
    return world.primary.run(events.dropped.of(world.primary.numbers["shop"], days=30))


def times(world: World) -> Any:
    return [one.times for one in dropped(world)]


def test_dropped_events_of_all_machines_are_summed_by_day(world: World) -> None:
    one, two = world.nodes
    send_bot(world, one)
    send_bot(world, one)
    send_bot(world, two)
    assert dropped(world) == []
    for node in (one, two):
        ask(world, node)
    (found,) = dropped(world)
    assert found.times == 3
    send_bot(world, two)
    ask(world, two)
    assert times(world) == [4]
    assert two.rows("select count(*) from drops") == [0]


def test_an_answer_that_was_lost_counts_nothing_twice(world: World) -> None:
    node = world.nodes[0]
    send_bot(world, node)
    world.clock.advance(seconds=61)
    node.pull()
    with lose_answers(node):
        assert "Connection reset" in node.pull()
    send_bot(world, node)
    node.reopen()
    ask(world, node)
    ask(world, node)
    assert times(world) == [2]


def test_while_the_primary_is_away_or_takes_nothing_counts_are_added_up_and_do_not_pile_up(world: World) -> None:
    node = world.nodes[0]
    node.wire.cut = True
    for _ in range(3):
        send_bot(world, node)
        ask(world, node)
    assert say(world, node) == 200
    node.wire.cut = False
    with patch.object(ProfileLinks, "identify", side_effect=SealBroken("another key")):
        for _ in range(3):
            send_bot(world, node)
            ask(world, node)
        assert node.rows("select count(*) from outbox") == [2], "who somebody is, and what was dropped until the first"
    for _ in range(2):
        ask(world, node)
    assert times(world) == [6]


def test_dropped_events_of_a_deleted_website_are_removed(world: World) -> None:
    node = world.nodes[0]
    send_bot(world, node)
    world.clock.advance(seconds=61)
    node.pull()
    world.remove_website("shop")
    ask(world, node)
    assert (dropped(world), node.rows("select count(*) from outbox")) == ([], [0])
