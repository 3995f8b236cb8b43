"""A page whose events are refused is named where its owner looks, and one button allows it."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from analytics_box.ingest.refusals import MOST_ORIGINS, MOST_WEBSITES, Refusals
from tests.cases import each
from tests.inprocess import Answer, WholeBox, whole_box

LOCAL = "http://localhost:8180"
FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("refused") / "data") as inside:
        yield inside


def send(box: WholeBox, origin: str) -> int:
    page = {"name": "screen_view", "path": "https://shop.example/", "anonymousId": "a"}
    return box.post(f"/?client_id={box.sites['shop']}", page, origin=origin).status


def page(box: WholeBox, rest: str = "") -> str:
    answer = box.get(f"/sites/{box.sites['shop']}{rest}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return answer.body.decode()


def allow(box: WholeBox, origin: str, *, cookie: str, back: str = "") -> Answer:
    target = f"/sites/{box.sites['shop']}/origins"
    body = urlencode({"origin": origin, "back": back}).encode()
    return box.ask("POST", target, headers={"cookie": cookie, **FORM}, body=body)


def test_a_website_that_waits_says_whose_events_were_refused_and_allows_them(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}"
    assert "rejected." not in page(box)
    assert send(box, LOCAL) == send(box, LOCAL) == send(box, "https://<script>") == 403
    assert send(box, "null") == 403
    waiting = page(box)
    assert f"2 events from {LOCAL} were rejected." in waiting
    assert waiting.count("events from ") == 1, "what could not be allowed is not offered"
    assert "https://&lt;" not in waiting
    assert f"from {LOCAL}" in page(box, "/not-counted")

    assert allow(box, LOCAL, cookie="").status in {303, 401}
    assert (
        allow(box, LOCAL, cookie=box.cookie, back="https://evil.example")
        .headers["location"]
        .startswith(f"{home}/not-counted?")
    )
    sent = allow(box, LOCAL, cookie=box.cookie, back=home)
    assert sent.headers["location"] == f"{home}?{urlencode({'allowed': LOCAL})}"
    allowed = page(box, f"?{urlencode({'allowed': LOCAL})}")
    assert f"{LOCAL} is allowed." in allowed
    assert "rejected." not in allowed
    assert "evil.example" not in page(box, f"?{urlencode({'allowed': 'https://evil.example'})}"), "it was not allowed"
    assert send(box, LOCAL) == 200
    assert allow(box, "no origin", cookie=box.cookie).status == 400


def test_other_reasons_are_said_with_the_page_that_mends_them(box: WholeBox) -> None:
    target = f"/?client_id={box.sites['local']}"
    event = {"name": "screen_view", "path": "http://localhost/", "anonymousId": "a"}
    assert box.post(target, b"{", origin="http://localhost").status == 400
    assert (
        box.post(
            target, event, origin="http://localhost", user_agent="Googlebot/2.1 (+http://www.google.com/bot.html)"
        ).status
        == 204
    )
    waiting = box.get(f"/sites/{box.sites['local']}", cookie=box.cookie, accept="text/html").body.decode()
    assert "1 event was excluded: Invalid event." in waiting
    assert "1 event was excluded: Known bot." in waiting
    assert f'href="/sites/{box.sites["local"]}/bots"' in waiting


def test_viewer_sees_refused_origins_and_cannot_allow_them(box: WholeBox) -> None:
    send(box, "https://staging.example")
    box.run(box.box.box_db.write(lambda db: db.execute("update members set role = 'viewer'").fetchall()))
    try:
        cookie = box.cookie
        seen = box.get(f"/sites/{box.sites['shop']}/not-counted", cookie=cookie, accept="text/html").body.decode()
        assert "from https://staging.example" in seen
        assert "/origins" not in seen
        assert allow(box, "https://staging.example", cookie=cookie).status == 403
    finally:
        box.run(box.box.box_db.write(lambda db: db.execute("update members set role = 'owner'").fetchall()))


def test_few_origins_of_few_websites_are_kept() -> None:
    refusals = Refusals()
    for number in range(MOST_ORIGINS + 2):
        refusals.note(7, f"https://{number}.example", now=number)
    refusals.note(7, "https://3.example", now=9)
    assert [one.origin for one in refusals.of(7)] == ["https://3.example", "https://4.example", "https://2.example"]
    assert refusals.of(7)[0].times == 2
    for site in range(100, 100 + MOST_WEBSITES):
        refusals.note(site, "https://one.example", now=10)
    assert refusals.of(7) == []
    refusals.forget(100, "https://one.example")
    assert refusals.of(100) == []


@each(
    "header",
    [
        "",
        "null",
        "*",
        "https://*",
        "https://*.example",
        "ftp://x.example",
        "x.example",
        "https://a b",
        "http://" + "a" * 400,
    ],
)
def test_invalid_origin_is_not_remembered(header: str) -> None:
    refusals = Refusals()
    refusals.note(1, header, now=0)
    assert refusals.of(1) == []
