"""A backup taken at any moment of a load, restored, answers as the box did at that moment."""

import asyncio
import random
import shutil
from pathlib import Path

import apsw

from analytics_box.base.backup import take
from analytics_box.base.backup.places import FolderPlace
from analytics_box.base.backup.take import BackupOptions, PairCopy
from analytics_box.base.facts import erase
from analytics_box.base.store.db import Connection
from tests.base.backup.world import answers, answers_of, run, see
from tests.inprocess import WholeBox, whole_box

MOMENTS = 4


def back_up(box: WholeBox, into: Path) -> Path:
    """A backup of the open box."""
    into.mkdir(exist_ok=True)
    databases = (box.box.box_db, box.box.events.db)
    copy = take.copy(box.box.settings, databases, box.clock)
    return Path(finish(box, copy, into))


def finish(box: WholeBox, copy: PairCopy, into: Path) -> str:
    entry = take.finish(box.box.settings, copy, FolderPlace(into), BackupOptions(), box.clock)
    take.remove(Path(copy.folder))
    return entry.name


def test_a_restored_backup_answers_as_the_box_did_at_that_moment(tmp_path: Path) -> None:
    chance = random.Random(16)
    with whole_box(tmp_path / "data") as box:
        for moment in range(MOMENTS):
            for number in range(chance.randint(1, 12)):
                see(box, f"{moment} {number}", who=f"u{chance.randint(1, 4)}", site=chance.choice(("shop", "local")))
                box.clock.advance(seconds=chance.randint(1, 4_000))
            if moment == 3:
                box.run(erase.site(box.box.events.db, box.numbers["local"]))
            then = [answers(box), answers(box, "local")]
            made = back_up(box, tmp_path / f"{moment}")
            see(box, "later")
            ended = run("restore", "--data-dir", tmp_path / "restored", made, "--yes")
            assert ended.exit_code == 0, ended.output
            assert [answers_of(tmp_path / "restored", box, site) for site in ("shop", "local")] == then
            shutil.rmtree(tmp_path / "restored")


def test_the_pair_is_of_one_moment_while_both_files_are_written(tmp_path: Path) -> None:
    """Each round writes its number to box.db, and once that is acknowledged to events.db: never can events.db be ahead
    of box.db, nor box.db by more than the one round that was under way."""
    with whole_box(tmp_path / "data") as box:
        box_db, events = box.box.box_db, box.box.events.db
        for db in (box_db, events):
            db.write_now(lambda db: db.execute("create table rounds (id integer primary key) strict").fetchall())

        async def rounds(stopped: asyncio.Event) -> None:
            number = 0
            while not stopped.is_set():
                number += 1
                await box_db.write(lambda db, number=number: add(db, number))  # type: ignore[misc]
                await events.write(lambda db, number=number: add(db, number))  # type: ignore[misc]

        async def load() -> list[PairCopy]:
            stopped = asyncio.Event()
            going = asyncio.create_task(rounds(stopped))
            copies = [
                await asyncio.to_thread(take.copy, box.box.settings, (box_db, events), box.clock) for _ in range(5)
            ]
            stopped.set()
            await going
            return copies

        last = 0
        for nth, copy in enumerate(box.run(load())):
            name = finish(box, copy, make(tmp_path / f"{nth}"))
            target = tmp_path / f"restored {nth}"
            assert run("restore", "--data-dir", target, name, "--yes").exit_code == 0
            of_box, of_events = (highest(target / name) for name in ("box.db", "events.db"))
            assert of_events <= of_box <= of_events + 1
            assert of_events >= last
            last = of_events
        assert last > 0


def add(db: Connection, number: int) -> None:
    db.execute("insert into rounds (id) values (?)", (number,)).fetchall()


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def highest(path: Path) -> int:
    db = apsw.Connection(str(path))
    try:
        return int(str(db.execute("select coalesce(max(id), 0) from rounds").fetchall()[0][0]))
    finally:
        db.close()
