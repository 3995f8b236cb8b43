"""What is in memory beside events.db changes with its commits only: a refused write leaves no stale number behind."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics_box.base.clock import MINUTE
from analytics_box.base.errors import Unavailable
from analytics_box.base.facts.event import Event
from analytics_box.base.store.schema import EVENTS_FILE
from tests.base.store.failing_disk import FailingDisk, Operation
from tests.base.store.notes import Refusal, behind_gate
from tests.ledgers import NOON, Books, open_books, stored, view

Work = Callable[[apsw.Connection], object]


def taken(books: Books, *events: Event) -> Work:
    """A write of these events."""
    return lambda connection: books.ledger.append(connection, events)


def thrown_away(books: Books, *events: Event) -> Work:
    """A write of these events that is refused after they were written."""

    def work(connection: apsw.Connection) -> None:
        books.ledger.append(connection, events)
        raise Refusal

    return work


@pytest.fixture
def books(events_path: Path) -> Iterator[Books]:
    opened = open_books(events_path)
    yield opened
    opened.db.close()


def test_strings_of_a_refused_write_get_a_new_number_when_they_come_again(books: Books) -> None:
    with pytest.raises(Refusal):
        books.db.write_now(thrown_away(books, view("/a"), view("/b")))
    books.db.write_now(taken(books, view("/other"), view("/b"), view("/a")))
    assert [row.path for row in books.db.read_now(stored)] == ["/other", "/b", "/a"]


def test_a_session_that_began_in_a_refused_write_never_was(books: Books) -> None:
    with pytest.raises(Refusal):
        books.db.write_now(thrown_away(books, view("/a")))
    assert len(books.live) == 0
    books.db.write_now(taken(books, view("/a", minute=5)))
    assert [row.session_started for row in books.db.read_now(stored)] == [NOON + 5 * MINUTE]


def test_a_refused_write_does_not_prolong_a_session(books: Books) -> None:
    books.db.write_now(taken(books, view("/a")))
    with pytest.raises(Refusal):
        books.db.write_now(thrown_away(books, view("/b", minute=20)))
    books.db.write_now(taken(books, view("/c", minute=40)))
    first, second = books.db.read_now(stored)
    assert first.session != second.session
    assert second.session_started == NOON + 40 * MINUTE


def test_neighbours_in_a_group_see_nothing_of_a_refused_write(books: Books) -> None:
    asyncio.run(
        behind_gate(
            books.db,
            taken(books, view("/before", visitor=1)),
            thrown_away(books, view("/shared", visitor=2), view("/gone", visitor=1, minute=29)),
            taken(books, view("/shared", visitor=2, minute=1), view("/late", visitor=1, minute=31)),
        )
    )
    before, shared, late = books.db.read_now(stored)
    assert (before.path, shared.path, late.path) == ("/before", "/shared", "/late")
    assert shared.session_started == NOON + 1 * MINUTE
    assert late.session != before.session, "31 minutes of silence, for the page between was refused"


@pytest.mark.parametrize("operation", ["write", "sync"])
def test_a_commit_that_the_disk_refuses_leaves_nothing_in_memory(events_path: Path, operation: Operation) -> None:
    with FailingDisk() as disk:
        books = open_books(events_path, vfs=disk.name)
        books.db.write_now(taken(books, view("/kept")))
        remembered, alive = len(books.strings), len(books.live)
        disk.failure, disk.at = apsw.FullError, operation
        with pytest.raises(Unavailable):
            books.db.write_now(taken(books, view("/lost", visitor=2)))
        assert (len(books.strings), len(books.live)) == (remembered, alive)
        disk.failure = None
        books.db.write_now(taken(books, view("/found", visitor=3), view("/lost", visitor=2)))
        assert [row.path for row in books.db.read_now(stored)] == ["/kept", "/found", "/lost"]
        books.db.close()


GROUPS = st.lists(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 3)), max_size=4)),
        min_size=1,
        max_size=4,
    ),
    max_size=6,
)


@settings(max_examples=40)
@given(groups=GROUPS)
def test_after_any_mix_of_refused_and_taken_writes_every_row_says_what_was_sent(
    groups: list[list[tuple[bool, list[tuple[str, int]]]]], empty_box: Path
) -> None:
    """Each group is a list of writes: whether it is refused, and its pages and visitors."""
    with TemporaryDirectory() as directory:
        books = open_books(Path(shutil.copy(empty_box / EVENTS_FILE, directory)))
        wanted = []
        for number, group in enumerate(groups):
            works = []
            for refuse, pages in group:
                events = [view(f"/{page}", visitor=visitor, minute=number) for page, visitor in pages]
                works.append((thrown_away if refuse else taken)(books, *events))
                wanted += [] if refuse else [event.path for event in events]
            asyncio.run(behind_gate(books.db, *works))
        rows = books.db.read_now(stored)
        assert [row.path for row in rows] == wanted
        assert all(row.title == f"Title of {row.path}" for row in rows)
        assert len(books.live) == len({row.session for row in rows})
        assert (books.strings.mark(), books.live.mark()) == (0, 0), "nothing is kept for undoing it"
        books.db.close()
