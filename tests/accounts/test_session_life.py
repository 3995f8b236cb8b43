"""How long a sign-in lasts (security: sessions)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.inprocess import WholeBox, whole_box

HOUR, DAY = 3_600, 86_400


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def works(box: WholeBox, cookie: str) -> bool:
    return box.get("/v1/query/websites", cookie=cookie).status == 200


def test_a_session_ends_after_7_days_without_use(box: WholeBox) -> None:
    cookie = box.cookie
    box.clock.advance(seconds=7 * DAY - 1)
    assert works(box, cookie)
    box.clock.advance(seconds=7 * DAY)
    assert not works(box, cookie)


def test_a_session_that_is_used_every_day_ends_after_30(box: WholeBox) -> None:
    cookie = box.cookie
    for _ in range(29):
        box.clock.advance(seconds=DAY)
        assert works(box, cookie)
    box.clock.advance(seconds=DAY - 1)
    assert works(box, cookie)
    box.clock.advance(seconds=1)
    assert not works(box, cookie)


def test_each_sign_in_is_a_session_of_its_own(box: WholeBox) -> None:
    one, other = box.cookie, box.cookie
    assert one != other
    assert box.ask("POST", "/sign-out", headers={"cookie": one}).status == 303
    assert not works(box, one)
    assert works(box, other)


@pytest.mark.parametrize(
    "cookie", ["", "session=", "session=guess", "other=x", "session=\x01", "; ;=;", "session=" + "x" * 5_000]
)
def test_a_cookie_that_nobody_got_is_nobodys(box: WholeBox, cookie: str) -> None:
    assert not works(box, cookie)


def test_the_secret_of_a_session_is_stored_hashed_only(box: WholeBox, tmp_path: Path) -> None:
    secret = box.cookie.partition("=")[2]
    assert len(secret) >= 43, "256 bits"
    for file in (tmp_path / "data").iterdir():
        assert secret.encode() not in file.read_bytes()
