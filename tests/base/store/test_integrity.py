"""A file that is in use is looked through in pieces, each of which may see a log that has started again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from analytics_box.base.store.integrity import integrity, integrity_in_pieces

ROWS = 5_000
PIECE = 300
PAGE = 4_096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a long table of each kind, one of them with indexes, and a short one."""
    file = tmp_path / "long.db"
    db = apsw.Connection(str(file))
    db.execute(
        """
        create table long (id integer primary key, name text not null unique, more text, size integer not null) strict;
        create index long_by_size on long (size, name);
        create index long_by_more on long (more) where more is not null;
        create table keyed (a integer not null, b text not null, c text, primary key (a, b)) strict, without rowid;
        create table short (id integer primary key, text text) strict;
        insert into short (text) values ('only');
        """
    )
    numbers = f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {ROWS})"
    db.execute(f"{numbers} insert into long select i * 3, 'name ' || i, nullif(i % 5, 0) || 'x', i % 7 from n")
    db.execute(f"{numbers} insert into keyed select i % 11, 'key ' || i, hex(randomblob(40)) from n")
    db.close()
    return file


def test_sound_file_passes_the_check_in_pieces(path: Path) -> None:
    assert integrity(path) == integrity(path, in_use=True) == "ok"
    assert in_pieces(path)[0] == "ok"


def test_no_piece_reads_a_long_table_whole(path: Path) -> None:
    _, steps = in_pieces(path)
    whole = whole_steps(path)
    assert len(steps) > 4 * ROWS // PIECE, "both tables and two indexes, piece by piece"
    assert max(steps) < whole / 5


@pytest.mark.parametrize("damaged", ["long", "keyed", "long_by_size", "sqlite_autoindex_long_1", "short"])
def test_damage_is_found_wherever_it_is(path: Path, damaged: str) -> None:
    number = leaf_of(path, damaged)
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        file.write(b"\xff" * 64)
    assert integrity(path, in_use=True) != "ok"
    assert in_pieces(path)[0] != "ok"


def leaf_of(path: Path, name: str) -> int:
    """The number of a page of this table or index that holds rows."""
    db = apsw.Connection(str(path))
    try:
        return int(str(db.execute("select max(rootpage) from sqlite_schema where name = ?", (name,)).get))
    finally:
        db.close()


def in_pieces(path: Path) -> tuple[str, list[int]]:
    """What is found, and how many steps of SQLite each read took."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    steps: list[int] = []

    def read(work: Callable[[apsw.Connection], Any]) -> Any:
        steps.append(0)
        return work(db)

    def count() -> bool:
        steps[-1] += 1
        return False

    db.set_progress_handler(count, 10)
    try:
        return integrity_in_pieces(read, piece=PIECE), steps
    finally:
        db.close()


def whole_steps(path: Path) -> int:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    db.set_progress_handler(count, 10)
    db.pragma("quick_check")
    db.close()
    return steps
