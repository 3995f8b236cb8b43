"""`flag …`: the same procedures as the API's, beside a running box and without one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.admin.commanding import beside, result, typed
from tests.inprocess import whole_box
from tests.products.flags.world import World

ADA = ("--organization", "ada")
SAMPLES = Path(__file__).parents[2] / "products" / "flags" / "moving"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with whole_box(tmp_path / "data") as inside:
        yield World(inside)


@pytest.fixture
def data(world: World) -> Iterator[Path]:
    with beside(world.box) as directory:
        yield directory


def test_flags_are_imported_listed_and_exported(world: World, data: Path, tmp_path: Path) -> None:
    shop = ("--website", world.shop)
    source = str(SAMPLES / "unleash.json")
    tried = typed("flag", "import", source, "--dry-run", *shop, data=data)
    assert tried.exit_code == 1  # one has a key that cannot be
    assert tried.stdout.splitlines()[0].startswith("25 flags (dry run): 24 created")
    assert "    It is on at random for each evaluation" in tried.stdout.splitlines()
    assert world.flags.scope(world.shop).flags == ()  # type: ignore[union-attr]  # the website is there
    done = json.loads(typed("flag", "import", source, *shop, "--environment", "staging", "--json", data=data).stdout)
    assert (done["created"], done["failed"], done["dryRun"]) == (24, 1, False)
    assert {one.environment for one in world.known().flags} == {"staging"}
    lines = typed("flag", "list", *shop, "--status", "inactive", data=data).stdout.splitlines()
    assert next(line.split()[3:] for line in lines) == ["at-random", "(staging)"]
    assert len(result("flag", "list", *shop, "--environment", "staging", data=data)) == 24
    assert result("flag", "list", *shop, "--environment", "", data=data) == []
    assert result("flag", "list", *ADA, data=data) == []
    to = tmp_path / "flags of the shop.json"
    assert typed("flag", "export", *shop, "--to", str(to), data=data).exit_code == 0
    assert len(json.loads(to.read_text())["flags"]) == 24
    of_flagd = typed("flag", "export", *shop, "--format", "flagd", data=data)
    assert json.loads(of_flagd.stdout)["flags"]["plain-on"]["state"] == "ENABLED"
    assert "child: prerequisites are not supported" in of_flagd.stderr.splitlines()
    again = result("flag", "import", str(to), *ADA, data=data)
    assert (again["format"], again["created"]) == ("analytics-box", 24)


def test_unreadable_or_unwritable_file_is_reported_in_one_line(world: World, data: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text("[7")
    (tmp_path / "bytes.json").write_bytes(b"\xfe\xfd")
    for name, said in (("odd.json", "This is not valid JSON"), ("bytes.json", "not valid UTF-8")):
        ended = typed("flag", "import", str(tmp_path / name), *ADA, data=data)
        assert (ended.exit_code, said in ended.stderr, ended.stderr.count("\n")) == (1, True, 1)
    ended = typed("flag", "export", *ADA, "--to", str(tmp_path / "no" / "folder.json"), data=data)
    assert (ended.exit_code, "cannot be written: No such file" in ended.stderr) == (1, True)
