"""Bulk answers that are kept take so many bytes at most."""

from typing import Any

from analytics_box.flags.ofrep.memo import Kept, Memo


def test_answers_asked_for_longest_ago_go() -> None:
    here: Any = object()
    memo = Memo(most_bytes=5_000)
    for number in range(4):
        memo.keep(b"%d" % number, Kept(here, b"x" * 500, ()))
    assert memo.find(b"0", here) is not None
    memo.keep(b"4", Kept(here, b"x" * 500, ()))
    memo.keep(b"4", Kept(here, b"x" * 600, ()))
    found = [number for number in range(5) if memo.find(b"%d" % number, here)]
    assert found == [0, 2, 3, 4]
    assert memo.size <= 5_000


def test_an_answer_of_flags_that_were_compiled_anew_is_none() -> None:
    before: Any = object()
    after: Any = object()
    memo = Memo()
    memo.keep(b"tag", Kept(before, b"body", ()))
    assert memo.find(b"tag", after) is None
    memo.keep(b"huge", Kept(before, b"x" * 20_000_000, ()))
    assert (memo.find(b"huge", before), memo.size) == (None, 0)
