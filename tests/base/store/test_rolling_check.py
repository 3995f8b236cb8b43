"""A regular look at an open database finds damage that commits do not meet, because their pages are in memory."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from analytics_box.app.watch.disk import Readiness
from analytics_box.base.errors import Unavailable
from analytics_box.base.store.db import Db
from analytics_box.base.store.integrity import RollingCheck
from tests.base.store.failing_disk import FailingDisk
from tests.base.store.notes import make_file, note, texts

LONG = "x" * 2_000
NOTES = 400
MOST_RUNS = 200


@pytest.fixture
def db(path: Path) -> Iterator[Db]:
    """An open file of many notes, which the log has left."""
    db = Db(path, readers=1)
    for number in range(NOTES):
        db.write_now(note(f"{number} {LONG}"))
    db.write_now(lambda connection: None)
    db.close()
    db = Db(path, readers=1)
    yield db
    db.close()


def overwrite(path: Path, first: float, last: float) -> None:
    """Put random bytes in the place of a part of a file."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(int(size * first))
        file.write(os.urandom(int(size * (last - first))))


def run_rounds(check: RollingCheck, rounds: int = 1) -> None:
    """Run until the whole file was looked at, or damage is known."""
    goal = check.rounds + rounds
    for _ in range(MOST_RUNS):
        if check.rounds >= goal or check._db.damage.reason:
            return
        check.run()
    raise AssertionError("no round ends")


def test_sound_file_is_looked_at_round_after_round(db: Db) -> None:
    check = RollingCheck(db, seconds=0)
    run_rounds(check, 2)
    assert not db.damage.trouble
    assert db.write_now(note("one more")) == NOTES + 1


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda path: overwrite(path, 0.4, 0.5), id="random bytes in the middle"),
        pytest.param(lambda path: overwrite(path, 0.9, 1), id="random bytes at the end"),
        pytest.param(lambda path: os.truncate(path, path.stat().st_size // 2), id="half of the file is missing"),
    ],
)
def test_damage_under_a_writer_that_does_not_meet_it_is_found_within_a_round(
    db: Db, path: Path, damage: Callable[[Path], None]
) -> None:
    check = RollingCheck(db)
    db.write_now(note("before"))
    db.read_now(texts)
    run_rounds(check)
    damage(path)
    with suppress(Unavailable):  # if it meets the damage
        db.write_now(note("acknowledged from memory"))
    run_rounds(check)
    assert db.damage.reason
    with pytest.raises(Unavailable, match="is damaged"):
        asyncio.run(db.write(note("an event"), adds=True))


def test_newest_rows_are_read_back_with_each_look(path: Path) -> None:
    db = Db(path, readers=1)
    check = RollingCheck(db, seconds=0)

    def fill(connection: apsw.Connection) -> None:
        rows = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)"
        connection.execute(f"{rows} insert into notes (text) select 'note ' || i || ' {LONG[:200]}' from n")

    db.write_now(fill)
    check.run()
    assert (check.rounds, db.damage.reason) == (0, "")
    overwrite(path.with_name(f"{path.name}-wal"), 0.5, 1)
    check = RollingCheck(db, seconds=0)
    check.run()
    assert check.rounds == 0, "its time is too short for the end of the table"
    assert db.damage.reason
    db.close()


def test_newest_row_that_an_index_lacks_is_damage(path: Path) -> None:
    db = Db(path, readers=1)
    db.write_now(note("sound"))

    def lose(connection: apsw.Connection) -> None:
        connection.execute("pragma writable_schema = on")
        connection.execute("create table other (id integer primary key, text text not null) strict")
        connection.execute("create unique index others on other (text)")
        index = "update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'others')"
        connection.execute(f"{index} where name = 'sqlite_autoindex_notes_1'")
        connection.execute("delete from sqlite_schema where name in ('others', 'other')")
        connection.execute("pragma writable_schema = reset")

    db.write_now(lose)
    RollingCheck(db).run()
    assert "newest rows are missing from" in db.damage.reason
    db.close()


def test_disk_that_does_not_return_what_it_has_stops_events_until_all_of_it_was_read(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with FailingDisk() as disk:
        db = Db(path, readers=1, vfs=disk.name)
        check, readiness = RollingCheck(db, rest=0), Readiness((db,), least_free=0)
        for number in range(10):
            db.write_now(note(f"{number} {LONG}"))
        disk.failure, disk.at = apsw.IOError, "read"
        for _ in range(3):
            with pytest.raises(Unavailable, match=r"notes\.db cannot be read: the disk reports an error"):
                db.read_now(texts)
            check.run()
        assert [record.levelname for record in caplog.records] == ["ERROR"], "it is logged once"
        assert asyncio.run(readiness.trouble()) == "notes.db cannot be read"
        disk.failure = None
        with pytest.raises(Unavailable, match="cannot be read"):
            asyncio.run(db.write(note("an event"), adds=True))
        check.run()
        assert asyncio.run(readiness.trouble()) == ""
        asyncio.run(db.write(note("an event"), adds=True))
        assert len(db.read_now(texts)) == 11
        assert not db.damage.reason
        db.close()


def test_writer_that_cannot_read_a_page_reports_the_disk(path: Path) -> None:
    with FailingDisk() as disk:
        db = Db(path, readers=1, vfs=disk.name)
        for number in range(200):
            db.write_now(note(f"{number} {LONG}"))
        db.write_now(lambda connection: connection.pragma("shrink_memory"))
        disk.failure, disk.at = apsw.IOError, "read"
        with pytest.raises(Unavailable, match="the disk reports an error"):
            db.write_now(note("never"))
        assert db.damage.disk_error
        disk.failure = None
        RollingCheck(db).run()
        assert not db.damage.disk_error
        db.close()


def test_damage_of_one_database_stops_what_adds_to_the_other(path: Path, tmp_path: Path) -> None:
    make_file(tmp_path / "other.db")
    db, other = Db(path, readers=1), Db(tmp_path / "other.db", readers=1)
    db.damage.pair(other.damage)
    other.damage.note("database disk image is malformed")
    with pytest.raises(Unavailable, match=r"other\.db is damaged"):
        asyncio.run(db.write(note("an event"), adds=True))
    asyncio.run(db.write(note("a sign-in")))
    assert not db.damage.reason
    db.close()
    other.close()


def test_event_that_was_on_its_way_when_damage_was_found_is_not_acknowledged(path: Path) -> None:
    db = Db(path, readers=1)

    def find_damage(connection: apsw.Connection) -> int:
        db.damage.note("database disk image is malformed")
        return note("an event")(connection)

    with pytest.raises(Unavailable, match="is damaged"):
        asyncio.run(db.write(find_damage, adds=True))
    assert asyncio.run(db.write(note("a sign-in"))) == 2
    db.close()


@pytest.mark.parametrize("file", ["notes.db", "notes.db-wal"])
def test_commit_to_a_file_that_was_removed_is_not_acknowledged(path: Path, file: str) -> None:
    db = Db(path, readers=1)
    db.write_now(note("before"))
    name, aside = path.with_name(file), path.with_name("aside")
    name.rename(aside)
    for _ in range(2):
        with pytest.raises(Unavailable, match=r"lost its file notes\.db"):
            db.write_now(note("never"))
    aside.rename(name)
    assert db.look() == ""
    db.write_now(note("after"))
    db.close()
