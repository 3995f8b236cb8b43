"""Searching the manual: what is found, in which order, and what is shown of it."""

import gzip
import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_plus

import pytest
from litestar import Request

from analytics_box.app.docs import pages as docs_pages
from analytics_box.app.docs.manual import PAGES, Documentation
from analytics_box.app.docs.search import DocsEntry, Index
from analytics_box.web.page.rendered import RenderedPages
from analytics_box.web.page.templates import Pages
from tests.inprocess import WholeBox, whole_box
from tests.steps import steps

SEARCHES = docs_pages._SEARCHES


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with pytest.MonkeyPatch.context() as patch, whole_box(tmp_path_factory.mktemp("search") / "data") as inside:
        patch.setattr(docs_pages, "_SEARCHES", 1_000)  # One address asks more questions than a box allows in a minute.
        yield inside


def found(box: WholeBox, query: str) -> list[str]:
    answer = box.get(f"/docs/search?q={query}", accept="text/html")
    assert answer.status == 200
    results = answer.body.decode().partition('<ol class="docs-hits">')[2]
    return [html.unescape(href) for href in re.findall(r'<a href="([^"]+)"', results)]


# A question of a user → the page that answers it, which comes first.
QUESTIONS = {
    "which ai crawlers read my pages": "ai-traffic",
    "track the tools of my mcp server": "mcp-analytics",
    "connect claude": "mcp",
    "mcp server": "mcp",
    "use cursor with an api key": "mcp",
    "why isn't my visit showing up": "dropped-events",
    "no data": "dropped-events",
    "script not working": "dropped-events",
    "exclude bots": "dropped-events",
    "add a website": "get-started",
    "session timeline": "dashboard",
    "javascript exceptions": "error-groups",
    "resolve an error": "error-groups",
    "slow pages": "dashboard",
    "why fewer visitors": "dashboard",
    "install tracking code wordpress": "website-builders",
    "wordpress plugin": "website-builders",
    "woocommerce": "website-builders",
    "ghost": "website-builders",
    "hugo": "website-builders",
    "shopify": "website-builders",
    "plain html": "get-started",
    "next.js": "frameworks",
    "nuxt": "frameworks",
    "astro": "frameworks",
    "sveltekit": "frameworks",
    "rails": "frameworks",
    "django": "frameworks",
    "laravel": "frameworks",
    "proxy the script through nginx": "first-party",
    "cloudflare workers": "first-party",
    "vercel rewrites": "first-party",
    "netlify": "first-party",
    "content security policy": "script",
    "connect stripe": "payments",
    "record payments": "payments",
    "try it on localhost": "get-started",
    "docker": "install",
    "kubernetes": "install",
    "uninstall": "install",
    "track outgoing links": "script",
    "track file downloads": "script",
    "ad blocker": "first-party",
    "google tag manager": "website-builders",
    "opt out": "script",
    "send events from backend": "server-events",
    "react": "compatible-clients",
    "config as code": "setup-file",
    "export all data": "move-out",
    "move to another box": "move-out",
    "keep plausible script": "compatible-clients",
    "import plausible": "import-history",
    "import my umami data": "import-history",
    "import google analytics": "import-history",
    "migrate from matomo": "import-history",
    "import fathom": "import-history",
    "import simple analytics": "import-history",
    "import nginx access log": "import-history",
    "share dashboard publicly": "share",
    "embed dashboard": "share",
    "weekly email": "reports",
    "send me a monthly report": "reports",
    "realtime visitors": "dashboard",
    "filter by country": "dashboard",
    "compare with last month": "dashboard",
    "export to csv": "dashboard",
    "save filters": "dashboard",
    "track signups": "goals",
    "conversion rate": "goals",
    "mark a deployment": "notes",
    "annotations": "notes",
    "exclude my own ip address": "website-settings",
    "how long is data kept": "website-settings",
    "delete a website": "website-settings",
    "move website to another organization": "website-settings",
    "shorten a url": "links",
    "qr code": "links",
    "import bitly links": "links",
    "password protect a link": "links",
    "monitor a cron job": "monitors",
    "uptime kuma": "monitors",
    "import uptime kuma": "monitors",
    "import shlink": "links",
    "import flagsmith": "flag-files",
    "import yourls": "links",
    "import statuspage": "status-pages",
    "move from cachet": "status-pages",
    "import healthchecks": "monitors",
    "ssl certificate expiry": "monitors",
    "monitor internal network": "monitors",
    "publish an incident": "status-pages",
    "subscribe to status updates": "status-pages",
    "a/b test": "flags",
    "percentage rollout": "flag-rollouts",
    "migrate from launchdarkly": "flag-files",
    "use a flag in react": "flags-api",
    "notify me when my site is down": "alerts",
    "slack notifications": "integrations",
    "configure smtp": "integrations",
    "invite a colleague": "members",
    "reset my password": "members",
    "two-factor authentication": "members",
    "create an api token": "api-keys",
    "gdpr delete user data": "visitors",
    "do i need a cookie banner": "visitors",
    "identify logged-in users": "visitors",
    "https with nginx": "proxies",
    "all visitors have the same ip": "proxies",
    "backup to s3": "backup",
    "restore a backup": "backup",
    "move to a new server": "backup",
    "upgrade to a new version": "production",
    "prometheus metrics": "production",
    "cities are unknown": "production",
    "ddos": "abuse-protection",
    "fake traffic": "abuse-protection",
    "what is a bounce": "definitions",
    "unique visitors": "definitions",
    "rate limit": "limits",
    "query api with sql": "queries",
    "environment variables": "settings",
    "command line": "commands",
    "error 422": "errors",
    "server does not start": "errors",
    "high availability": "several-machines",
    "how many events can it handle": "capacity",
    "what's new": "changelog",
}


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items())
def test_question_finds_the_page_with_its_answer_first(box: WholeBox, question: str, page: str) -> None:
    assert found(box, quote_plus(question))[0].partition("#")[0] == f"/docs/{page}"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("bounce+rate", "/docs/definitions#bounce-rate"),
        ("BOUNCE", "/docs/definitions#bounce"),
        ("back+up", "/docs/backup"),
        ("systemd", "/docs/production"),
        ("nftables", "/docs/abuse-protection#add-limits-with-nftables"),
        ("data-track-errors", "/docs/script#what-to-track"),
        ("websites.restore", "/docs/website-settings#delete-or-restore-a-website"),
        ("events_by_date", "/docs/query-types/summary#events_by_date"),
        ("forgot+password", "/docs/members#forgot-your-password"),
        ("limit_track", "/docs/limits#requests"),
    ],
)
def test_exact_term_is_among_the_first_results(box: WholeBox, query: str, first: str) -> None:
    assert first in [href if "#" in first else href.partition("#")[0] for href in found(box, query)[:6]]


