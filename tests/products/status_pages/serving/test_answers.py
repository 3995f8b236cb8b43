"""How answers go out: from memory, compressed, revalidated, to everybody, by the methods that there are."""

import gzip

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import NotFound
from analytics_box.products.status_pages.serving.kept import RenderedAnswer, Shelf
from tests.cases import each
from tests.products.status_pages.serving.examples import BUSY, CALM
from tests.products.status_pages.serving.world import DOMAIN, PICTURE, World

PROGRAMS = ("history.atom", "history.rss", "badge.svg", "api/v2/status.json")


def test_an_answer_is_made_once_as_long_as_nothing_changes(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first = world.get()
    monkeypatch.setattr(world.serving, "_maker", None)
    again = world.get()
    assert (again.status, again.body, again.headers["etag"]) == (200, first.body, first.headers["etag"])


def test_all_who_ask_at_the_same_time_get_the_one_that_is_made(world: World) -> None:
    found = world.together(*["history"] * 40)
    assert {answer.body for answer in found} == {found[0].body}
    assert world.known.reads == 1


def test_failed_page_is_rendered_by_the_next_request(world: World) -> None:
    world.known.earlier = None
    assert {answer.status for answer in world.together(*["incidents/none"] * 5)} == {503}
    world.known.earlier = ()
    assert world.get("incidents/none").status == 404


def test_single_address_renders_as_many_pages_as_its_turns(world: World) -> None:
    found = world.together(*(f"incidents/none-{number}" for number in range(40)))
    assert {answer.status for answer in found} == {404}
    assert world.known.most_at_once == 16
    assert world.known.reads == 40


def test_a_change_shows_at_once(world: World) -> None:
    assert "Major outage" in world.get().body.decode()
    world.known.seen = CALM
    assert "All systems operational" in world.get().body.decode()


@each(("accepted", "coding"), [("gzip, br", ("br", "gzip")), ("gzip", ("gzip",)), ("br;q=0", ("",)), ("", ("",))])
def test_page_is_compressed_for_clients_that_accept_it(world: World, accepted: str, coding: tuple[str, ...]) -> None:
    plain, answer = world.get(), world.get(accept_encoding=accepted)
    assert answer.headers.get("content-encoding", "") in coding
    assert answer.headers["vary"] == "accept-encoding"
    if answer.headers.get("content-encoding") == "gzip":
        assert gzip.decompress(answer.body) == plain.body
        assert answer.headers["etag"] != plain.headers["etag"]


@each("path", ["", "history", *PROGRAMS])
def test_known_etag_answers_304(world: World, path: str) -> None:
    answer = world.get(path)
    for known in (answer.headers["etag"], f'"other", W/{answer.headers["etag"]}'):
        again = world.get(path, if_none_match=known)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", answer.headers["etag"])
        assert again.headers["cache-control"] == answer.headers["cache-control"]
    assert world.get(path, if_none_match='"other"').status == 200


def test_an_unchanged_page_keeps_its_tag_when_it_is_made_again(world: World) -> None:
    before = world.get("history").headers["etag"]
    world.known.seen = replace(BUSY, etag="a minute later")
    assert world.get("history").headers["etag"] == before


def test_caches_may_keep_it_for_seconds_and_show_it_while_we_are_away(world: World) -> None:
    kept = world.get().headers["cache-control"]
    assert kept == "public, max-age=10, stale-while-revalidate=30, stale-if-error=86400"


def test_head_has_the_headers_and_no_body(world: World) -> None:
    answer, head = world.get(), world.ask("HEAD", "")
    assert (head.status, head.body, head.headers["etag"]) == (200, b"", answer.headers["etag"])


@each("path", PROGRAMS)
def test_every_site_may_load_what_is_for_programs(world: World, path: str) -> None:
    assert world.get(path).headers["access-control-allow-origin"] == "*"
    asked = world.ask("OPTIONS", path, {"origin": "https://other.example", "access_control_request_method": "GET"})
    assert asked.status == 204
    assert asked.headers["access-control-allow-origin"] == "*"
    assert "authorization" in asked.headers["access-control-allow-headers"]


def test_no_site_may_load_the_page_itself(world: World) -> None:
    assert "access-control-allow-origin" not in world.get().headers
    assert "access-control-allow-origin" not in world.ask("OPTIONS", "").headers


@each(("method", "path"), [("POST", ""), ("PUT", "subscribe"), ("DELETE", "badge.svg"), ("POST", "api/v2/status.json")])
def test_other_methods_are_refused(world: World, method: str, path: str) -> None:
    answer = world.ask(method, path)
    assert answer.status == 405
    assert "GET, HEAD, OPTIONS" in answer.headers["allow"]
    assert answer.json["code"] == "METHOD_NOT_ALLOWED"


@each("path", ["nope", "components/none", "incidents/none", "history/never", "files", "/status/acme/x/y/z"])
def test_missing_page_is_explained(world: World, path: str) -> None:
    answer = world.get(path)
    assert answer.status == 404
    assert "Page not found" in answer.body.decode()
    assert answer.headers["cache-control"] == "private, no-store"


@each("path", ["api/v2/nope.json", "api/v2/status", "badge/none.svg", "other.atom", "/status/none/api/v2/status.json"])
def test_programs_are_told_in_their_own_way(world: World, path: str) -> None:
    answer = world.get(path)
    assert (answer.status, answer.json["code"]) == (404, NotFound.code)
    assert answer.headers["access-control-allow-origin"] == "*"


def test_an_unknown_page_is_a_page_that_says_so(world: World) -> None:
    answer = world.get("/status/none")
    assert (answer.status, answer.headers["x-robots-tag"]) == (404, "noindex")
    assert "There is no status page with this URL" in answer.body.decode()


def test_case_and_a_slash_at_the_end_do_not_matter(world: World) -> None:
    assert world.get("/status/ACME").body == world.get("/status/acme/").body == world.get("/status/acme").body


def test_a_page_is_at_the_root_of_its_own_domain(world: World) -> None:
    world.change(domain=DOMAIN)
    answer = world.get("/", host=f"{DOMAIN}:8443")
    assert answer.status == 200
    assert 'href="/history"' in answer.body.decode()
    assert "/status/acme" not in answer.body.decode().replace(BUSY.url, "")
    assert world.get("/history.atom", host=DOMAIN).status == 200
    assert world.get("/sites", host=DOMAIN).status == 404
    assert world.get("/sites", host="localhost").body == b"the framework"
    assert world.get("/static/status.css", host=DOMAIN).body == b"the framework"


@each(
    ("path", "status", "said"),
    [
        ("/health", 200, b"ok"),
        ("/robots.txt", 200, b"Allow: /"),
        ("/favicon.ico", 302, b""),
    ],
)
def test_its_own_domain_has_the_files_of_every_host(world: World, path: str, status: int, said: bytes) -> None:
    world.change(domain=DOMAIN, favicon="abc123")
    answer = world.get(path, host=DOMAIN)
    assert answer.status == status
    assert said in answer.body


def test_robots_stay_away_from_a_domain_that_does_not_want_them(world: World) -> None:
    world.change(domain=DOMAIN, indexed=False)
    assert b"Disallow: /" in world.get("/robots.txt", host=DOMAIN).body


def test_pictures_come_from_the_host_that_the_page_is_on(world: World) -> None:
    world.known.seen = replace(BUSY, logo_url=f"{BUSY.url}/files/abc123")
    assert '<img src="/status/acme/files/abc123" alt="Acme"' in world.get().body.decode()


def test_a_picture_is_read_once_and_stays_for_ever(world: World) -> None:
    world.change(logo="abc123")
    answers = [world.get("files/abc123") for _ in range(3)]
    assert {answer.body for answer in answers} == {PICTURE}
    assert answers[0].headers["cache-control"] == "public, max-age=31536000, immutable"
    assert world.files_asked == 1
    assert world.get("files/other").status == 404
    world.change(logo="")
    assert world.get("files/abc123").status == 404


@each("path", ["subscribe", "subscription/secret"])
def test_subscriptions_are_shown_and_never_kept(world: World, path: str) -> None:
    answer = world.get(path)
    assert answer.headers["cache-control"] == "private, no-store"
    assert (world.known.visits[-1].rest, world.known.visits[-1].network) == (path, "203.0.113.7")


@each(
    ("headers", "is_foreign"),
    [
        ({"sec_fetch_site": "cross-site"}, True),
        ({"sec_fetch_site": "same-origin", "origin": "http://x.example"}, False),
        ({"origin": "http://x.example"}, True),
        ({"origin": "http://localhost"}, False),
        ({}, False),
    ],
)
def test_a_form_of_another_site_is_told_as_such(world: World, headers: dict[str, str], is_foreign: bool) -> None:
    sent = {"content_type": "application/x-www-form-urlencoded", **headers}
    answer = world.ask("POST", "subscribe", sent, b"address=ada%40example.com")
    assert (answer.status, answer.headers["location"]) == (303, "/status/acme/subscription/secret")
    assert world.known.visits[-1].form == {"address": "ada@example.com"}
    assert world.known.visits[-1].is_foreign is is_foreign


def test_the_bytes_that_are_kept_are_bounded() -> None:
    shelf = Shelf(most_bytes=5_000, most_answers=100)
    for number in range(10):
        shelf.keep(("page", "", str(number)), RenderedAnswer(b"x" * 1_000, b"text/plain"), "state")
    assert shelf.size <= 5_000
    assert shelf.find(("page", "", "9"), "state") is not None
    assert shelf.find(("page", "", "0"), "state") is None


def test_the_answers_that_are_kept_are_counted() -> None:
    shelf = Shelf(most_answers=3)
    for number in range(10):
        shelf.keep(("page", "", str(number)), RenderedAnswer(b"x", b"text/plain"), "state")
    assert len(shelf) == 3


def test_a_very_large_answer_is_not_kept() -> None:
    shelf, key = Shelf(), ("page", "", "history")
    shelf.keep(key, RenderedAnswer(b"small", b"text/plain"), "before")
    large = RenderedAnswer(b"x" * 1_000_001, b"text/plain")
    assert shelf.keep(key, large, "state").made == large
    assert (len(shelf), shelf.find(key, "state")) == (0, None)
