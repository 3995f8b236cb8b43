"""Lists of monitors: pages, search, filters and orders, all from memory."""

from typing import Any

import pytest

from tests.cases import each
from tests.inprocess import NOON
from tests.products.monitors.world import GOOD, Now, World


@pytest.fixture
def full(world: World) -> World:
    """Four monitors, the last of which has not been checked."""
    for name, url, state, more in (
        ("Zebra", "https://zebra.example/", "up", {"tags": ["animals"], "group": "zoo"}),
        ("ape", "tcp://ape.example:22", "down", {"tags": ["animals", "apes"], "group": "zoo"}),
        (None, "https://mouse.example/", "paused", {"isPaused": True}),
        ("Cat", "ping://cat.example", "new", {}),
    ):
        one = world.known(world.made(url, name=name, **more))
        if state in {"up", "down"}:
            world.engine.states[one.number] = Now("up" if state == "up" else "down", NOON - 1_000, GOOD)
    return world


def names(shown: list[dict[str, Any]]) -> list[str]:
    return [one["name"] or "mouse" for one in shown]


@each(
    ("given", "expected"),
    (
        ({}, ["Cat", "mouse", "ape", "Zebra"]),
        ({"sort": "oldest"}, ["Zebra", "ape", "mouse", "Cat"]),
        ({"sort": "name-asc"}, ["ape", "Cat", "mouse", "Zebra"]),
        ({"sort": "name-desc"}, ["Zebra", "mouse", "Cat", "ape"]),
        ({"sort": "state"}, ["ape", "Cat", "Zebra", "mouse"]),
        ({"search": "EXAMPLE zoo"}, ["ape", "Zebra"]),
        ({"search": "Mouse.example/"}, ["mouse"]),
        ({"search": "_"}, []),
        ({"tags": ["animals"]}, ["ape", "Zebra"]),
        ({"tags": ["animals", "apes"]}, ["ape"]),
        ({"group": "zoo"}, ["ape", "Zebra"]),
        ({"group": ""}, ["Cat", "mouse"]),
        ({"state": "down"}, ["ape"]),
        ({"state": "paused"}, ["mouse"]),
        ({"kind": "http"}, ["mouse", "Zebra"]),
        ({"websiteId": "nothere1"}, []),
    ),
)
def test_a_list_has_what_is_asked_for(full: World, given: dict[str, Any], expected: list[str]) -> None:
    page = full.good("paginated", **given)
    assert names(page["items"]) == expected
    assert (page["total"], page["hasMore"]) == (len(expected), False)
    one = full.good("paginated", limit=1, offset=1, **given)
    assert names(one["items"]) == expected[1:2]
    assert (one["total"], one["hasMore"]) == (len(expected), len(expected) > 2)


def test_a_monitor_is_listed_as_it_is_now(full: World) -> None:
    (ape,) = full.good("paginated", search="ape")["items"]
    assert (ape["state"], ape["stateSince"]) == ("down", "2026-06-17T11:59:59.000Z")
    assert ape["lastCheck"]["totalMs"] == 12.345
    assert names(full.good("listSchedules")) == ["Cat", "mouse", "ape", "Zebra"]


def test_tags_are_counted(full: World) -> None:
    assert full.good("listTags") == [{"tag": "animals", "monitors": 2}, {"tag": "apes", "monitors": 1}]
    assert full.call("listTags", key="foreign").json == []
