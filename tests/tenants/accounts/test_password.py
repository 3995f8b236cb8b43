"""Changing a password, setting a new one by link, and what that does to sessions."""

import pytest

from tests.inprocess import EMAIL, PASSWORD, WholeBox
from tests.tenants.accounts.world import NEW, SECURITY, cookie_of, reset_link, send, sign_in, works


def test_a_change_ends_every_other_session_and_renews_this_one(box: WholeBox) -> None:
    mine, other = box.cookie, box.cookie
    changed = send(box, f"{SECURITY}/password", mine, current=PASSWORD, new=NEW)
    assert changed.status == 303
    fresh = cookie_of(changed)
    assert [works(box, cookie) for cookie in (mine, other, fresh)] == [False, False, True]
    assert (sign_in(box).status, sign_in(box, NEW).status) == (401, 303)


@pytest.mark.parametrize(
    ("current", "new", "said"),
    [
        ("wrong wrong wrong", NEW, b"Incorrect password."),
        (PASSWORD, "short", b"Use at least 12 characters"),
        (PASSWORD, EMAIL, b"too easy to guess"),
    ],
)
def test_a_change_needs_the_old_password_and_a_good_new_one(box: WholeBox, current: str, new: str, said: bytes) -> None:
    mine = box.cookie
    refused = send(box, f"{SECURITY}/password", mine, current=current, new=new)
    assert refused.status == 400
    assert said in refused.body
    assert current not in refused.body.decode()
    assert works(box, mine)
    assert sign_in(box).status == 303


def test_a_link_sets_a_password_once_and_ends_all_sessions(box: WholeBox) -> None:
    cookie, link = box.cookie, reset_link(box)
    assert box.get(link).status == 200
    assert send(box, link, password="short").status == 400
    done = send(box, link, password=NEW)
    assert (done.status, done.headers["location"]) == (303, "/sign-in?done=password")
    assert not works(box, cookie)
    assert sign_in(box, NEW).status == 303
    assert box.get(link).status == 403
    assert send(box, link, password="a third long sentence").status == 403


def test_a_new_link_voids_no_older_one_until_a_password_is_set(box: WholeBox) -> None:
    older, newer = reset_link(box), reset_link(box)
    assert (box.get(older).status, box.get(newer).status) == (200, 200)
    assert send(box, newer, password=NEW).status == 303
    assert (box.get(older).status, box.get(newer).status) == (403, 403)


def test_a_link_works_for_an_hour(box: WholeBox) -> None:
    link = reset_link(box)
    box.clock.advance(seconds=3_599)
    assert box.get(link).status == 200
    box.clock.advance(seconds=1)
    assert box.get(link).status == 403
