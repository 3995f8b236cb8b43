"""`prune` removes what is older than a day and nothing else, with what only that had; `vacuum` gives the space back."""

import random
import shutil
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from msgspec.structs import replace

from analytics_box.base.clock import DAY
from analytics_box.base.store import space
from tests.app.admin.commanding import beside, result, typed
from tests.cases import each
from tests.inprocess import WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, columnar="on")) as inside:
        for age, days in ((40, 20), (20, 18), (2, 2)):
            for site in ("shop", "local"):
                view(inside, site, f"{site}-{age}-days")
            if age == 20:
                view(inside, "shop", "common")
            inside.clock.advance(seconds=days * DAY // 1000)
        view(inside, "shop", "common")
        inside.run(inside.box.events.engines.maintain())
        yield inside


@pytest.fixture
def data(box: WholeBox) -> Iterator[Path]:
    with beside(box) as directory:
        yield directory


def view(box: WholeBox, site: Any, path: str) -> None:
    """A page view now."""
    sent = {"name": "screen_view", "path": f"https://{site}.example/{path}", "anonymousId": f"{site}-{path}"}
    answer = box.post(f"/track?website_id={box.sites[site]}", sent)
    assert answer.status == 200, answer.body


def day(box: WholeBox, age: int) -> str:

    return datetime.fromtimestamp((box.clock.now() - age * DAY) / 1000, UTC).date().isoformat()


def texts(box: WholeBox) -> set[str]:
    rows = box.box.events.db.read_now(lambda db: db.execute("select value from strings").fetchall())
    return {str(value) for (value,) in rows}


def paths(box: WholeBox, site: Any) -> set[str]:
    """What the column replica answers."""
    asked = {"parameters": ["top_pages"], "startDate": day(box, 60), "endDate": day(box, 0)}
    answer = box.query(site, asked)
    return {row["name"] for row in answer.json["data"][0]["data"]}


def test_a_dry_run_says_how_many_rows_and_removes_none(box: WholeBox, data: Path) -> None:
    before = paths(box, "shop")
    done = result("prune", "--before", day(box, 10), "--website", "shop.example", "--dry-run", data=data)
    assert [(one["domain"], one["rows"]["events"]) for one in done["removed"]] == [("shop.example", 3)]
    assert paths(box, "shop") == before
    removed = result("prune", "--before", day(box, 10), "--website", "shop.example", data=data)
    assert removed["removed"] == done["removed"]


def test_pruning_removes_older_rows_from_facts_replica_and_texts_only(box: WholeBox, data: Path) -> None:
    result("prune", "--before", day(box, 10), "--website", "shop.example", data=data)
    assert paths(box, "shop") == {"/shop-2-days", "/common"}
    assert len(paths(box, "local")) == 3
    left = texts(box)
    assert {"/shop-2-days", "/common", "/local-40-days"} <= left
    assert not {"/shop-40-days", "/shop-20-days"} & left
    detail = box.box.box_db.read_now(
        lambda db: db.execute("select actor, subject from audit order by id desc limit 1").fetchall()
    )
    assert detail == [("command line", "events")]


def test_a_text_that_comes_again_is_known_again(box: WholeBox, data: Path) -> None:
    result("prune", "--before", day(box, 10), "--all", data=data)
    view(box, "shop", "shop-40-days")
    view(box, "shop", "new")
    assert paths(box, "shop") == {"/shop-2-days", "/common", "/shop-40-days", "/new"}
    box.reopen()
    assert paths(box, "shop") == {"/shop-2-days", "/common", "/shop-40-days", "/new"}


def test_retention_is_done_at_once(box: WholeBox, data: Path) -> None:
    assert typed("prune", "--retention", data=data).stdout.startswith("No website has a retention")
    typed("website", "edit", "shop.example", "--retention-days", "30", data=data)
    assert typed("prune", "--retention", data=data).stdout.startswith("shop.example: 1 events from before ")
    assert paths(box, "shop") == {"/shop-20-days", "/shop-2-days", "/common"}
    assert len(paths(box, "local")) == 3


def test_clicks_go_and_their_totals_stay(box: WholeBox, data: Path) -> None:
    row = result("link", "create", "https://example.com/", "--slug", "old", "--organization", "ada", data=data)
    box.get("/l/old", user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    box.run(box.box.events.clicks.flush())
    box.clock.advance(seconds=5 * DAY // 1000)
    done = result("prune", "--before", day(box, 2), "--clicks", data=data)
    assert [one["rows"] for one in done["removed"]] == [{"link_clicks": 1}]
    assert result("link", "show", row["id"], data=data)["clicks"] == 1


@each(
    ("arguments", "code", "said"),
    [
        ((), 2, "Use either --before or --retention"),
        (("--before", "2026-01-01"), 2, "Select what to remove"),
        (("--before", "2026-01-01", "--all", "--website", "x"), 2, "either --website or --all"),
        (("--before", "2026-01-01", "--retention", "--all"), 2, "either --before or --retention"),
        (("--before", "yesterday", "--all"), 2, "enter a day as YYYY-MM-DD"),
        (("--before", "2126-01-01", "--all"), 1, "Enter yesterday (UTC) or an earlier day"),
        (("--before", "2026-01-01", "--website", "x"), 1, "There is no website x"),
    ],
)
def test_ambiguous_prune_is_refused(data: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    ended = typed("prune", *arguments, data=data)
    assert (ended.exit_code, said in ended.stderr) == (code, True), ended.stderr


class Disk(NamedTuple):
    total: int
    used: int
    free: int


def fill(box: WholeBox) -> None:
    """Rows that were removed, so that the file has empty pages."""
    db = box.box.events.db
    letters = random.Random(1)
    db.write_now(lambda db: db.execute("create table filler (text)").fetchall())
    for _ in range(3):
        text = "".join(letters.choices(string.ascii_letters, k=500_000))
        db.write_now(lambda db, text=text: db.execute("insert into filler values (?)", (text,)).fetchall())  # type: ignore[misc]
    db.write_now(lambda db: db.execute("drop table filler").fetchall())


def test_vacuum_beside_a_running_box_gives_empty_pages_back(box: WholeBox, data: Path) -> None:
    fill(box)
    done = {one["file"]: one for one in result("vacuum", data=data)}
    assert done["events.db"]["how"] == "pages"
    assert done["events.db"]["before"] - done["events.db"]["after"] > 1_400_000
    assert box.box.events.db.read_now(lambda db: db.pragma("freelist_count")) == 0
    assert len(paths(box, "shop")) == 4


def test_vacuum_of_a_stopped_box_rewrites_both_files(tmp_path: Path) -> None:
    directory = tmp_path / "with spaces"
    with whole_box(directory) as box:
        fill(box)
        view(box, "shop", "kept")
    done = {one["file"]: one for one in result("vacuum", data=directory)}
    assert {one["how"] for one in done.values()} == {"rebuilt"}
    assert done["events.db"]["before"] - done["events.db"]["after"] > 1_400_000
    assert (directory / "events.db").stat().st_size == done["events.db"]["after"]
    db = apsw.Connection(str(directory / "events.db"))
    assert db.pragma("integrity_check") == "ok"
    assert db.pragma("auto_vacuum") == 2, "incremental, as it was"
    db.close()


def test_vacuum_looks_at_the_disk_first(box: WholeBox, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(10**9, 10**9 - 1_000_000, 1_000_000))
    ended = typed("vacuum", data=data)
    assert (ended.exit_code, ended.stderr) == (
        1,
        "Error: box.db needs 67 MB of free disk for this, but only 1 MB are free\n",
    )
    with pytest.raises(space.VacuumNoRoom, match=r"box\.db needs [67]\d MB"):
        space.rebuild(data / "box.db")


def test_vacuum_of_nothing_is_refused(tmp_path: Path) -> None:
    assert typed("vacuum", data=tmp_path / "none").stderr.startswith("Error: There is no Analytics Box data in ")
