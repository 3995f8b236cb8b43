"""Ids, secrets and clocks."""

import re

import pytest

from analytics_box.base import ids
from analytics_box.base.clock import DAY, Clock, SystemClock, utc_day
from tests.inprocess import FixedClock


def test_a_key_is_its_prefix_and_48_characters() -> None:  # spec 2.1
    secrets = {ids.new_key_secret() for _ in range(200)}
    assert len(secrets) == 200
    for secret in secrets:
        assert re.fullmatch(r"svc_[0-9A-Za-z]{48}", secret)
        assert ids.is_key_shaped(secret)


@pytest.mark.parametrize(
    "token",
    ["", "svc_", "svc_" + "a" * 47, "svc_" + "a" * 49, "SVC_" + "a" * 48, "svc_" + "a" * 47 + "-", "svc_" + "é" * 48],
)
def test_anything_else_is_no_key(token: str) -> None:
    assert not ids.is_key_shaped(token)
    assert not ids.is_key_shaped(token + "\n")


def test_ids_are_safe_in_addresses_and_never_repeat() -> None:
    made = {make() for make in (ids.new_id, ids.new_token, ids.new_request_id) for _ in range(200)}
    assert len(made) == 600
    assert all(re.fullmatch(r"[0-9A-Za-z_-]{16,64}", text) for text in made)


def test_every_text_has_a_digest() -> None:
    assert len(ids.digest("svc_x")) == 32
    assert ids.digest("\ud800") != ids.digest("")


def test_a_utc_day_begins_at_midnight_utc() -> None:
    assert (utc_day(0), utc_day(DAY - 1), utc_day(DAY), utc_day(-1)) == (0, 0, 1, -1)


def test_the_systems_clock_only_goes_forward_where_it_must() -> None:
    clock = SystemClock()
    assert isinstance(clock, Clock)
    assert isinstance(FixedClock(), Clock)
    assert clock.monotonic() <= clock.monotonic()
    assert clock.now() > 1_700_000_000_000
