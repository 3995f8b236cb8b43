"""Signing in with a second factor, from turning it on to a lost phone."""

import html
import re
from base64 import b32decode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analytics_box.accounts import totp
from tests.inprocess import EMAIL, PASSWORD, Answer, WholeBox, whole_box

SECURITY = "/settings/security"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def send(box: WholeBox, path: str, *, cookie: str = "", site: str = "same-origin", **fields: str) -> Answer:
    headers = {"content_type": "application/x-www-form-urlencoded", "cookie": cookie, "sec_fetch_site": site}
    return box.ask("POST", path, headers=headers, body=urlencode(fields).encode())


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def code(box: WholeBox, secret: bytes) -> str:
    return totp.code_at(secret, box.clock.now() // totp.STEP)


def turn_on(box: WholeBox) -> tuple[str, bytes, list[str]]:
    """Turn the second factor on: the session's cookie, the app's secret, the recovery codes."""
    cookie = box.cookie
    begun = send(box, f"{SECURITY}/second-factor", cookie=cookie, password=PASSWORD)
    assert begun.status == 303
    page = html.unescape(box.get(f"{SECURITY}/second-factor", cookie=cookie).body.decode())
    found = re.search(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", page)
    assert found is not None
    secret = b32decode(found[0].replace(" ", ""))
    done = send(box, f"{SECURITY}/second-factor/confirm", cookie=cookie, code=code(box, secret))
    assert done.status == 200
    shown = re.search(r'<code id="codes">(.*?)</code>', done.body.decode(), re.DOTALL)
    assert shown is not None
    if "set-cookie" in done.headers:
        cookie = cookie_of(done)
    return cookie, secret, shown[1].split()


def password_step(box: WholeBox) -> str:
    """Show the password; the cookie of the next step."""
    answer = send(box, "/sign-in", email=EMAIL, password=PASSWORD)
    assert (answer.status, answer.headers["location"]) == (303, "/sign-in/code")
    return cookie_of(answer)


def test_the_password_alone_does_not_sign_in(box: WholeBox) -> None:
    turn_on(box)
    cookie = password_step(box)
    assert box.get("/v1/query/websites", cookie=cookie).status == 401
    assert box.get("/sites", cookie=cookie).status == 303


def test_a_code_of_the_app_signs_in_once(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    box.clock.advance(seconds=60)
    now = code(box, secret)
    signed_in = send(box, "/sign-in/code", cookie=password_step(box), code=now)
    assert signed_in.headers["location"] == "/sites"
    assert box.get("/v1/query/websites", cookie=cookie_of(signed_in)).status == 200
    again = send(box, "/sign-in/code", cookie=password_step(box), code=now)
    assert again.status == 401
    assert "set-cookie" not in again.headers


def test_a_wrong_code_signs_nobody_in(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    box.clock.advance(seconds=60)
    wrong = f"{(int(code(box, secret)) + 1) % 1_000_000:06}"
    assert send(box, "/sign-in/code", cookie=password_step(box), code=wrong).status in {401, 303}
    answer = send(box, "/sign-in/code", cookie=password_step(box), code="nonsense")
    assert answer.status == 401
    assert "set-cookie" not in answer.headers


def test_a_recovery_code_signs_in_once(box: WholeBox) -> None:
    _, _, codes = turn_on(box)
    assert len(set(codes)) == 10
    signed_in = send(box, "/sign-in/code", cookie=password_step(box), code=codes[0].upper())
    assert signed_in.headers["location"] == "/sites"
    assert send(box, "/sign-in/code", cookie=password_step(box), code=codes[0]).status == 401


def test_after_five_wrong_codes_a_user_has_to_wait(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    cookie = password_step(box)
    statuses = [send(box, "/sign-in/code", cookie=cookie, code="nonsense").status for _ in range(6)]
    assert statuses == [401] * 5 + [429]
    assert send(box, "/sign-in/code", cookie=cookie, code=code(box, secret)).status == 429
    box.clock.advance(seconds=120)
    assert send(box, "/sign-in/code", cookie=password_step(box), code=code(box, secret)).status == 303


def test_a_password_step_is_worth_nothing_after_ten_minutes(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    cookie = password_step(box)
    box.clock.advance(seconds=600)
    late = send(box, "/sign-in/code", cookie=cookie, code=code(box, secret))
    assert late.headers["location"] == "/sign-in"


def test_without_the_password_nothing_changes(box: WholeBox) -> None:
    cookie = box.cookie
    assert send(box, f"{SECURITY}/second-factor", cookie=cookie, password="a wrong password").status == 400
    assert send(box, "/sign-in", email=EMAIL, password=PASSWORD).headers["location"] == "/sites"


def test_it_can_be_removed_with_the_password(box: WholeBox) -> None:
    cookie, _, _ = turn_on(box)
    removed = send(box, f"{SECURITY}/second-factor/remove", cookie=cookie, password=PASSWORD)
    assert removed.status == 303
    assert send(box, "/sign-in", email=EMAIL, password=PASSWORD).headers["location"] == "/sites"


def test_the_secret_is_not_readable_in_the_database(box: WholeBox, tmp_path: Path) -> None:
    _, secret, codes = turn_on(box)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir() if path.name.startswith("box.db"))
    assert secret not in stored
    assert not [code for code in codes if code.encode() in stored]
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "path",
    [
        "/sign-in",
        "/sign-in/code",
        "/sign-out",
        "/forgot-password",
        "/reset-password",
        "/settings/profile",
        f"{SECURITY}/password",
        f"{SECURITY}/second-factor",
        f"{SECURITY}/second-factor/confirm",
        f"{SECURITY}/second-factor/remove",
        f"{SECURITY}/recovery-codes",
        f"{SECURITY}/sessions/end",
        f"{SECURITY}/sessions/end-others",
    ],
)
def test_a_page_of_another_site_cannot_post(box: WholeBox, path: str) -> None:
    assert send(box, path, cookie=box.cookie, site="cross-site", password=PASSWORD).status == 403
