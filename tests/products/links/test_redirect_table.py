"""What a short address answers: links of every kind × visits of every kind (wire 7.3)."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cases import each
from tests.inprocess import NOON, whole_box
from tests.products.links.conftest import unlimited
from tests.products.links.world import ANDROID, GOOGLEBOT, IPHONE, SLACKBOT, TARGET, World

PAST, LATER = "2026-06-17T11:59:59Z", "2026-06-17T12:00:01Z"
IOS, DROID, OVER = "https://apps.apple.com/app/1", "https://play.google.com/store", "https://example.com/over"
BERLIN = {"accept_language": "de-DE,de;q=0.9"}
RULE = {"name": "German", "targetUrl": "https://example.com/de"}


def rule(**condition: Any) -> dict[str, Any]:
    return {"rules": [RULE | {"conditions": [condition]}]}


LINKS: dict[str, dict[str, Any]] = {
    "plain": {},
    "permanent": {"redirectStatus": 308},
    "over": {"expiresAt": PAST},
    "over elsewhere": {"expiresAt": PAST, "expiredRedirectUrl": OVER},
    "not yet over": {"expiresAt": LATER},
    "devices": {"iosUrl": IOS, "androidUrl": DROID},
    "app": {"deepLinkApp": "youtube", "targetUrl": "https://www.youtube.com/watch?v=1"},
    "preview": {"ogTitle": "Look <here>"},
    "language": rule(property="language", operator="equals", value="de"),
    "system": rule(property="system", operator="in", values=["iOS", "Android"]),
    "keep": {"queryForwarding": "keep", "targetUrl": f"{TARGET}?a=1"},
    "override": {"queryForwarding": "override", "targetUrl": f"{TARGET}?a=1#part"},
    "campaign": {"utm": {"source": "mail", "medium": "e mail"}, "targetUrl": f"{TARGET}?utm_source=old&b=2"},
    "protected": {"password": "hush hush"},
    "protected preview": {"password": "hush hush", "ogTitle": "A secret"},
    "one click": {"maxClicks": 1},
    "one click elsewhere": {"maxClicks": 1, "expiredRedirectUrl": OVER},
}

VISITS: dict[str, dict[str, Any]] = {
    "browser": {},
    "iPhone": {"user_agent": IPHONE},
    "Android": {"user_agent": ANDROID},
    "German": BERLIN,
    "bot": {"user_agent": GOOGLEBOT},
    "Slack": {"user_agent": SLACKBOT},
    "no user agent": {"user_agent": ""},
    "no accept": {"accept": ""},
    "HEAD": {"method": "HEAD"},
    "prefetch": {"sec_purpose": "prefetch;prerender"},
    "old prefetch": {"purpose": "prefetch"},
    "query": {"query": "a=2&x=%2F%2Fevil.example&url=https://evil.example"},
    "hostile host": {"x_forwarded_host": "evil.example"},
}


class Case(NamedTuple):
    """A link, a visit, the status and the Location of the answer, and how it is written down; empty: not at all."""

    link: str
    visit: str
    status: int
    location: str
    kind: str


CASES = (
    Case("plain", "browser", 302, TARGET, "click"),
    Case("plain", "iPhone", 302, TARGET, "click"),
    Case("plain", "bot", 302, TARGET, "bot"),
    Case("plain", "Slack", 302, TARGET, "preview"),
    Case("plain", "no user agent", 302, TARGET, "bot"),
    Case("plain", "no accept", 302, TARGET, "bot"),
    Case("plain", "HEAD", 302, TARGET, "head"),
    Case("plain", "prefetch", 302, TARGET, "prefetch"),
    Case("plain", "old prefetch", 302, TARGET, "prefetch"),
    Case("plain", "query", 302, TARGET, "click"),
    Case("plain", "hostile host", 302, TARGET, "click"),
    Case("permanent", "browser", 308, TARGET, "click"),
    Case("over", "browser", 410, "", ""),
    Case("over", "bot", 410, "", ""),
    Case("over", "HEAD", 410, "", ""),
    Case("over elsewhere", "browser", 302, OVER, ""),
    Case("over elsewhere", "Slack", 302, OVER, ""),
    Case("not yet over", "browser", 302, TARGET, "click"),
    Case("devices", "browser", 302, TARGET, "click"),
    Case("devices", "iPhone", 302, IOS, "click"),
    Case("devices", "Android", 302, DROID, "click"),
    Case("devices", "bot", 302, TARGET, "bot"),
    Case("app", "browser", 302, "https://www.youtube.com/watch?v=1", "click"),
    Case("app", "iPhone", 200, "", "click"),
    Case("app", "Android", 200, "", "click"),
    Case("app", "bot", 302, "https://www.youtube.com/watch?v=1", "bot"),
    Case("preview", "browser", 302, TARGET, "click"),
    Case("preview", "bot", 302, TARGET, "bot"),
    Case("preview", "Slack", 302, "/l/{slug}/preview", "preview"),
    Case("language", "browser", 302, TARGET, "click"),
    Case("language", "German", 302, "https://example.com/de", "click"),
    Case("system", "browser", 302, TARGET, "click"),
    Case("system", "iPhone", 302, "https://example.com/de", "click"),
    Case("keep", "browser", 302, f"{TARGET}?a=1", "click"),
    Case("keep", "query", 302, f"{TARGET}?a=1&x=%2F%2Fevil.example&url=https%3A%2F%2Fevil.example", "click"),
    Case(
        "override",
        "query",
        302,
        f"{TARGET}?a=2&x=%2F%2Fevil.example&url=https%3A%2F%2Fevil.example#part",
        "click",
    ),
    Case("override", "browser", 302, f"{TARGET}?a=1#part", "click"),
    Case("campaign", "browser", 302, f"{TARGET}?b=2&utm_source=mail&utm_medium=e+mail", "click"),
    Case("campaign", "query", 302, f"{TARGET}?b=2&utm_source=mail&utm_medium=e+mail", "click"),
    Case("protected", "browser", 200, "", ""),
    Case("protected", "bot", 200, "", ""),
    Case("protected", "HEAD", 200, "", ""),
    Case("protected", "Slack", 200, "", ""),
    Case("protected preview", "Slack", 302, "/l/{slug}/preview", "preview"),
    Case("one click", "browser", 302, TARGET, "click"),
    Case("one click", "bot", 302, TARGET, "bot"),
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    path: Path = tmp_path_factory.mktemp("redirects") / "data"
    with whole_box(path, adjust=unlimited) as box:
        yield World(box)


@each("case", CASES, ids=lambda case: f"{case.link}, {case.visit}")
def test_a_visit_is_answered_and_counted(world: World, case: Case) -> None:
    before = len(world.counted())
    made = world.link(**LINKS[case.link])
    answer = world.follow(made["slug"], **VISITS[case.visit])
    assert answer.status == case.status
    assert answer.headers.get("location", "") == case.location.format(slug=made["slug"])
    assert world.counted()[before:] == ([case.kind] if case.kind else [])
    assert answer.headers["x-robots-tag"] == "noindex"
    assert "evil.example/" not in str(answer)
    stored = answer.headers["cache-control"]
    assert stored in {"private, no-cache, max-age=0", "private, no-store"}
    assert (stored == "private, no-cache, max-age=0") == ("etag" in answer.headers)


@each(("visit", "link"), product(sorted(VISITS), sorted(LINKS)))
def test_no_visit_leads_anywhere_but_to_the_links_own_targets(world: World, link: str, visit: str) -> None:
    made = world.link(**LINKS[link])
    answer = world.follow(made["slug"], **VISITS[visit])
    location = answer.headers.get("location", "").partition("?")[0].partition("#")[0]
    own = {TARGET, IOS, DROID, OVER, "https://example.com/de", "https://www.youtube.com/watch", ""}
    assert location in {*own, f"/l/{made['slug']}/preview"}
    assert answer.status in {200, 302, 308, 410}


def test_the_same_address_again_is_not_a_click(world: World) -> None:
    made = world.link()
    first = world.follow(made["slug"])
    before = len(world.counted())
    for tag in (first.headers["etag"], f'"other", W/{first.headers["etag"]}'):
        again = world.follow(made["slug"], if_none_match=tag)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert "location" not in again.headers
    assert world.follow(made["slug"], if_none_match='"deadbeef"').status == 302
    assert world.counted()[before:] == ["click"]


def test_a_link_ends_after_its_clicks_and_only_peoples_count(world: World) -> None:
    made = world.link(maxClicks=2)
    for visit, status in (
        ("bot", 302),
        ("browser", 302),
        ("HEAD", 302),
        ("iPhone", 302),
        ("bot", 410),
        ("browser", 410),
    ):
        assert world.follow(made["slug"], **VISITS[visit]).status == status, visit
    assert world.call("links.get", id=made["id"]).json["clicks"] == 2


def test_clicks_of_a_link_that_may_end_are_remembered_over_a_restart(tmp_path: Path) -> None:
    with whole_box(tmp_path / "data", adjust=unlimited) as box:
        world = World(box)
        made = world.link(maxClicks=2)
        assert world.follow(made["slug"]).status == 302
        box.reopen()
        assert world.follow(made["slug"]).status == 302
        assert world.follow(made["slug"]).status == 410


def test_a_link_ends_at_its_instant(world: World) -> None:
    made = world.link(expiresAt=LATER)
    assert world.follow(made["slug"]).status == 302
    world.box.clock.advance(seconds=1)
    try:
        assert world.follow(made["slug"]).status == 410
    finally:
        world.box.clock.advance(seconds=-1)
    assert world.box.clock.now() == NOON


def test_an_app_page_leads_to_the_app_and_to_the_web(world: World) -> None:
    made = world.link(**LINKS["app"])
    iphone = world.follow(made["slug"], user_agent=IPHONE)
    assert iphone.headers["refresh"] == "0;url=vnd.youtube://www.youtube.com/watch?v=1"
    assert b'href="https://www.youtube.com/watch?v=1"' in iphone.body
    android = world.follow(made["slug"], user_agent=ANDROID)
    assert android.headers["refresh"].startswith(
        "0;url=intent://www.youtube.com/watch?v=1#Intent;scheme=https;package="
    )
    assert "S.browser_fallback_url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D1" in android.headers["refresh"]


def test_a_preview_says_what_the_link_says_and_nothing_runs_in_it(world: World) -> None:
    made = world.link(ogTitle="<script>alert(1)</script>", ogImageUrl="https://example.com/i.png", ogDescription='"x"')
    page = world.follow(f"{made['slug']}/preview")
    assert page.status == 200
    assert b"<script>alert" not in page.body
    assert b'property="og:image" content="https://example.com/i.png"' in page.body
    assert TARGET.encode() not in page.body  # the way on leads over the short address, so that it is counted
    assert world.follow("nothing/preview").status == 404
    over = world.link(ogTitle="Too late", expiresAt=PAST)
    assert world.follow(f"{over['slug']}/preview").status == 410


def test_the_preview_of_a_protected_link_shows_only_a_placeholder_for_its_title(world: World) -> None:
    words = {"name": "Plan A", "ogTitle": "Plan B", "ogDescription": "Plan C"}
    pictures = {"ogImageUrl": "https://example.com/plan-d.png", "ogVideoUrl": "https://example.com/plan-e.mp4"}
    secret = world.link(password="hush hush", **words, **pictures)
    for agent in ({}, {"user_agent": SLACKBOT}):
        body = world.follow(f"{secret['slug']}/preview", **agent).body.decode()
        assert "plan" not in body.lower()
        assert '<meta property="og:title" content="Protected link">' in body
    assert b"Plan B" in world.follow(f"{world.link(**words)['slug']}/preview").body


@pytest.mark.parametrize("path", ["nothing", "a", "x" * 51, "%00%00%00", "a%2Fb%2Fc", "..%2f..%2fetc", "aaa/bbb", ""])
def test_an_unknown_address_is_a_page_and_counted_as_an_orphan(world: World, path: str) -> None:
    answer = world.follow(path)
    assert answer.status == 404
    assert answer.headers["cache-control"] == "private, no-store"
    assert b"Link not found" in answer.body


def test_a_short_address_says_which_methods_it_takes(world: World) -> None:
    all_of_them = "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"
    for slug in (world.link()["slug"], "nothing"):
        asked, refused = world.follow(slug, method="OPTIONS"), world.follow(slug, method="TRACE")
        assert (asked.status, asked.headers["allow"]) == (204, all_of_them)
        assert (refused.status, refused.headers["allow"]) == (405, all_of_them)
    for given, allowed in (({}, "GET, HEAD, OPTIONS"), ({"password": "hush hush"}, "GET, HEAD, OPTIONS, POST")):
        refused = world.follow(world.link(**given)["slug"], method="DELETE")
        assert (refused.status, refused.headers["allow"]) == (405, allowed)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_short_link_takes_no_other_method_unless_its_redirect_keeps_the_method(world: World, method: str) -> None:
    for status in (301, 302):
        assert world.follow(world.link(redirectStatus=status)["slug"], method=method).status == 405
    for status in (307, 308):
        slug = world.link(redirectStatus=status, queryForwarding="keep")["slug"]
        answer = world.follow(slug, method=method, query="a=1")
        assert (answer.status, answer.headers["location"]) == (status, f"{TARGET}?a=1")
    assert world.counted()[-2:] == ["click", "click"]


def test_post_to_a_link_that_opens_an_app_is_passed_on_to_the_target(world: World) -> None:
    made = world.link(redirectStatus=307, deepLinkApp="youtube", targetUrl="https://www.youtube.com/watch?v=1")
    answer = world.follow(made["slug"], method="POST", user_agent=IPHONE)
    assert (answer.status, answer.headers["location"]) == (307, "https://www.youtube.com/watch?v=1")


@each(
    "agent",
    [
        "Mozilla/4.0 (compatible; ms-office; MSOffice 16)",
        "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; ms-office; MSOffice 16)",
        "Microsoft Office Word 2014",
        "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17328; Pro)",
    ],
)
def test_office_that_looks_a_hyperlink_up_hands_the_short_link_to_the_browser(world: World, agent: str) -> None:
    made = world.link(ogTitle="Sale")
    before = len(world.counted())
    for method in ("HEAD", "GET"):
        answer = world.follow(made["slug"], method=method, user_agent=agent)
        assert (answer.status, answer.headers.get("location")) == (200, None)
    assert world.follow(made["slug"]).headers["location"] == TARGET
    assert world.counted()[before:] == ["preview", "preview", "click"]


def test_language_that_a_visitor_prefers_is_the_one_with_the_highest_weight(world: World) -> None:
    made = world.link(**LINKS["language"])
    answer = world.follow(made["slug"], accept_language="en;q=0.3, de-AT;q=0.9, fr;q=0.8")
    assert answer.headers["location"] == RULE["targetUrl"]


def test_referrer_is_passed_to_the_destination(world: World) -> None:
    """The page's own policy would hide it: browsers apply a redirect's policy to what follows."""
    assert world.follow(world.link()["slug"]).headers["referrer-policy"] == "strict-origin-when-cross-origin"
