"""What a website may add in an hour: new strings and bytes, then nothing until the hour is over."""

from analytics_box.store.budgets import Budget, Budgets
from tests.inprocess import FixedClock

SITE = 7


def test_new_strings_are_taken_until_there_were_so_many() -> None:
    meter = Budgets(FixedClock(), Budget(texts=3, bytes=0)).meter(SITE)
    assert [meter.takes_text("x") for _ in range(5)] == [True, True, True, False, False]
    assert meter.folded
    assert not meter.takes_row()
    assert meter.takes_bytes(1 << 30), "bytes have no bound here"


def test_bytes_are_taken_until_there_were_so_many_and_the_last_may_overdraw() -> None:
    meter = Budgets(FixedClock(), Budget(texts=0, bytes=1_000)).meter(SITE)
    assert meter.takes_bytes(900)
    assert meter.takes_text("x" * 2_000)
    assert not meter.takes_text("y"), "nothing is taken after that, however short: one event has one answer"
    assert not meter.takes_bytes(1)


def test_a_budget_of_nothing_is_no_bound() -> None:
    meter = Budgets(FixedClock(), Budget(0, 0)).meter(SITE)
    assert all(meter.takes_text("x" * 10_000) for _ in range(1_000))


def test_each_website_and_each_utc_hour_has_its_own() -> None:
    clock = FixedClock()
    budgets = Budgets(clock, Budget(1, 0))
    assert budgets.meter(SITE).takes_text("a")
    assert not budgets.meter(SITE).takes_text("b")
    assert budgets.meter(8).takes_text("b")
    clock.advance(seconds=3_599)
    assert not budgets.meter(SITE).takes_text("b")
    assert budgets.ends_at == clock.now() + 1_000
    clock.advance(seconds=1)
    assert budgets.meter(SITE).takes_text("b")


def test_a_budget_that_is_raised_acts_at_once_and_what_was_taken_counts() -> None:
    budgets = Budgets(FixedClock(), Budget(2, 80))
    assert [budgets.meter(SITE).takes_text("a") for _ in range(3)] == [True, True, False]
    own = Budget(texts=3, bytes=0)
    assert [budgets.meter(SITE, own).takes_text("a") for _ in range(2)] == [False, False], "its bytes are as usual"
    own = Budget(texts=3, bytes=10_000)
    assert [budgets.meter(SITE, own).takes_text("a") for _ in range(2)] == [True, False]


def test_what_is_not_ascii_counts_as_many_bytes_as_it_takes() -> None:
    budgets = Budgets(FixedClock(), Budget(0, 1_000))
    assert budgets.meter(SITE).takes_text("\U0001f600" * 120)
    assert not budgets.meter(SITE).takes_text("x")
