"""Signing in with a password: what the cookie is like, what strangers learn, how often one may try."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest
from msgspec.structs import replace

from analytics_box.base.errors import RateLimited
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.seal import Seal
from analytics_box.tenants.accounts import passwords, tries
from analytics_box.tenants.accounts.tries import Tries
from tests import hashing, running
from tests.inprocess import EMAIL, PASSWORD, Answer, FixedClock, WholeBox, whole_box
from tests.running import Box, running_box
from tests.tenants.accounts.world import FORM, cookie_of, send, sign_in, works


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
    assert hashing.REAL().check_needs_rehash(passwords._NOBODY) is False, "it takes as long as a real one"


def attempt(box: WholeBox, number: int, email: str, password: str = "wrong", cookie: str = "") -> Answer:
    """A try from an address of its own."""
    body = urlencode({"email": email, "password": password}).encode()
    headers = {"content_type": FORM, "cookie": cookie}
    return box.ask("POST", "/sign-in", headers=headers, body=body, address=f"203.0.113.{number}")


def test_tries_beyond_the_limit_of_an_account_are_slow_whatever_address_they_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("analytics_box.tenants.accounts.tries.asyncio.sleep", sleep)
    with whole_box(tmp_path, adjust=lambda found: replace(found, limit_sign_in=3)) as box:
        for times, email in enumerate((EMAIL, "nobody@example.com"), start=1):
            assert [attempt(box, number, email).status for number in range(5)] == [401] * 5
            assert waited == [tries.SLOWLY] * 2 * times
        assert attempt(box, 9, EMAIL, PASSWORD).status == 303, "the owner comes in, from anywhere"
        box.clock.advance(seconds=60)
        waited.clear()
        assert attempt(box, 10, EMAIL).status == 401
        assert not waited


def test_a_browser_that_showed_the_password_once_does_not_wait_for_strangers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tries, "AT_ONCE", 0)
    with whole_box(tmp_path, adjust=lambda found: replace(found, limit_sign_in=3)) as box:
        mark = box.box.parts[Tries].mark(EMAIL)
        assert [attempt(box, number, EMAIL).status for number in range(4)] == [401, 401, 401, 429]
        assert [attempt(box, 9, EMAIL, cookie=f"known={mark}").status for _ in range(3)] == [401] * 3
        assert attempt(box, 10, EMAIL, cookie=f"known={mark}").status == 429, "it has a count of its own"
        for forged in (mark[:-1], mark.upper(), box.box.parts[Tries].mark("eve@example.com"), f"a.{mark[17:]}", "."):
            assert attempt(box, 11, EMAIL, cookie=f"known={forged}").status == 429


@pytest.fixture(scope="module")
def running_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("accounts") / "data") as found:
        yield found


@pytest.mark.parametrize("headers", [{"x-api-key": ""}, {"authorization": "Bearer"}])
def test_a_header_without_a_key_in_it_is_no_credential_and_hides_the_cookie(
    running_one: Box, headers: dict[str, str]
) -> None:
    with httpx.Client(base_url=running_one.url) as browser:
        browser.post("/sign-in", data={"email": running.EMAIL, "password": running.PASSWORD})
        assert browser.get("/v1/query/websites").status_code == 200
        assert browser.get("/v1/query/websites", headers=headers).status_code == 401


def test_signing_in_marks_the_browser(running_one: Box) -> None:
    with httpx.Client(base_url=running_one.url) as browser:
        form = {"email": running.EMAIL, "password": running.PASSWORD}
        assert browser.post("/sign-in", data={**form, "password": "wrong"}).status_code == 401
        assert set(browser.cookies) == set()
        done = browser.post("/sign-in", data=form)
        assert set(browser.cookies) == {"known", "session"}
        [known] = [cookie for cookie in done.headers.get_list("set-cookie") if cookie.startswith("known=")]
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Max-Age=31536000"} <= set(known.split("; "))


def test_only_a_few_wait_for_one_account_at_once(tmp_path: Path) -> None:
    async def story(wanted: Tries) -> None:
        for _ in range(wanted_limit):
            await wanted.admit(EMAIL, "")
        waiting = [asyncio.create_task(wanted.admit(EMAIL, "")) for _ in range(tries.AT_ONCE)]
        await asyncio.sleep(0)
        with pytest.raises(RateLimited):
            await wanted.admit(EMAIL, "")
        waiting.pop().cancel()
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(wanted.admit(EMAIL, "")))
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting), "one that left makes room for another"
        for task in waiting:
            task.cancel()

    wanted_limit = 2
    settings = Settings(limit_sign_in=wanted_limit)
    asyncio.run(story(Tries(TokenBuckets(FixedClock()), Seal(tmp_path / "secret.key"), settings)))


@pytest.mark.parametrize(
    ("wanted", "location"),
    [
        ("/sites/日本?q=é#ü", "/sites/%E6%97%A5%E6%9C%AC?q=%C3%A9#%C3%BC"),
        ("/sites?a=1&b=%20", "/sites?a=1&b=%20"),
        ("//日本.example", "/"),
    ],
)
def test_return_path_can_be_any_path_of_this_box(box: WholeBox, wanted: str, location: str) -> None:
    body = urlencode({"email": EMAIL, "password": PASSWORD, "next": wanted}).encode()
    answer = box.ask("POST", "/sign-in", headers={"content_type": FORM}, body=body)
    assert (answer.status, answer.headers["location"]) == (303, location)


def test_start_page_is_the_dashboard_of_an_only_website_and_else_the_list(box: WholeBox) -> None:
    assert box.get("/", accept="text/html").headers["location"] == "/sign-in"
    assert box.get("/", cookie=box.cookie, accept="text/html").headers["location"] == "/sites"
    shop, *others = (box.sites[name] for name in box.sites if box.sites[name])
    for website in others:
        box.post("/rpc/websites/delete", {"json": {"id": website}}, key="all")
    home = box.get("/", cookie=box.cookie, accept="text/html").headers["location"]
    assert home == f"/sites/{shop}"
    assert box.get(home, cookie=box.cookie, accept="text/html").status == 200
