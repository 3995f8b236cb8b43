"""Tokens that confirm one plan of one key, once and for five minutes."""

from analytics_box.app.mcp.confirmations import SECONDS, Confirmations
from tests.cases import each
from tests.inprocess import FixedClock


def test_token_confirms_its_plan_once() -> None:
    confirmations = Confirmations(FixedClock())
    token = confirmations.token("key", "tool", b"plan")
    assert confirmations.redeem(token, "key", "tool", b"plan")
    assert not confirmations.redeem(token, "key", "tool", b"plan")


def test_equal_plans_of_one_instant_have_tokens_that_each_work_once() -> None:
    confirmations = Confirmations(FixedClock())
    tokens = [confirmations.token("key", "tool", b"plan") for _ in range(2)]
    assert [confirmations.redeem(token, "key", "tool", b"plan") for token in (*tokens, *tokens)] == [
        True,
        True,
        False,
        False,
    ]


@each(("key", "tool", "plan"), [("other", "tool", b"plan"), ("key", "other", b"plan"), ("key", "tool", b"other")])
def test_token_confirms_nothing_else(key: str, tool: str, plan: bytes) -> None:
    confirmations = Confirmations(FixedClock())
    assert not confirmations.redeem(confirmations.token("key", "tool", b"plan"), key, tool, plan)


@each("token", ["", "x", "=", "é", "A" * 32, "A" * 5_000, "AAAA\n"])
def test_forged_token_confirms_nothing(token: str) -> None:
    assert not Confirmations(FixedClock()).redeem(token, "key", "tool", b"plan")


def test_token_expires_by_a_clock_that_never_jumps() -> None:
    clock = FixedClock()
    confirmations = Confirmations(clock)
    early, late = (confirmations.token("key", "tool", plan) for plan in (b"1", b"2"))
    clock.advance(seconds=SECONDS - 1)
    assert confirmations.redeem(early, "key", "tool", b"1")
    clock.advance(seconds=1)
    assert not confirmations.redeem(late, "key", "tool", b"2")


def test_token_of_another_process_confirms_nothing() -> None:
    clock = FixedClock()
    assert not Confirmations(clock).redeem(Confirmations(clock).token("key", "tool", b"1"), "key", "tool", b"1")
