"""Signing in with a password: what the cookie is like, what strangers learn, how often one may try."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from msgspec.structs import replace

from analytics_box.accounts import passwords
from tests.accounts.steps import FORM, cookie_of, send, sign_in, works
from tests.inprocess import EMAIL, WholeBox, whole_box


@pytest.mark.parametrize(("base_url", "secure"), [("http://localhost", False), ("https://localhost", True)])
def test_the_cookie_is_for_this_box_and_not_for_scripts(tmp_path: Path, base_url: str, secure: bool) -> None:
    with whole_box(tmp_path, adjust=lambda found: replace(found, base_url=base_url)) as box:
        flags = sign_in(box).headers["set-cookie"].split("; ")
    assert flags[0].startswith("__Host-session=" if secure else "session=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
    assert ("Secure" in flags) == secure


def test_signing_in_makes_a_new_id_and_ends_the_one_that_the_browser_had(box: WholeBox) -> None:
    first = cookie_of(sign_in(box))
    second = cookie_of(sign_in(box, cookie=first))
    assert first != second
    assert (works(box, first), works(box, second)) == (False, True)
    assert cookie_of(sign_in(box, cookie="session=planted")) != "session=planted"
    assert not works(box, "session=planted")


def test_an_unknown_address_is_answered_like_a_wrong_password(box: WholeBox) -> None:
    wrong = sign_in(box, password="not the password")
    unknown = send(box, "/sign-in", email="eve@example.com", password="not the password")
    assert (wrong.status, wrong.body.replace(EMAIL.encode(), b"")) == (
        unknown.status,
        unknown.body.replace(b"eve@example.com", b""),
    )
    assert wrong.status == 401


@pytest.mark.parametrize("stored", [None, ""])
def test_a_password_is_verified_for_unknown_users_and_for_those_who_have_none_yet(stored: str | None) -> None:
    assert passwords._verify(stored, "anything") is False
    assert passwords._verify(stored, "") is False
    assert passwords._HASHER.check_needs_rehash(passwords._NOBODY) is False, "it takes as long as a real one"


def test_tries_are_limited_per_account_whatever_address_they_come_from(tmp_path: Path) -> None:
    with whole_box(tmp_path, adjust=lambda found: replace(found, limit_sign_in=3)) as box:

        def attempt(number: int, email: str) -> int:
            body = urlencode({"email": email, "password": "wrong"}).encode()
            headers = {"content_type": FORM}
            return box.ask("POST", "/sign-in", headers=headers, body=body, address=f"203.0.113.{number}").status

        for email in (EMAIL, "nobody@example.com"):
            assert [attempt(number, email) for number in range(5)] == [401, 401, 401, 429, 429]
            box.clock.advance(seconds=60)
            assert attempt(9, email) == 401
