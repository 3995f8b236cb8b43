"""GET /health/ready says why the box cannot do its work; GET /health only that it serves."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from analytics_box.app.watch.disk import Readiness
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.running import UNCHECKED_FILE
from tests.base.store.failing_disk import FailingDisk
from tests.base.store.notes import make_file, note
from tests.base.store.test_damage import spoil
from tests.inprocess import WholeBox, whole_box


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path) as made:
        yield made


def test_a_box_that_can_do_its_work_is_ready(box: WholeBox) -> None:
    answer = box.get("/health/ready")
    assert (answer.status, answer.json) == (200, {"status": "ok"})
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["box.db", "events.db", "events.db-wal"])
def test_a_file_that_is_gone_or_replaced_is_named(box: WholeBox, name: str) -> None:
    path = box.box.settings.data_dir / name
    aside = path.rename(path.with_name("aside"))
    assert_unavailable(box, f"{name} is gone")
    path.write_bytes(aside.read_bytes())
    assert_unavailable(box, f"{name} was replaced")
    event = {"name": "seen", "websiteId": box.sites["shop"]}
    assert name == "box.db" or box.post("/track", event, key="all").status == 503, "it is noticed at once"
    aside.rename(path)
    assert box.get("/health/ready").status == 200
    assert box.post("/track", event, key="all").status == 200


def test_database_damaged_while_the_box_runs_is_not_ready_and_metrics_still_answer(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, metrics="on")) as box:
        event = {"name": "seen", "websiteId": box.sites["shop"]}
        assert box.post("/track", event, key="all").status == 200
        spoil(box.box.settings.data_dir / "events.db")
        question = {"parameters": ["top_pages"], "startDate": "2026-01-01", "endDate": "2026-12-31"}
        answer = box.post(f"/v1/query?website_id={box.sites['shop']}", question, key="all")
        assert b"events.db is damaged: stop the server and restore a backup of both databases" in answer.body
        assert_unavailable(box, "events.db is damaged")
        answer = box.ask("GET", "/metrics", headers={}, address="127.0.0.1")
        assert answer.status == 200
        lines = answer.body.decode().splitlines()
        assert 'analytics_box_damaged{database="events.db"} 1' in lines
        assert 'analytics_box_damaged{database="box.db"} 0' in lines
        assert 'analytics_box_warning{code="damage"} 1' in lines
        assert "analytics_box_ready 0" in lines
        page = box.get("/settings/box", cookie=box.cookie)
        assert page.status == 200
        assert b"Damaged: events.db. Stop the server and restore a backup" in page.body
    assert (tmp_path / "data" / UNCHECKED_FILE).exists(), "the next start looks through both files"


def test_a_disk_that_is_nearly_full_is_said(tmp_path: Path) -> None:
    with whole_box(tmp_path, adjust=lambda given: replace(given, ready_free_mb=10**9)) as box:
        assert_unavailable(box, "Less than 1000000000 MB of the disk are free")


def assert_unavailable(box: WholeBox, reason: str) -> None:
    answer = box.get("/health/ready")
    assert (answer.status, answer.json) == (503, {"status": "unavailable", "reason": reason})
    assert str(box.box.settings.data_dir).encode() not in answer.body
    assert box.get("/health").json == {"status": "ok"}


def test_unwritable_file_is_reported_until_it_is_writable_without_any_write(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    make_file(path)

    async def look() -> list[str]:
        found = [await readiness.trouble()]
        disk.failure = apsw.IOError
        found.append(await readiness.trouble())  # nobody has noticed yet
        with pytest.raises(Unavailable):
            await db.write(note("lost"))
        found.append(await readiness.trouble())
        disk.failure = None
        found.append(await readiness.trouble())
        return found

    with FailingDisk() as disk:
        db = Db(path, readers=1, vfs=disk.name)
        readiness = Readiness((db,), least_free=0)
        assert asyncio.run(look()) == ["", "", "notes.db cannot be written", ""]
        assert not db.failing
        db.close()
