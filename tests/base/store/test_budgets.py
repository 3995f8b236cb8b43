"""What a website may add in an hour: new strings and bytes, then nothing until the hour is over."""

import pytest

from analytics_box.base.clock import HOUR
from analytics_box.base.store import budgets as module
from analytics_box.base.store.budgets import Budgets, DiskBudget, ends_at
from tests.inprocess import NOON

SITE = 7


def test_new_strings_are_taken_until_there_were_so_many() -> None:
    meter = Budgets(DiskBudget(texts=3, bytes=0)).meter(SITE, NOON)
    assert [meter.takes_text("x") for _ in range(5)] == [True, True, True, False, False]
    assert meter.folded
    assert not meter.takes_row()
    assert meter.takes_bytes(1 << 30), "bytes have no bound here"


def test_bytes_are_taken_until_there_were_so_many_and_the_last_may_overdraw() -> None:
    meter = Budgets(DiskBudget(texts=0, bytes=1_000)).meter(SITE, NOON)
    assert meter.takes_bytes(900)
    assert meter.takes_text("x" * 2_000)
    assert not meter.takes_text("y"), "nothing is taken after that, however short: one event has one answer"
    assert not meter.takes_bytes(1)


def test_a_budget_of_nothing_is_no_bound() -> None:
    meter = Budgets(DiskBudget(0, 0)).meter(SITE, NOON)
    assert all(meter.takes_text("x" * 10_000) for _ in range(1_000))


def test_each_website_and_each_utc_hour_has_its_own() -> None:
    budgets = Budgets(DiskBudget(1, 0))
    assert budgets.meter(SITE, NOON).takes_text("a")
    assert not budgets.meter(SITE, NOON).takes_text("b")
    assert budgets.meter(8, NOON).takes_text("b")
    assert ends_at(NOON) == ends_at(NOON + HOUR - 1) == NOON + HOUR
    assert not budgets.meter(SITE, NOON + HOUR - 1).takes_text("b")
    assert budgets.meter(SITE, NOON + HOUR).takes_text("b")


def test_clock_that_was_ahead_does_not_block_the_budget() -> None:
    budgets = Budgets(DiskBudget(1, 0))
    found = [budgets.meter(SITE, NOON + hours * HOUR).takes_text("a") for hours in (24, 0, 0)]
    assert found == [True, True, False]


def test_a_budget_that_is_raised_acts_at_once_and_what_was_taken_counts() -> None:
    budgets = Budgets(DiskBudget(2, 80))
    assert [budgets.meter(SITE, NOON).takes_text("a") for _ in range(3)] == [True, True, False]
    own = DiskBudget(texts=3, bytes=0)
    assert [budgets.meter(SITE, NOON, own).takes_text("a") for _ in range(2)] == [False, False], (
        "its bytes are as usual"
    )
    own = DiskBudget(texts=3, bytes=10_000)
    assert [budgets.meter(SITE, NOON, own).takes_text("a") for _ in range(2)] == [True, False]


def test_non_ascii_text_counts_its_encoded_bytes() -> None:
    budgets = Budgets(DiskBudget(0, 1_000))
    assert budgets.meter(SITE, NOON).takes_text("\U0001f600" * 120)
    assert not budgets.meter(SITE, NOON).takes_text("x")


def test_single_sender_uses_a_fifth_and_many_use_all() -> None:
    budgets = Budgets(DiskBudget(10, 0))

    def takes(sender: str) -> bool:
        return budgets.meter(SITE, NOON, sender=sender).takes_text("x")

    assert [takes("a") for _ in range(4)] == [True, True, False, False]
    assert [takes(sender) for sender in "bbccddee"] == [True] * 8
    assert not takes("f"), "all of it is used up"


def test_senders_beyond_a_bound_have_no_share_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SENDERS", 1)
    budgets = Budgets(DiskBudget(10, 0))
    taken = [budgets.meter(SITE, NOON, sender=sender).takes_text("x") for sender in "aaa" + "b" * 10]
    assert taken == [True, True, False] + [True] * 8 + [False] * 2


def test_rolled_back_write_does_not_count() -> None:
    budgets = Budgets(DiskBudget(10, 1_000))
    meter = budgets.meter(SITE, NOON, sender="198.51.100.0/24")
    assert meter.takes_text("kept")
    budgets.committed()
    for _ in range(20):
        mark = budgets.mark()
        assert meter.takes_text("lost")
        assert meter.takes_bytes(100)
        budgets.undo(mark)
    assert meter.takes_text("a fifth"), "two of ten are this address's"
    assert not meter.takes_text("more")
