"""`monitor …`: the same procedures as the API's, beside a running box and without one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import whole_box
from tests.products.monitors.world import GOOD, Now, World

ADA = ("--organization", "ada")
KUMA = Path(__file__).parents[2] / "products" / "monitors" / "moving" / "kuma.json"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data") as inside:
        yield World(inside)


@pytest.fixture
def data(world: World) -> Iterator[Path]:
    with beside(world.box) as directory:
        yield directory


def test_a_monitor_is_added_listed_paused_and_resumed(world: World, data: Path) -> None:
    ended = typed("monitor", "add", "https://example.com/a", "--name", "Shop", "--tag", "prod", *ADA, data=data)
    assert ended.exit_code == 0, ended.output
    monitor_id = ended.stdout.strip()
    run = world.run(monitor_id)
    assert (run.url, run.name, run.tags, run.interval) == ("https://example.com/a", "Shop", ("prod",), 300)
    world.engine.states[run.number] = Now("down", 1, GOOD)
    more = ("--every", "day", "--timeout", "5", "--group", "web", "--field", "failuresToDown=3")
    other = result("monitor", "add", "ping://example.com", *more, *ADA, data=data)
    assert (other["granularity"], other["timeout"], other["group"], other["failuresToDown"]) == ("day", 5_000, "web", 3)
    listed = typed("monitor", "list", *ADA, data=data).stdout.splitlines()
    assert listed == [
        f"down         {monitor_id}  https://example.com/a  Shop",
        f"new          {other['id']}  ping://example.com",
    ]
    assert [row["id"] for row in result("monitor", "list", "--state", "down", *ADA, data=data)] == [monitor_id]
    assert [row["id"] for row in result("monitor", "list", "--search", "ping", *ADA, data=data)] == [other["id"]]
    assert result("monitor", "list", "--tag", "nothing", *ADA, data=data) == []
    for name in (monitor_id, "Shop", "https://example.com/a"):
        assert result("monitor", "pause", name, data=data)["isPaused"] is True
        assert world.run(monitor_id).is_paused
        assert result("monitor", "resume", name, data=data)["isPaused"] is False
    assert [actor for (actor,) in world.rows("select distinct actor from audit where subject = 'monitor'")] == [
        "command line"
    ]


def test_a_push_is_told_where_to_once(world: World, data: Path) -> None:
    words = typed("monitor", "add", "push://", "--name", "Backup", *ADA, data=data).stdout.split()
    assert world.box.get(words[1][words[1].index("/push/") :]).status == 200
    (listed,) = result("monitor", "list", *ADA, data=data)
    assert (listed["id"], "pushUrl" in listed) == (words[0], False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "http://127.0.0.1/", *ADA), "private or reserved network"),
        (("add", "https://example.com/", "--field", "colour=red", *ADA), "colour"),
        (("add", "https://example.com/"), "Name the organization"),
        (("pause", "nothing"), "There is no monitor nothing"),
        (("resume", "Shop"), "Monitor is not paused"),
        (("pause", "Twice"), "Several monitors match Twice"),
    ],
)
def test_refusal_gives_its_reason_in_one_line(world: World, data: Path, arguments: tuple[str, ...], words: str) -> None:
    world.made(name="Shop")
    world.made("https://example.com/1", name="Twice")
    world.made("https://example.com/2", name="Twice")
    ended = typed("monitor", *arguments, data=data)
    assert ended.exit_code == 1
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_files_are_exported_for_their_owner_only_and_imported(world: World, data: Path, tmp_path: Path) -> None:
    world.made(name="Shop", headers={"A": "hush"})
    file = tmp_path / "all monitors.yaml"
    assert typed("monitor", "export", "--secrets", "--to", str(file), *ADA, data=data).exit_code == 0
    assert file.stat().st_mode & 0o077 == 0
    assert "hush" in file.read_text()
    world.good("deleteSchedule", scheduleId=world.good("listSchedules")[0]["id"])
    ended = typed("monitor", "import", str(file), *ADA, data=data)
    assert (ended.exit_code, ended.stdout.splitlines()) == (
        0, ["1 monitors: 1 created, 0 updated, 0 unchanged, 0 existing, 0 failed"]
    )  # fmt: skip
    assert json.loads(typed("monitor", "export", "--json", *ADA, data=data).stdout)["monitors"][0]["name"] == "Shop"


def test_a_backup_of_uptime_kuma_is_tried_first(world: World, data: Path) -> None:
    ended = typed("monitor", "import", str(KUMA), "--dry-run", *ADA, data=data)
    assert ended.exit_code == 1  # because some are not supported
    lines = ended.stdout.splitlines()
    assert lines[0] == "13 monitors (dry run): 9 created, 0 updated, 0 unchanged, 0 existing, 4 failed"
    assert "10. Containers (failed)" in lines
    assert "    Docker monitors are not supported" in lines
    assert world.good("listSchedules") == []
    assert typed("monitor", "import", "-", *ADA, data=data, given=b"\xff").exit_code == 1


def test_commands_work_without_a_running_box(world: World) -> None:
    directory = world.box.box.settings.data_dir
    world.box.box.close()
    made = result("monitor", "add", "https://example.com/", *ADA, data=directory)
    assert (made["state"], made["schedulerStatus"]) in {("new", "missing"), ("new", "active"), (None, "missing")}
    assert len(result("monitor", "list", *ADA, data=directory)) == 1
    world.reopen()
    assert world.run(made["id"]).url == "https://example.com/"
