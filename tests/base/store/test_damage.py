"""A database that is damaged while it is open: its readers and writers report the damage, and it stays known."""

import asyncio
import os
from pathlib import Path

import apsw
import pytest

from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from tests.base.store.notes import make_file, note, texts

LONG = "x" * 20_000


def spoil(path: Path) -> None:
    """Overwrite all but the first page of a database and the header of its log, as a failing disk does."""
    for file, kept in ((path, 8_192), (path.with_name(f"{path.name}-wal"), 32)):
        if file.exists() and (size := file.stat().st_size) > kept:
            with file.open("r+b") as opened:
                opened.seek(kept)
                opened.write(os.urandom(size - kept))


@pytest.fixture
def damaged(path: Path) -> Db:
    """An open file of many notes in which nothing but the first page is left."""
    db = Db(path, readers=1)
    for number in range(20):
        db.write_now(note(f"{number} {LONG}"))
    spoil(path)
    return db


def test_sound_database_reports_no_damage(db: Db) -> None:
    db.write_now(note("one"))
    assert db.read_now(texts) == ["one"]
    assert not db.damage.reason


def test_read_that_meets_damage_is_refused_with_the_damage_sentence(
    damaged: Db, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        with pytest.raises(Unavailable, match=r"notes\.db is damaged: stop the server and restore a backup") as refused:
            damaged.read_now(texts)
    assert "again" not in refused.value.message
    assert damaged.damage.reason
    assert [record.levelname for record in caplog.records] == ["ERROR"], "it is logged once"
    damaged.close()


def test_write_that_meets_damage_is_refused_with_the_damage_sentence(path: Path) -> None:
    db = Db(path, readers=1)
    for number in range(20):
        db.write_now(note(f"{number} {LONG}"))
    db.close()
    spoil(path)
    db = Db(path, readers=1)
    with pytest.raises(Unavailable, match=r"notes\.db is damaged: stop the server and restore a backup"):
        db.write_now(note("one more"))
    assert db.damage.reason
    db.close()


@pytest.mark.parametrize("sign", [apsw.CorruptError, apsw.NotADBError])
@pytest.mark.parametrize("way", ["read_now", "write_now"])
def test_damage_stays_known_after_work_that_succeeds(db: Db, sign: type[apsw.Error], way: str) -> None:
    def meet(_: apsw.Connection) -> None:
        raise sign("file is not a database")

    with pytest.raises(Unavailable, match="is damaged"):
        getattr(db, way)(meet)
    db.write_now(note("elsewhere"))
    assert db.read_now(texts) == ["elsewhere"]
    assert db.damage.reason == "file is not a database"


def test_nothing_is_added_to_a_file_that_is_known_to_be_damaged(db: Db) -> None:
    db.damage.note("database disk image is malformed")
    with pytest.raises(Unavailable, match=r"notes\.db is damaged"):
        asyncio.run(db.write(note("an event"), adds=True))
    asyncio.run(db.write(note("a sign-in")))
    assert db.read_now(texts) == ["a sign-in"]


def test_damage_of_an_attached_file_is_not_damage_of_the_database(db: Db, tmp_path: Path) -> None:
    db.write_now(note("sound"))
    attached = tmp_path / "derived.db"
    make_file(attached)

    def attach(connection: apsw.Connection) -> None:
        connection.execute("attach ? as derived", (str(attached),))

    db.read_now(attach)
    attached.write_bytes(b"no database" * 1_000)
    with pytest.raises(apsw.SQLError, match="no such table"):
        db.read_now(lambda connection: connection.execute("select * from derived.notes").fetchall())
    assert db.read_now(texts) == ["sound"]
    assert not db.damage.reason
