"""Interning: one number per string, for ever, however few strings are remembered."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.base.store.db import Db
from analytics_box.base.store.strings import EMPTY, LONGEST, Strings


@pytest.fixture
def db(events_path: Path) -> Iterator[Db]:
    opened = Db(events_path, readers=1)
    yield opened
    opened.close()


def number(db: Db, strings: Strings, text: str) -> int:
    """The number of one string, committed."""
    return db.write_now(lambda connection: strings.number(connection, text))


def text_of(db: Db, number: int) -> str:
    """What a number stands for, by the table."""
    return str(db.read_now(lambda read: read.execute("select value from strings where id = ?", (number,)).get))


@pytest.mark.parametrize("text", ["/", "Ünïcode ✓", "a\x00b", "x" * 8192, "' or 1=1 --", "\U0001f600"])
def test_a_string_has_one_number_that_leads_back_to_it(db: Db, text: str) -> None:
    strings = Strings()
    first = number(db, strings, text)
    assert number(db, strings, text) == first
    assert text_of(db, first) == text


def test_the_empty_string_is_zero_even_to_a_memory_that_forgot_it(db: Db) -> None:
    strings = Strings(capacity=2)
    db.attach(strings)
    for text in "abc":
        number(db, strings, text)
    assert number(db, strings, "") == EMPTY == 0


def test_strings_that_differ_in_case_or_in_space_are_different(db: Db) -> None:
    strings = Strings()
    texts = ["a", "A", "a ", " a", "á", "a\u0301"]
    assert len({number(db, strings, text) for text in texts}) == len(texts)


def test_the_memory_is_bounded_and_what_it_forgets_keeps_its_number(db: Db) -> None:
    strings = Strings(capacity=10)
    db.attach(strings)
    first = {text: number(db, strings, text) for text in map(str, range(100))}
    assert 5 <= len(strings) <= 10
    again = {text: number(db, strings, text) for text in map(str, range(100))}
    assert again == first
    assert 5 <= len(strings) <= 10
    assert strings.mark() == 0, "nothing is kept for an undoing that cannot come any more"


def test_the_busiest_strings_are_remembered_longest(db: Db) -> None:
    strings = Strings(capacity=3)
    db.attach(strings)
    asked: list[str] = []

    def trace(_cursor: object, statement: str, _values: object) -> bool:
        if "strings.number" in statement:
            asked.append(statement)
        return True

    number(db, strings, "busy")
    for text in map(str, range(20)):
        number(db, strings, text)
        number(db, strings, "busy")
    db.write_now(lambda connection: connection.set_exec_trace(trace))
    number(db, strings, "busy")
    assert not asked
    number(db, strings, "0")
    assert asked


def test_long_strings_are_not_remembered_and_short_ones_only_as_far_as_their_bytes_go(db: Db) -> None:
    strings = Strings(most_bytes=10_000)
    db.attach(strings)
    long = [f"{number}{'x' * LONGEST}" for number in range(20)]
    numbers = [number(db, strings, text) for text in long]
    assert len(strings) == 0
    assert [number(db, strings, text) for text in long] == numbers
    for text in range(1_000):
        number(db, strings, f"{text} and some more")
    assert 20 <= len(strings) <= 50, "about 250 bytes each"


def test_forgotten_strings_of_an_erasure_free_their_space(db: Db) -> None:
    strings = Strings(most_bytes=10_000)
    db.attach(strings)
    for turn in range(20):
        texts = {f"{turn} {each}" for each in range(20)}
        for text in texts:
            number(db, strings, text)
        strings.forget(texts)
    assert len(strings) == 0
    number(db, strings, "last")
    assert len(strings) == 1


def test_numbers_go_on_after_the_file_is_opened_again(events_path: Path) -> None:
    db = Db(events_path, readers=1)
    before = [number(db, Strings(), text) for text in ("one", "two")]
    db.close()
    db = Db(events_path, readers=1)
    strings = Strings()
    after = number(db, strings, "three")
    assert [number(db, strings, text) for text in ("one", "two")] == before
    assert after == max(before) + 1
    db.close()
