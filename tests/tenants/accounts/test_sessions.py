"""Sign-in sessions: how long they last, where they are listed and how they are ended (security: sessions)."""

import re
from pathlib import Path

import pytest

from tests.inprocess import WholeBox
from tests.tenants.accounts.world import SECURITY, cookie_of, send, sign_in, works

DAY = 86_400


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
def test_unknown_cookie_is_anonymous(box: WholeBox, cookie: str) -> None:
    assert not works(box, cookie)


def test_the_secret_of_a_session_is_stored_hashed_only(box: WholeBox, tmp_path: Path) -> None:
    secret = box.cookie.partition("=")[2]
    assert len(secret) >= 43, "256 bits"
    for file in (tmp_path / "data").iterdir():
        assert secret.encode() not in file.read_bytes()


def test_sessions_are_listed_in_words_and_end_one_by_one_or_all(box: WholeBox) -> None:
    own, other, third = (cookie_of(sign_in(box)) for _ in range(3))
    page = box.get(SECURITY, cookie=own).body.decode()
    assert page.count("Firefox on Linux") >= 3
    assert page.count("this browser") == 1
    assert "203.0.113" not in page
    name = re.findall(r'name="session" value="(\w+)"', page)[0]
    assert send(box, f"{SECURITY}/sessions/end", own, session=name).status == 303
    assert sorted((works(box, other), works(box, third))) == [False, True]
    assert send(box, f"{SECURITY}/sessions/end", own, session="nothing").status == 404
    assert send(box, f"{SECURITY}/sessions/end-others", own).status == 303
    assert (works(box, own), works(box, other), works(box, third)) == (True, False, False)
