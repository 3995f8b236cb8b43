"""Signing in, the second factor, sessions, passwords and profile, on a whole box with a clock that stands still."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import msgspec
import pytest

from analytics_box.accounts import password_reset, passwords, rules, totp
from analytics_box.accounts import second_factor as factor
from analytics_box.box import KEY_FILE
from analytics_box.http.routes import TABLE
from analytics_box.store.seal import Seal, SealBroken
from tests.inprocess import EMAIL, PASSWORD, Answer, WholeBox, whole_box

NEW = "another long sentence"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=lambda found: msgspec.structs.replace(found, limit_sign_in=0)) as found:
        yield found


def send(box: WholeBox, path: str, cookie: str = "", **fields: str) -> Answer:
    headers = {"content_type": FORM, "cookie": cookie, "sec_fetch_site": "same-origin"}
    return box.ask("POST", path, headers=headers, body=urlencode(fields).encode())


def sign_in(box: WholeBox, password: str = PASSWORD, cookie: str = "") -> Answer:
    return send(box, "/sign-in", cookie, email=EMAIL, password=password)


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def works(box: WholeBox, cookie: str) -> bool:
    return box.get("/settings/profile", cookie=cookie).status == 200


def secret_on(box: WholeBox, cookie: str) -> bytes:
    """Begin the second factor, and read its secret as an app would."""
    assert send(box, "/settings/security/second-factor", cookie, password=PASSWORD).status == 303
    page = box.get("/settings/security/second-factor", cookie=cookie).body.decode()
    assert 'src="data:image/svg+xml' in page
    assert "style=" not in page
    sealed = Seal(box.box.settings.data_dir / KEY_FILE)
    secret = box.box.box_db.read_now(lambda db: factor.waiting_secret(db, sealed, box.user_id))
    assert secret is not None
    assert totp.secret_text(secret) in page
    return secret


def code(box: WholeBox, secret: bytes) -> str:
    return totp.code_at(secret, box.clock.now() // totp.STEP)


def turn_on(box: WholeBox) -> tuple[bytes, str, list[str]]:
    """The second factor is on: its secret, the cookie after that, the recovery codes."""
    before = cookie_of(sign_in(box))
    secret = secret_on(box, before)
    answer = send(box, "/settings/security/second-factor/confirm", before, code=code(box, secret))
    assert answer.status == 200
    assert not works(box, before), "the id changes with the second factor"
    codes = re.findall(r"\b[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}\b", answer.body.decode())
    assert len(set(codes)) == factor.RECOVERY_CODES
    box.clock.advance(seconds=60)
    return secret, cookie_of(answer), codes


def link(box: WholeBox) -> str:
    made = box.box.box_db.write_now(
        lambda db: password_reset.new_link(db, EMAIL, base_url="", actor="test", now=box.clock.now())
    )
    return str(made)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_rfc_6238(seconds: int, expected: str) -> None:
    assert totp.code_at(b"12345678901234567890", seconds // 30, digits=8) == expected


def test_a_code_fits_one_step_before_and_after_and_never_an_old_one() -> None:
    secret, middle = b"12345678901234567890", 1000
    for offset in (-2, -1, 0, 1, 2):
        given = totp.code_at(secret, middle + offset)
        fits = totp.matching_step(secret, given, now=middle * totp.STEP, used=0) == middle + offset
        assert fits == (abs(offset) <= 1)
    assert totp.matching_step(secret, totp.code_at(secret, middle), now=middle * totp.STEP, used=middle) is None
    assert totp.matching_step(secret, "١٢٣٤٥٦", now=middle * totp.STEP, used=0) is None


def test_a_sealed_secret_opens_for_its_owner_alone(tmp_path: Path) -> None:
    sealed = Seal(tmp_path / KEY_FILE).seal(b"secret", owner="ada")
    assert b"secret" not in sealed
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert Seal(tmp_path / KEY_FILE).open(sealed, owner="ada") == b"secret"
    with pytest.raises(SealBroken):
        Seal(tmp_path / KEY_FILE).open(sealed, owner="eve")


@pytest.mark.parametrize(("base_url", "secure"), [("http://localhost", False), ("https://localhost", True)])
def test_the_cookie_is_for_this_box_and_not_for_scripts(tmp_path: Path, base_url: str, secure: bool) -> None:
    with whole_box(tmp_path, adjust=lambda found: msgspec.structs.replace(found, base_url=base_url)) as box:
        flags = sign_in(box).headers["set-cookie"].split("; ")
    assert flags[0].startswith("__Host-session=" if secure else "session=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
    assert ("Secure" in flags) == secure


def test_signing_in_makes_a_new_id_and_ends_the_one_that_the_browser_had(box: WholeBox) -> None:
    first = cookie_of(sign_in(box))
    second = cookie_of(sign_in(box, cookie=first))
    assert first != second
    assert works(box, second)
    assert not works(box, first)
    assert cookie_of(sign_in(box, cookie="session=planted")) != "session=planted"
    assert not works(box, "session=planted")


def test_a_session_ends_a_week_after_its_last_use_and_after_thirty_days(box: WholeBox) -> None:
    idle, used = cookie_of(sign_in(box)), cookie_of(sign_in(box))
    for _ in range(5):
        box.clock.advance(seconds=6 * 86_400 - 1)
        assert works(box, used)
    assert not works(box, idle)
    box.clock.advance(seconds=10)
    assert not works(box, used)


def test_an_unknown_address_is_answered_like_a_wrong_password(box: WholeBox) -> None:
    wrong = sign_in(box, password="not the password")
    unknown = send(box, "/sign-in", email="eve@example.com", password="not the password")
    assert (wrong.status, wrong.body.replace(EMAIL.encode(), b"")) == (
        unknown.status,
        unknown.body.replace(b"eve@example.com", b""),
    )
    assert wrong.status == 401
    answers = [send(box, "/forgot-password", email=email) for email in (EMAIL, "eve@example.com")]
    assert answers[0].body == answers[1].body


def test_tries_are_limited_per_account_whatever_address_they_come_from(tmp_path: Path) -> None:
    with whole_box(tmp_path, adjust=lambda found: msgspec.structs.replace(found, limit_sign_in=3)) as box:

        def attempt(number: int, email: str) -> int:
            body = urlencode({"email": email, "password": "wrong"}).encode()
            headers = {"content_type": FORM}
            return box.ask("POST", "/sign-in", headers=headers, body=body, address=f"203.0.113.{number}").status

        for email in (EMAIL, "nobody@example.com"):
            assert [attempt(number, email) for number in range(5)] == [401, 401, 401, 429, 429]
            box.clock.advance(seconds=60)
            assert attempt(9, email) == 401


@pytest.mark.parametrize("path", sorted({route.path for route in TABLE if route.page and route.method == "POST"}))
def test_no_form_takes_what_another_site_sends(box: WholeBox, path: str) -> None:
    headers = {"content_type": FORM, "cookie": box.cookie, "sec_fetch_site": "cross-site"}
    filled = re.sub(r"\{.*?\}", "nothing", path)
    assert box.ask("POST", filled, headers=headers, body=b"").status == 403


def test_the_second_factor_is_asked_for_and_a_code_works_once(box: WholeBox) -> None:
    secret, _, _ = turn_on(box)
    waiting = sign_in(box)
    assert waiting.headers["location"] == "/sign-in/code"
    assert not works(box, cookie_of(waiting).replace("sign-in=", "session="))
    assert send(box, "/sign-in/code", cookie_of(waiting), code="000000").status == 401
    good = code(box, secret)
    passed = send(box, "/sign-in/code", cookie_of(waiting), code=good)
    assert passed.status == 303
    assert works(box, cookie_of(passed))
    assert send(box, "/sign-in/code", cookie_of(waiting), code=good).headers["location"] == "/sign-in"
    assert send(box, "/sign-in/code", cookie_of(sign_in(box)), code=good).status == 401


def test_a_recovery_code_works_once_and_new_ones_void_the_old(box: WholeBox) -> None:
    _, cookie, codes = turn_on(box)
    assert send(box, "/sign-in/code", cookie_of(sign_in(box)), code=codes[0].upper()).status == 303
    assert send(box, "/sign-in/code", cookie_of(sign_in(box)), code=codes[0]).status == 401
    assert b"9 of 10" in box.get("/settings/security", cookie=cookie).body
    assert send(box, "/settings/security/recovery-codes", cookie, password=PASSWORD).status == 200
    assert send(box, "/sign-in/code", cookie_of(sign_in(box)), code=codes[1]).status == 401


def test_guessing_codes_makes_one_wait_longer_each_time(box: WholeBox) -> None:
    secret, _, _ = turn_on(box)
    waiting = cookie_of(sign_in(box))
    answers = [send(box, "/sign-in/code", waiting, code="000000").status for _ in range(rules.CODE_TRIES + 1)]
    assert answers == [401] * rules.CODE_TRIES + [429]
    assert send(box, "/sign-in/code", waiting, code=code(box, secret)).status == 429
    box.clock.advance(seconds=31)
    assert send(box, "/sign-in/code", waiting, code=code(box, secret)).status == 303
    assert [rules.wait_after(wrong) for wrong in (4, 5, 6, 7, 40)] == [0, 30, 60, 120, 3600]


def test_turning_the_second_factor_off_needs_the_password(box: WholeBox) -> None:
    _, cookie, _ = turn_on(box)
    assert send(box, "/settings/security/second-factor/remove", cookie, password="wrong").status == 400
    assert send(box, "/settings/security/second-factor/remove", cookie, password=PASSWORD).status == 303
    assert sign_in(box).headers["location"] == "/sites"


def test_sessions_are_listed_in_words_and_end_one_by_one_or_all(box: WholeBox) -> None:
    own, other, third = (cookie_of(sign_in(box)) for _ in range(3))
    page = box.get("/settings/security", cookie=own).body.decode()
    assert page.count("Firefox on Linux") >= 3
    assert page.count("this browser") == 1
    assert "203.0.113" not in page
    name = re.findall(r'name="session" value="(\w+)"', page)[0]
    assert send(box, "/settings/security/sessions/end", own, session=name).status == 303
    assert sorted((works(box, other), works(box, third))) == [False, True]
    assert send(box, "/settings/security/sessions/end-others", own).status == 303
    assert (works(box, own), works(box, other), works(box, third)) == (True, False, False)


def test_a_new_password_ends_all_other_sessions_and_renews_this_one(box: WholeBox) -> None:
    own, other = cookie_of(sign_in(box)), cookie_of(sign_in(box))
    path = "/settings/security/password"
    assert send(box, path, own, current="wrong", new=NEW).status == 400
    assert send(box, path, own, current=PASSWORD, new="short").status == 400
    changed = send(box, path, own, current=PASSWORD, new=NEW)
    assert (works(box, cookie_of(changed)), works(box, own), works(box, other)) == (True, False, False)
    assert (sign_in(box).status, sign_in(box, NEW).status) == (401, 303)


def test_a_reset_link_works_once_for_an_hour_and_ends_all_sessions(box: WholeBox) -> None:
    cookie = cookie_of(sign_in(box))
    replaced, newest = link(box), link(box)
    assert box.get(replaced).status == 403
    assert send(box, newest, password="short").status == 400
    assert send(box, newest, password=NEW).headers["location"].startswith("/sign-in")
    assert not works(box, cookie)
    assert send(box, newest, password=NEW).status == 403
    assert sign_in(box, NEW).status == 303
    late = link(box)
    box.clock.advance(seconds=3600)
    assert box.get(late).status == 403


def test_a_password_is_verified_for_unknown_users_too() -> None:
    assert passwords._verify(None, "anything") is False
    assert passwords._HASHER.check_needs_rehash(passwords._NOBODY) is False


def test_the_profile_is_kept_and_shown(box: WholeBox) -> None:
    cookie = cookie_of(sign_in(box))
    fields = {"timezone": "Europe/Berlin", "date_format": "YYYY-MM-DD", "time_format": "h:mm a", "theme": "dark"}
    assert send(box, "/settings/profile", cookie, **fields).status == 303
    assert b'data-theme="dark"' in box.get("/settings/profile", cookie=cookie).body
    assert b"2026-06-17, 2:00 pm" in box.get("/settings/security", cookie=cookie).body
    assert send(box, "/settings/profile", cookie, theme="pink").status == 400


def test_preferences_over_rpc(box: WholeBox) -> None:
    cookie, path = cookie_of(sign_in(box)), "/preferences/updateUserPreferences"
    start = box.post("/preferences/getUserPreferences", {}, cookie=cookie).json
    assert start == {"timezone": "auto", "dateFormat": "D MMM YYYY", "timeFormat": "HH:mm"}
    changed = box.post(path, {"timezone": "Asia/Kathmandu"}, cookie=cookie).json
    assert changed == {**start, "timezone": "Asia/Kathmandu"}
    assert box.post(path, {"timezone": "Nowhere/Land"}, cookie=cookie).status == 400
    assert box.post(path, {}, key="all").status == 403
