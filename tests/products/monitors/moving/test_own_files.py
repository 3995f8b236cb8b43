"""The box's own files of monitors: what is exported and imported elsewhere is the same again."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.inprocess import whole_box
from tests.products.monitors.conftest import unlimited
from tests.products.monitors.world import World
from tests.tenants.keys.world import cookie_of, make


def filled(world: World) -> None:
    """Monitors with all that they can have."""
    top = world.made("https://shop.example/", name="Shop: “#1”\n".strip(), websiteId=world.box.sites["shop"])
    world.made(
        "https://example.com/all?a=1&b=%20",
        name="no",
        parentId=top,
        granularity="six_hours",
        timeout=5_000,
        cacheBust=True,
        isPaused=True,
        group="1.0",
        tags=["2026-01-01", "yes", "é"],
        failuresToDown=3,
        successesToUp=4,
        options={
            "method": "PUT",
            "redirects": 0,
            "verify": False,
            "assertions": [
                {"subject": "json", "comparison": "equals", "property": "/a", "value": "0x1", "level": "warn"},
            ],
        },
        jsonParsingConfig={"enabled": True, "mode": "manual", "fields": ["/status"]},
        headers={"X-Token": "hush", "B": "1"},
        body="line 1\nline 2: hush\n",
        basicAuth={"user": "ada", "password": "hush"},
    )
    world.made("https://example.com/bearer", bearerToken="hush")
    world.made("dns://example.com", options={"record": "MX", "server": "1.1.1.1"})
    world.made("tcp://example.com:1", parentId=top)
    world.good("createSchedule", kind="push", granularity="hour", name="Nightly", options={"grace": 60})
    one = world.made("ping://example.com")
    world.good("updateSchedule", scheduleId=top, parentId=one)
    repeat = {"every": "month", "nth": -1, "weekday": 5, "time": "02:30", "minutes": 30, "zone": "Europe/Berlin"}
    world.good(
        "createMaintenance",
        name="Patching",
        covers={"monitorIds": [one], "tags": ["a"]},
        repeat=repeat | {"until": "2027-01-01T00:00:00Z"},
    )
    once = {"startsAt": "2026-06-17T13:00:00Z", "endsAt": "2026-06-17T14:00:00Z"}
    world.good("createMaintenance", name="Move", covers={"all": True}, **once)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_file_makes_the_same_monitors_in_another_box(world: World, tmp_path: Path, form: str) -> None:
    filled(world)
    exported = world.good("export", format=form, secrets=True)
    assert exported["monitors"] == 7
    with whole_box(tmp_path / "other", adjust=unlimited) as box:
        other = World(box)
        shown = other.good("import", content=exported["content"])
        assert (shown["source"], shown["created"], shown["failed"]) == ("analytics-box", 7, 0)
        assert [row["notes"] for row in shown["monitors"]] == [[]] * 7
        assert [one["status"] for one in shown["maintenances"]] == ["created", "created"]
        assert other.good("export", format=form, secrets=True) == exported
        again = other.good("import", content=exported["content"], existing="update")
        assert (again["unchanged"], again["updated"], again["failed"]) == (7, 0, 0)
        pushed = next(one for one in world.monitors.all() if one.kind == "push")
        assert box.get(f"/push/{pushed.secrets.token}").status == 200


def test_secrets_are_in_a_file_only_if_they_are_asked_for(world: World) -> None:
    filled(world)
    for form in ("yaml", "json"):
        plain = world.good("export", format=form)["content"]
        assert "hush" not in plain
        assert "hush" in world.good("export", format=form, secrets=True)["content"]
    assert world.rows("select actor like 'apikey:%', action from audit where subject = 'monitor_export'") == [
        (1, "created"),
        (1, "created"),
    ]
    viewer, member = cookie_of(world.box, "viewer"), cookie_of(world.box, "member")
    assert world.call("export", cookie=viewer).status == 200
    assert world.call("export", cookie=member, secrets=True).status == 403
    assert world.call("export", cookie=world.box.cookie, secrets=True).status == 200
    reading = make(world.box, world.box.cookie, scopes=["read:monitors"])["secret"]
    assert world.box.post("/uptime/export", {}, x_api_key=reading).status == 200
    assert world.box.post("/uptime/export", {"secrets": True}, x_api_key=reading).status == 403


def test_a_monitor_whose_secrets_were_left_out_is_paused_until_it_gets_them(world: World, tmp_path: Path) -> None:
    filled(world)
    content = world.good("export")["content"]
    with whole_box(tmp_path / "other", adjust=unlimited) as box:
        other = World(box)
        shown = other.good("import", content=content)["monitors"]
        assert [row["isPaused"] for row in shown] == [False, False, True, True, False, False, False]
        assert shown[3]["notes"] == [
            "The file does not contain its secrets (token). Enter them and resume it",
            "It is paused; look at it and resume it",
        ]
        assert shown[6]["notes"] == ["It has a new URL to push to"]
        assert box.get(shown[6]["pushUrl"][shown[6]["pushUrl"].index("/push/") :]).status == 200
    again = world.good("import", content=content, existing="update")
    assert (again["unchanged"], again["failed"]) == (7, 0)
    assert world.known(again["monitors"][3]["scheduleId"]).secrets.bearer == "hush"


def test_a_file_by_hand_needs_little(world: World) -> None:
    one = world.made("https://example.com/there", name="There")
    content = """
        monitors:
          - url: https://example.com/new
            granularity: minute
          - {id: mine, url: "tcp://example.com:22", granularity: hour, parent: circle}
          - {id: circle, url: "tcp://example.com:23", granularity: hour, parent: mine}
          - {url: "https://example.com/there", granularity: hour, name: Here, website: shop.example}
          - {url: "https://example.com/site", granularity: hour, website: shop.example}
          - {url: "https://example.com/lost", granularity: hour, website: nowhere.example, parent: nobody}
    """
    tried = world.good("import", content=content, existing="update", dryRun=True)
    for shown in (tried, world.good("import", content=content, existing="update")):
        assert [row["status"] for row in shown["monitors"]] == [
            "created", "failed", "failed", "updated", "created", "created"
        ]  # fmt: skip
        assert shown["monitors"][1]["error"] == "The parents of this monitor form a circle"
        assert shown["monitors"][5]["notes"] == [
            "Its parent nobody is not there",
            "There is no website nowhere.example here",
        ]
    assert (world.known(one).name, world.known(one).website_id) == ("Here", world.box.sites["shop"])
    assert shown["monitors"][4]["notes"] == ["The website shop.example has a monitor already"]


def test_permissions_to_import(world: World) -> None:
    content = "monitors: [{url: 'https://example.com/', granularity: day}]"
    for role, status in (("viewer", 403), ("member", 200)):
        answer = world.call("import", cookie=cookie_of(world.box, role), content=content)  # type: ignore[arg-type]  # a role
        assert answer.status == status
    key = make(
        world.box, world.box.cookie, scopes=[], resources={f"website:{world.box.sites['shop']}": ["write:monitors"]}
    )
    assert world.box.post("/uptime/import", {"content": content}, x_api_key=key["secret"]).status == 403


def test_ids_of_others_are_never_taken(world: World) -> None:
    foreign = world.call("createSchedule", key="foreign", url="https://example.com/", granularity="day").json
    listed: list[dict[str, Any]] = [{"id": foreign["scheduleId"], "url": "https://example.com/a", "granularity": "day"}]
    shown = world.good("import", content=yaml.safe_dump({"monitors": listed}), existing="update")
    assert shown["monitors"][0]["status"] == "created"
    assert shown["monitors"][0]["scheduleId"] != foreign["scheduleId"]
    assert world.known(foreign["scheduleId"]).url == "https://example.com/"


def test_sent_text_and_values_of_urls_are_left_out_and_stay_where_they_are(world: World, tmp_path: Path) -> None:
    one = world.made("tcp://example.com:22", options={"send": "hush"})
    two = world.made("https://example.com/?token=hush")
    world.made("https://example.com/?plain=")
    content = world.good("export")["content"]
    assert "hush" not in content
    world.good("import", content=content, existing="update")
    assert world.known(one).options.send == "hush"
    assert world.known(two).url == "https://example.com/?token=hush"
    assert "hush" in world.good("export", secrets=True)["content"]
    with whole_box(tmp_path / "other", adjust=unlimited) as box:
        first, second, third = World(box).good("import", content=content)["monitors"]
        assert (first["isPaused"], second["isPaused"], third["isPaused"]) == (True, True, False)
        assert "(send)" in first["notes"][0]
        assert "(url)" in second["notes"][0]