def test_search_knows_other_words_for_a_topic_and_shows_none_of_them(box: WholeBox) -> None:
    assert found(box, "statuspage")[0] == "/docs/status-pages"
    for name in PAGES:
        assert "search:" not in box.get(f"/docs/{name}", accept="text/html").body.decode()


def test_operations_of_the_api_are_found_by_their_path(box: WholeBox) -> None:
    assert "/docs/api/websites#websites-rotatetracking" in found(box, "rotateTracking")


@pytest.mark.parametrize("query", ["", "+++", "xyzzy", "%00", "%28%5B", "a" * 5000, "+".join("abcdefghijklmnop")])
def test_nothing_that_is_asked_breaks_it(box: WholeBox, query: str) -> None:
    assert len(found(box, query)) <= 30


def test_query_is_shown_as_escaped_text(box: WholeBox) -> None:
    content = box.get("/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E", accept="text/html").body.decode()
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert" in content


ENTRIES = (
    DocsEntry("/one", "Sessions", "Definitions", "A visit, and how long it lasts."),
    DocsEntry("/two", "Visits", "Definitions", "See sessions."),
    DocsEntry("/three", "Obsession", "Elsewhere", "Nothing to do with it."),
)


def test_titles_come_before_texts_and_a_word_is_found_by_its_beginning_only() -> None:
    assert [hit.entry.href for hit in Index(ENTRIES).search("session")] == ["/one", "/two"]


def test_page_with_all_words_hides_pages_with_some() -> None:
    assert [hit.entry.href for hit in Index(ENTRIES).search("visit lasts")] == ["/one"]
    assert [hit.entry.href for hit in Index(ENTRIES).search("lasts unheard-of")] == ["/one"]


def test_an_excerpt_marks_the_words_and_loses_nothing_between_them() -> None:
    long = " ".join(f"word{number}" for number in range(200)) + " the needle here " + "end " * 100
    [hit] = Index([DocsEntry("/long", "Long", "", long)]).search("needle her")
    text = "".join(piece for piece, _ in hit.excerpt)
    assert [piece for piece, marked in hit.excerpt if marked] == ["needle", "her"]
    assert text.startswith("… word")
    assert text.endswith(" …")
    assert "the needle here end" in text
    assert len(text) < 400


@pytest.mark.parametrize(
    "query", ["the is of to in and for on", "a b c d e f g h", "monitor status page alert", "e" * 100]
)
def test_a_search_takes_no_more_steps_than_a_small_page(box: WholeBox, query: str) -> None:
    index = box.box.parts[Documentation].index
    assert steps(lambda: index.search(query)) < 40_000


def test_buttons_beside_examples_are_not_part_of_what_is_found(box: WholeBox) -> None:
    content = box.get("/docs/search?q=forgot+your+password", accept="text/html").body.decode()
    assert "Forgot your password?" in content
    assert not re.search(r"\w(Copy|Copied)\b", content)


def test_a_search_is_answered_again_without_searching(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    box.clock.advance(seconds=60)  # The searches before have used up the limit of a minute.
    first = box.get("/docs/search?q=salts+and+keys", accept="text/html")
    assert first.status == 200
    monkeypatch.setattr(Index, "search", never)
    assert box.get("/docs/search?q=salts++and+keys", accept="text/html").body == first.body


def test_the_answers_to_searches_that_are_kept_are_bounded(box: WholeBox) -> None:
    searches = RenderedPages(most=3)
    scope: Any = {"type": "http", "headers": []}
    request = Request[Any, Any, Any](scope)
    for number in range(10):
        answer = box.run(searches.answer(request, str(number), f"page {number}".__str__))
        assert answer.content == f"page {number}".encode()
    assert len(searches) == 3


def test_searches_of_one_address_are_limited(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs_pages, "_SEARCHES", SEARCHES)
    answers = [box.ask("GET", "/docs/search?q=salt", address="198.51.100.9").status for _ in range(121)]
    assert (answers[:120], answers[120]) == ([200] * 120, 429)


@pytest.mark.parametrize(
    "path",
    ["/docs", "/docs/backup", "/docs/api", "/docs/api/websites", "/docs/query-types", "/docs/query-types/summary"],
)
def test_a_page_of_the_manual_is_rendered_once(box: WholeBox, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    plain = box.get(path, accept="text/html")
    monkeypatch.setattr(Pages, "text", never)
    packed = box.get(path, accept="text/html", accept_encoding="gzip")
    assert (plain.status, packed.status, packed.headers["content-encoding"]) == (200, 200, "gzip")
    assert gzip.decompress(packed.body) == plain.body
    assert "content-encoding" not in plain.headers


def never(*_: object, **__: object) -> None:
    raise AssertionError("This was made again")
