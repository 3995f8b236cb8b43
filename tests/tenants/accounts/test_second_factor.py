"""Signing in with a second factor, from turning it on to a lost phone."""

from pathlib import Path

import pytest

from analytics_box.base.store.seal import KEY_FILE, Seal, SealBroken
from analytics_box.tenants.accounts import rules
from tests.inprocess import EMAIL, PASSWORD, WholeBox
from tests.tenants.accounts.world import SECURITY, begin, code, cookie_of, password_step, send, turn_on


def test_the_page_shows_the_secret_as_a_picture_and_as_text(box: WholeBox) -> None:
    cookie = box.cookie
    assert len(begin(box, cookie)) == 20
    page = box.get(f"{SECURITY}/second-factor", cookie=cookie).body
    assert b'src="data:image/svg+xml' in page
    assert b"style=" not in page


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
    assert signed_in.headers["location"] == "/"
    assert box.get("/v1/query/websites", cookie=cookie_of(signed_in)).status == 200
    again = send(box, "/sign-in/code", cookie=password_step(box), code=now)
    assert again.status == 401
    assert "set-cookie" not in again.headers


def test_wrong_code_is_refused_at_sign_in(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    box.clock.advance(seconds=60)
    wrong = f"{(int(code(box, secret)) + 1) % 1_000_000:06}"
    assert send(box, "/sign-in/code", cookie=password_step(box), code=wrong).status in {401, 303}
    answer = send(box, "/sign-in/code", cookie=password_step(box), code="nonsense")
    assert answer.status == 401
    assert "set-cookie" not in answer.headers


def test_a_recovery_code_signs_in_once_and_new_ones_void_the_old(box: WholeBox) -> None:
    cookie, _, codes = turn_on(box)
    assert len(set(codes)) == 10
    signed_in = send(box, "/sign-in/code", password_step(box), code=codes[0].upper())
    assert signed_in.headers["location"] == "/"
    assert send(box, "/sign-in/code", password_step(box), code=codes[0]).status == 401
    assert b"9 of 10" in box.get(SECURITY, cookie=cookie).body
    assert send(box, f"{SECURITY}/recovery-codes", cookie, password=PASSWORD).status == 200
    assert send(box, "/sign-in/code", password_step(box), code=codes[1]).status == 401


def test_after_five_wrong_codes_a_user_has_to_wait(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    cookie = password_step(box)
    statuses = [send(box, "/sign-in/code", cookie=cookie, code="nonsense").status for _ in range(6)]
    assert statuses == [401] * 5 + [429]
    assert send(box, "/sign-in/code", cookie=cookie, code=code(box, secret)).status == 429
    box.clock.advance(seconds=120)
    assert send(box, "/sign-in/code", cookie=password_step(box), code=code(box, secret)).status == 303
    assert [rules.wait_after(wrong) for wrong in (4, 5, 6, 7, 40)] == [0, 30, 60, 120, 3600]


def test_a_password_step_is_worth_nothing_after_ten_minutes(box: WholeBox) -> None:
    _, secret, _ = turn_on(box)
    cookie = password_step(box)
    box.clock.advance(seconds=600)
    late = send(box, "/sign-in/code", cookie=cookie, code=code(box, secret))
    assert late.headers["location"] == "/sign-in"


def test_without_the_password_nothing_changes(box: WholeBox) -> None:
    cookie = box.cookie
    assert send(box, f"{SECURITY}/second-factor", cookie=cookie, password="a wrong password").status == 400
    assert send(box, "/sign-in", email=EMAIL, password=PASSWORD).headers["location"] == "/"


def test_second_factor_is_removed_with_the_password(box: WholeBox) -> None:
    cookie, _, _ = turn_on(box)
    assert send(box, f"{SECURITY}/second-factor/remove", cookie, password="wrong").status == 400
    password_step(box)
    removed = send(box, f"{SECURITY}/second-factor/remove", cookie=cookie, password=PASSWORD)
    assert removed.status == 303
    assert send(box, "/sign-in", email=EMAIL, password=PASSWORD).headers["location"] == "/"


def test_the_secret_is_not_readable_in_the_database(box: WholeBox, tmp_path: Path) -> None:
    _, secret, codes = turn_on(box)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "data").iterdir() if path.name.startswith("box.db"))
    assert secret not in stored
    assert not [code for code in codes if code.encode() in stored]
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o777 == 0o600


def test_a_sealed_secret_opens_for_its_owner_alone(tmp_path: Path) -> None:
    sealed = Seal(tmp_path / KEY_FILE).seal(b"secret", owner="ada")
    assert b"secret" not in sealed
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert Seal(tmp_path / KEY_FILE).open(sealed, owner="ada") == b"secret"
    with pytest.raises(SealBroken):
        Seal(tmp_path / KEY_FILE).open(sealed, owner="eve")
