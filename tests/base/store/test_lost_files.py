"""A file that is removed or replaced under the running box: nothing is acknowledged that would be lost."""

import shutil
from pathlib import Path

import pytest

from analytics_box.app import jobs
from analytics_box.base.errors import Unavailable
from analytics_box.base.store import schema
from analytics_box.base.store.db import Db
from tests.base.store.notes import note, texts
from tests.inprocess import whole_box


@pytest.mark.parametrize("name", [schema.EVENTS_FILE, f"{schema.EVENTS_FILE}-wal"])
@pytest.mark.parametrize("replaced", [True, False], ids=["replaced", "removed"])
def test_events_are_refused_while_their_file_is_gone_and_taken_again_once_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, *, replaced: bool
) -> None:
    with whole_box(tmp_path / "data") as box:
        event = {"name": "seen", "websiteId": box.sites["shop"]}
        assert box.post("/track", event, key="all").status == 200
        file, aside = tmp_path / "data" / name, tmp_path / "aside"
        file.rename(aside)
        if replaced:
            shutil.copy(aside, file)
        for _ in range(2):
            box.run(jobs.look_at_files(box.box))
        refused = box.post("/track", event, key="all")
        assert refused.status == 503, refused.body
        assert caplog.text.count(f"{file} was removed or replaced while the server runs") == 1
        assert box.query("shop", {"parameters": ["custom_events"], "preset": "today"}).status == 200, "reads go on"
        aside.rename(file)
        box.run(jobs.look_at_files(box.box))
        assert box.post("/track", event, key="all").status == 200


def test_a_file_in_its_place_is_written_to(db: Db) -> None:
    db.look()
    db.write_now(note("here"))
    assert db.read_now(texts) == ["here"]


def test_the_refusal_names_the_file(db: Db, path: Path) -> None:
    path.unlink()
    db.look()
    with pytest.raises(Unavailable, match=r"lost its file notes\.db"):
        db.write_now(note("never"))
