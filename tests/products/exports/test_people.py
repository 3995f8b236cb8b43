"""Identified visitors move with an export that includes people: profiles, traits and devices."""

import json
from pathlib import Path
from typing import Any

from tests.contract.conftest import unlimited
from tests.inprocess import NOON, WholeBox, whole_box
from tests.products.exports.test_commands import PREFIX, export, load

TRAITS = {"email": "Mara@Elsewhere.example", "name": "Mara", "seats": 5, "is_trial": False}


def fill(box: WholeBox) -> None:
    box.clock.advance(seconds=-3 * 86_400)
    for person in range(250):
        said: dict[str, Any] = {"profileId": f"user-{person}", "websiteId": box.sites["shop"]}
        said |= {"anonymousId": f"device {person}", "traits": TRAITS if person == 7 else {}}
        assert box.post("/identify", said, key="tracking").status == 200
    view: dict[str, Any] = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "device 7"}
    view |= {"websiteId": box.sites["shop"], "timestamp": NOON - 2 * 86_400_000}
    box.clock.advance(seconds=3 * 86_400)
    assert box.post("/track", view, key="tracking").status == 200


def person(box: WholeBox, name: str = "user-7") -> Any:
    given = {"websiteId": box.sites["shop"], "profileId": name}
    return box.post("/profiles/getById", given, key="all").json


def views_of(box: WholeBox, name: str) -> Any:
    query: dict[str, Any] = {"parameters": ["summary_totals"], "preset": "last_30d"}
    query |= {"filters": [{"field": "profile_id", "op": "eq", "value": name}]}
    return box.post(f"/v1/query?website_id={box.sites['shop']}", query, key="all").json["data"][0]


def test_profiles_with_traits_and_devices_are_the_same_on_another_server(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        fill(box)
        manifest = export(box, tmp_path / "export", "--people", "--website", "shop.example")
        file = tmp_path / "export" / f"{PREFIX}shop.example-people.ndjson"
        assert manifest["profiles"] == [{"website": "shop.example", "file": file.name}]
        assert len(file.read_text().splitlines()) == 250
        with whole_box(tmp_path / "other", adjust=unlimited) as other:
            for _again in range(2):
                loaded = load(other, tmp_path / "export", "--website", "shop.example")
                assert loaded.exit_code == 0, loaded.stderr
                assert person(other) == person(box)
                assert person(other, "user-249") == person(box, "user-249")
                assert views_of(other, "user-7") == views_of(box, "user-7")
            found = {"websiteId": other.sites["shop"], "search": "mara@elsewhere.example"}
            [listed] = other.post("/profiles/list", found, key="all").json["profiles"]
            assert (listed["profileId"], listed["traits"]) == ("user-7", TRAITS)


def test_export_has_no_profiles_unless_people_are_asked_for(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        fill(box)
        manifest = export(box, tmp_path / "export", "--website", "shop.example")
        assert manifest["profiles"] == []
        assert "profiles, their traits and devices" in manifest["leftOut"]
        assert not any("Mara" in path.read_text() for path in (tmp_path / "export").iterdir())


def test_only_those_who_read_visitors_get_profiles(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        fill(box)
        given = {"websiteId": box.sites["shop"]}
        assert box.post("/exports/getPeople", given, key="reading").status == 200
        assert box.post("/exports/getPeople", given, key="tracking").status == 403
        assert box.post("/exports/getPeople", given, key="foreign").status == 404
        assert box.post("/exports/getPeople", given).status == 401
        assert box.post("/exports/getPeople", given | {"after": "x"}, key="reading").status in {400, 422}


def test_hostile_rows_are_refused(tmp_path: Path) -> None:
    row: dict[str, Any] = {"profile": "a", "createdAt": "2026-06-01T00:00:00Z", "updatedAt": "2026-06-01T00:00:00Z"}
    row |= {"traits": {}, "visitors": []}
    wrong = (
        "{",
        json.dumps(row | {"profile": ""}),
        json.dumps(row | {"traits": {f"t{number}": number for number in range(500)}}),
        json.dumps(row | {"createdAt": "2026-06-01T00:00:00"}),
        json.dumps(row | {"visitors": [{"visitor": "x", "time": 7}]}),
    )
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        folder = tmp_path / "export"
        for text in wrong:
            folder.mkdir(exist_ok=True)
            (folder / f"{PREFIX}people.ndjson").write_text(text + "\n")
            manifest = {"files": [], "profiles": [{"website": "shop.example", "file": f"{PREFIX}people.ndjson"}]}
            (folder / f"{PREFIX}manifest.json").write_text(json.dumps(manifest))
            ended = load(box, folder)
            assert (ended.exit_code, ended.stderr.count("Error: ")) == (1, 1), (text, ended.stderr)
