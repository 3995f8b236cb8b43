"""One-time passwords, by the vectors of RFC 6238 (appendix B, SHA-1) and its rules."""

import pytest

from analytics_box.tenants.accounts import second_factor

SECRET = b"12345678901234567890"
VECTORS = [  # seconds since 1970, code of 8 digits
    (59, "94287082"),
    (1_111_111_109, "07081804"),
    (1_111_111_111, "14050471"),
    (1_234_567_890, "89005924"),
    (2_000_000_000, "69279037"),
    (20_000_000_000, "65353130"),
]
NOW = 1_781_697_600_000
STEP = NOW // second_factor.STEP


@pytest.mark.parametrize(("seconds", "code"), VECTORS)
def test_codes_are_those_of_the_rfc(seconds: int, code: str) -> None:
    assert second_factor.code_at(SECRET, seconds // 30, digits=8) == code


@pytest.mark.parametrize(("off", "taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_codes_of_the_adjacent_steps_are_accepted(off: int, taken: bool) -> None:
    code = second_factor.code_at(SECRET, STEP + off)
    assert (second_factor.matching_step(SECRET, code, now=NOW, used=0) == STEP + off) is taken


def test_a_code_is_taken_once() -> None:
    code = second_factor.code_at(SECRET, STEP)
    used = second_factor.matching_step(SECRET, code, now=NOW, used=0)
    assert used == STEP
    assert second_factor.matching_step(SECRET, code, now=NOW, used=used) is None


@pytest.mark.parametrize("given", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "-12345", "12 34 5"])
def test_malformed_code_is_refused(given: str) -> None:
    assert second_factor.matching_step(SECRET, given, now=NOW, used=0) is None


def test_a_code_may_be_typed_with_spaces() -> None:
    code = second_factor.code_at(SECRET, STEP)
    assert second_factor.matching_step(SECRET, f" {code[:3]} {code[3:]} ", now=NOW, used=0) == STEP
