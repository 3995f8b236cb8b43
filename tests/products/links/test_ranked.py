"""Lists of links by their clicks: both ways to put them together agree with all of them sorted at once."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from analytics_box.products.links import rows as link_rows
from analytics_box.products.links.listing import ranked
from analytics_box.products.links.rows import LinkSelection
from tests.inprocess import whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import World

COUNT = 60
NEVER: dict[str, Any] = {"clicks": 0, "lastClickedAt": ""}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Links of two organizations, of which most have been followed, some equally often."""
    path: Path = tmp_path_factory.mktemp("ranked") / "data"
    with whole_box(path, adjust=unlimited) as box:
        world = World(box)
        for number in range(COUNT):
            world.call(
                "links.create",
                key="foreign" if number % 5 == 4 else "linking",
                name=f"Link {number}",
                targetUrl="https://example.com/",
                tags=["even"] if number % 2 == 0 else [],
            )
        random = Random(8)
        rows = [(number, random.randint(1, 9), random.randint(1, 9)) for number in range(1, COUNT) if number % 4]
        box.box.events.db.write_now(
            lambda db: db.executemany("insert into link_totals (link, clicks, last) values (?, ?, ?)", rows) and None
        )
        yield world


def all_of(world: World, sort: str, **given: Any) -> list[dict[str, Any]]:
    """The whole list, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = world.call("links.paginated", sort=sort, limit=7, offset=len(found), **given).json
        found += page["items"]
        if not page["hasMore"]:
            return found


@pytest.mark.parametrize("few", [ranked.FEW, 3])
@pytest.mark.parametrize("step", [1, 5, 1_000])
@pytest.mark.parametrize(("sort", "field"), [("clicks", "clicks"), ("last-click", "lastClickedAt")])
@pytest.mark.parametrize("given", [{}, {"tag": "even"}, {"search": "link 1"}, {"search": "nothing"}])
def test_pages_are_those_of_the_whole_list_in_order(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    few: int,
    step: int,
    sort: str,
    field: str,
    given: dict[str, Any],
) -> None:
    monkeypatch.setattr(ranked, "FEW", few)
    monkeypatch.setattr(ranked, "FIRST_STEP", step)
    newest_first = world.call("links.paginated", limit=100, **given).json["items"]
    expected = sorted(newest_first, key=lambda link: link[field] or NEVER[field], reverse=True)
    assert [link["id"] for link in all_of(world, sort, **given)] == [link["id"] for link in expected]


def test_whole_list_is_sorted_by_clicks(world: World) -> None:
    found = world.call("links.list", sort="clicks").json
    assert [link["id"] for link in found] == [link["id"] for link in all_of(world, "clicks")]
    names = [link["name"] for link in world.call("links.list", sort="name-asc").json]
    assert names == sorted(names)


def test_links_that_are_gone_meanwhile_are_left_out(world: World) -> None:
    numbers = world.box.box.box_db.read_now(
        lambda db: link_rows.numbers(db, LinkSelection(world.box.organization_id), limit=3)
    )
    found = world.box.box.box_db.read_now(lambda db: link_rows.in_order(db, [numbers[2], 10**6, numbers[0]]))
    assert [link.number for link in found] == [numbers[2], numbers[0]]
