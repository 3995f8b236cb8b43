"""Changing a password, setting a new one by link, and what that does to sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics_box.accounts import password_reset
from tests.accounts.test_second_factor import SECURITY, cookie_of, send
from tests.inprocess import EMAIL, PASSWORD, WholeBox, whole_box

NEW = "another long and quiet sentence"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def works(box: WholeBox, cookie: str) -> bool:
    return box.get("/v1/query/websites", cookie=cookie).status == 200


def test_a_change_ends_every_other_session_and_renews_this_one(box: WholeBox) -> None:
    mine, other = box.cookie, box.cookie
    changed = send(box, f"{SECURITY}/password", cookie=mine, current=PASSWORD, new=NEW)
    assert changed.status == 303
    fresh = cookie_of(changed)
    assert fresh != mine
    assert [works(box, cookie) for cookie in (mine, other, fresh)] == [False, False, True]
    assert send(box, "/sign-in", email=EMAIL, password=PASSWORD).status == 401
    assert send(box, "/sign-in", email=EMAIL, password=NEW).status == 303


@pytest.mark.parametrize(("current", "new"), [("wrong wrong wrong", NEW), (PASSWORD, "short"), (PASSWORD, EMAIL)])
def test_a_change_needs_the_old_password_and_a_good_new_one(box: WholeBox, current: str, new: str) -> None:
    mine = box.cookie
    refused = send(box, f"{SECURITY}/password", cookie=mine, current=current, new=new)
    assert refused.status == 400
    assert current not in refused.body.decode()
    assert works(box, mine)


def test_signing_in_gives_a_new_session_and_ends_the_one_before(box: WholeBox) -> None:
    before = box.cookie
    signed_in = send(box, "/sign-in", cookie=before, email=EMAIL, password=PASSWORD)
    if signed_in.headers.get("set-cookie"):
        assert cookie_of(signed_in) != before


def test_an_unknown_user_is_answered_like_a_wrong_password(box: WholeBox) -> None:
    known = send(box, "/sign-in", email=EMAIL, password="not the password")
    unknown = send(box, "/sign-in", email="nobody@example.com", password="not the password")
    assert known.status == unknown.status == 401
    assert known.body.replace(EMAIL.encode(), b"") == unknown.body.replace(b"nobody@example.com", b"")


def test_tries_to_sign_in_are_limited_by_account(box: WholeBox) -> None:
    statuses = {
        box.ask(
            "POST",
            "/sign-in",
            headers={"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"},
            body=b"email=ada%40example.com&password=wrong",
            address=f"203.0.113.{number}",
        ).status
        for number in range(1, 14)
    }
    assert statuses == {401, 429}


def reset_link(box: WholeBox) -> str:
    now = box.clock.now()
    return box.box.box_db.write_now(
        lambda db: password_reset.new_link(db, EMAIL, base_url="", actor="command line", now=now)
    )


def test_a_link_sets_a_password_once_and_ends_all_sessions(box: WholeBox) -> None:
    cookie, link = box.cookie, reset_link(box)
    assert box.get(link).status == 200
    done = send(box, link, password=NEW)
    assert (done.status, done.headers["location"]) == (303, "/sign-in?done=password")
    assert not works(box, cookie)
    assert send(box, "/sign-in", email=EMAIL, password=NEW).status == 303
    assert box.get(link).status == 403
    assert send(box, link, password="a third long sentence").status == 403


def test_a_link_works_for_an_hour(box: WholeBox) -> None:
    link = reset_link(box)
    box.clock.advance(seconds=3_600)
    assert box.get(link).status == 403


def test_a_cookie_on_https_is_bound_to_the_host(tmp_path: Path) -> None:
    from analytics_box.box import open_box  # noqa: PLC0415  only here
    from analytics_box.settings import Settings  # noqa: PLC0415

    box = open_box(Settings(data_dir=_made(tmp_path / "https"), base_url="https://stats.example.com"))
    try:
        cookie = box.sign_ins.cookie("token")
    finally:
        box.close()
    assert cookie.startswith("__Host-session=token; Path=/;")
    assert {"HttpOnly", "SameSite=Lax", "Secure"} <= {part.strip() for part in cookie.split(";")}


def _made(path: Path) -> Path:
    path.mkdir()
    return path
