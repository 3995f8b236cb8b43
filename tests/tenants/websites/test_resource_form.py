"""The pages of a website's resources are at the addresses of their own website only."""

from typing import Any

import pytest

from tests.inprocess import whole_box
from tests.rooms import Rooms, unlimited

_FILTERS = [{"field": "country", "op": "eq", "value": "Germany"}]
_QUERY = {"parameters": ["top_pages"], "preset": "today"}


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with whole_box(tmp_path_factory.mktemp("forms") / "data", adjust=unlimited) as box:
        yield Rooms(box)


@pytest.mark.parametrize(
    ("procedure", "given", "path"),
    [
        ("goals/create", {"type": "PAGE_VIEW", "target": "/thanks"}, "goals"),
        ("segments/create", {"isShared": True, "filters": _FILTERS}, "segments"),
        ("questions/create", {"isShared": True, "query": _QUERY}, "queries/saved"),
    ],
)
def test_row_is_not_found_below_another_website(rooms: Rooms, procedure: str, given: dict[str, Any], path: str) -> None:
    sites = rooms.box.sites
    row = rooms.good(procedure, {"websiteId": sites["shop"], "name": "One", **given})["id"]
    assert rooms.page(f"/sites/{sites['shop']}/{path}/{row}/delete").status == 200
    assert rooms.page(f"/sites/{sites['blog']}/{path}/{row}/delete").status == 404
    assert rooms.send(f"/sites/{sites['blog']}/{path}/{row}/delete", {}).status == 404
    assert rooms.send(f"/sites/{sites['shop']}/{path}/{row}/delete", {}).status == 303
