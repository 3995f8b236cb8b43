"""Filters on what is known of people, in a whole box: what is sealed is opened to look, and found as filters see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.conftest import unlimited
from tests.inprocess import WholeBox, whole_box

KNOWN: dict[str, dict[str, object]] = {
    "ann": {"plan": "pro", "seats": 5.0, "beta": True},
    "bob": {"plan": "free", "seats": 12},
    "cy": {},
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    directory: Path = tmp_path_factory.mktemp("matching") / "data"
    with whole_box(directory, adjust=unlimited) as inside:
        shop = inside.sites["shop"]
        for name, traits in KNOWN.items():
            assert inside.post(f"/identify?client_id={shop}", {"profileId": name, "traits": traits}).status == 200
            sent = {"name": f"by {name}", "profileId": name}
            assert inside.post(f"/track?website_id={shop}", sent).status == 200
        yield inside


@pytest.mark.parametrize(
    ("trait", "operator", "value", "found"),
    [
        ("plan", "eq", "pro", {"ann"}),
        ("plan", "ne", "pro", {"bob", "cy"}),
        ("plan", "in", ["pro", "free"], {"ann", "bob"}),
        ("plan", "regex", "^fr", {"bob"}),
        ("seats", "eq", 5, {"ann"}),
        ("seats", "contains", "2", {"bob"}),
        ("beta", "eq", "true", {"ann"}),
        ("colour", "is_set", None, set()),
    ],
)
def test_people_are_found_by_their_traits(
    box: WholeBox, trait: str, operator: str, value: object, found: set[str]
) -> None:
    filters = [{"field": f"trait:{trait}", "op": operator} | ({} if value is None else {"value": value})]
    answer = box.query("shop", {"parameters": ["custom_events"], "preset": "today", "filters": filters})
    (entry,) = answer.json["data"]
    assert entry["success"], entry
    assert {row["name"] for row in entry["data"]} == {f"by {name}" for name in found}
