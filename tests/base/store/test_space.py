"""What is removed from the files is given back to the disk."""

from pathlib import Path

from analytics_box.app import jobs
from analytics_box.base.store.db import Connection
from tests.inprocess import WholeBox, whole_box

TEXT = "x" * 4_000


def _pages(box: WholeBox) -> tuple[int, int]:
    """How many pages events.db has, and how many of them are empty."""

    def work(db: Connection) -> tuple[int, int]:
        return int(str(db.pragma("page_count"))), int(str(db.pragma("freelist_count")))

    return box.box.events.db.read_now(work)


def _fill(box: WholeBox, first: int, last: int) -> None:
    def work(db: Connection) -> None:
        db.executemany(
            "insert into strings (id, value) values (?, ?)",
            [(number, f"{TEXT}{number}") for number in range(first, last)],
        )

    box.box.events.db.write_now(work)


def _remove(box: WholeBox, first: int) -> None:
    box.box.events.db.write_now(lambda db: db.execute("delete from strings where id >= ?", (first,)).fetchall())


def test_a_file_that_is_empty_for_the_most_part_gets_short_again(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        before, _ = _pages(box)
        _fill(box, 10_000, 14_000)
        assert _pages(box)[0] > before + 2_000
        _remove(box, 10_100)
        box.run(jobs.give_space_back(box.box))
        pages, empty = _pages(box)
        assert pages < before + 500
        assert empty * 10 < pages
        assert box.box.events.db.read_now(lambda db: db.pragma("integrity_check")) == "ok"


def test_a_few_empty_pages_stay_for_what_comes(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data") as box:
        _fill(box, 10_000, 12_000)
        _remove(box, 11_950)
        before = _pages(box)
        assert before[1] > 0
        box.run(jobs.give_space_back(box.box))
        assert _pages(box) == before
