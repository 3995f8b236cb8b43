"""`key create` gives a key all that the page can give it; what is written wrong is said before anything is done."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from analytics_box.app.admin import commands
from analytics_box.app.cli.keys import key
from analytics_box.app.cli.options import End, RateOption
from analytics_box.base.errors import BadRequest
from analytics_box.tenants.keys.ring import KeyRing
from tests.inprocess import WholeBox, whole_box
from tests.running import set_up


@pytest.fixture
def box(tmp_path: Path) -> Any:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def create(box: WholeBox, **given: Any) -> Any:
    wanted = {"name": "Nightly", "scopes": ["read:data"], **given}
    arguments = json.dumps(wanted).encode()
    return box.run(commands.run_command(box.box.parts, "apikeys.create", arguments, box.organization_id))


def record(box: WholeBox, key_id: str) -> Any:
    return box.post("/apikeys/getById", {"id": key_id}, cookie=box.cookie).json


def test_a_key_gets_what_is_asked_for(box: WholeBox) -> None:
    shop = box.sites["shop"]
    limit = {"enabled": True, "max": 2, "window": 60}
    made = create(
        box,
        type="automation",
        tags=["import"],
        expiresAt="2026-06-17T12:00:01+00:00",
        ratelimit=limit,
        resources={f"website:{shop}": []},
    )
    found = record(box, made["id"])
    assert (found["type"], found["tags"], found["ratelimit"]) == ("automation", ["import"], limit)
    assert found["resources"] == {f"website:{shop}": []}
    assert found["expiresAt"] == "2026-06-17T12:00:01.000Z"
    answers = [box.get("/v1/query/websites", x_api_key=made["secret"]).status for _ in range(3)]
    assert answers == [200, 200, 429]
    box.clock.advance(seconds=1)
    assert box.get("/v1/query/websites", x_api_key=made["secret"]).status == 401


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"expiresAt": "1970-01-02T00:00:00Z"}, "expiresAt"),
        ({"ratelimit": {"enabled": True, "max": 0, "window": 60}}, "ratelimit"),
        ({"ratelimit": {"enabled": True, "max": 1, "window": 86_401}}, "ratelimit"),
        ({"tags": ["x" * 51]}, "tags"),
        ({"scopes": []}, "scopes"),
        ({"name": " "}, "name"),
    ],
)
def test_invalid_scopes_of_a_key_are_refused(box: WholeBox, given: dict[str, Any], field: str) -> None:
    before = len(box.box.parts[KeyRing].all())
    with pytest.raises(BadRequest) as refused:
        create(box, **given)
    assert refused.value.details[0].field == field
    assert len(box.box.parts[KeyRing].all()) == before


def test_website_of_another_organization_is_not_found(box: WholeBox) -> None:
    with pytest.raises(BadRequest) as refused:
        create(box, resources={f"website:{box.sites['foreign']}": []})
    assert [detail.field for detail in refused.value.details] == ["resources"]


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2027-01-31", "2027-02-01T00:00:00+00:00"),
        ("2027-01-31T18:00", "2027-01-31T18:00:00+00:00"),
        ("2027-01-31T18:00Z", "2027-01-31T18:00:00+00:00"),
        ("2027-01-31T18:00+02:00", "2027-01-31T16:00:00+00:00"),
    ],
)
def test_an_end_is_a_last_day_or_an_instant(text: str, instant: str) -> None:
    assert End().convert(text, None, None) == instant


def test_a_limit_is_requests_and_seconds() -> None:
    found = RateOption().convert("100/60", None, None)
    assert found == {"enabled": True, "max": 100, "window": 60}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--expires", "tomorrow", "neither a day like"),
        ("--expires", "9999-12-31", "neither a day like"),
        ("--expires", "2027-02-30", "neither a day like"),
        ("--rate-limit", "100", "for example 100/60"),
        ("--rate-limit", "a/b", "for example 100/60"),
        ("--rate-limit", "-1/60", "for example 100/60"),
        ("--type", "robot", "is not one of"),
        ("--scope", "read:everything", "is not one of"),
    ],
)
def test_invalid_option_values_are_reported(option: str, value: str, words: str) -> None:
    ended = CliRunner().invoke(key, ["create", "--name", "x", "--scope", "read:data", option, value])
    assert ended.exit_code == 2
    assert words in ended.output


def test_the_command_hands_everything_on(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    account = set_up(data_dir)
    options = ["--type", "sdk", "--tag", "a", "--tag", "b", "--expires", "2090-01-31", "--rate-limit", "5/10"]
    reach = ["--scope", "read:data", "--scope", "track:events", "--website", account.website_id]
    arguments = ["--name", "Phone", *options, *reach, "--data-dir", str(data_dir)]
    made = CliRunner().invoke(key, ["create", *arguments, "--json"])
    assert made.exit_code == 0, made.output
    listed = CliRunner().invoke(key, ["list", "--json", "--data-dir", str(data_dir)])
    (found,) = [each for each in json.loads(listed.output) if each["name"] == "Phone"]
    assert found["scopes"] == ["read:data", "track:events"]
    assert found["resources"] == {f"website:{account.website_id}": []}
    assert found["expiresAt"] == "2090-02-01T00:00:00.000Z"
