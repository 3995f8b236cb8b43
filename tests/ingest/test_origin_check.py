"""Who may send events for a website, and what of it is kept: truth tables (wire 4.6, semantics 7)."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics_box.tenants.websites.origin_check import Paths, origin_check
from analytics_box.tenants.websites.tracking import Tracking, clean_origin
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

# allowed origins of example.com, the Origin header, whether it may send
ORIGINS: tuple[tuple[tuple[str, ...], str | None, bool], ...] = (
    ((), None, True),
    ((), "https://example.com", True),
    ((), "https://www.example.com", True),
    ((), "http://example.com:8080", True),
    ((), "https://SHOP.Example.com", True),
    ((), "https://a.b.example.com", True),
    ((), "https://example.com.", True),  # with the root's dot it is the same host
    ((), "https://www.example.com.:8443", True),
    ((), "https://example.com..", False),
    ((), "https://notexample.com", False),
    ((), "https://example.com.evil.net", False),
    ((), "https://example.org", False),
    ((), "null", False),
    ((), "", False),
    (("https://app.other.net",), None, False),
    (("https://app.other.net",), "https://example.com", True),
    (("https://app.other.net",), "https://app.other.net", True),
    (("https://app.other.net",), "https://app.other.net:8443", True),
    (("https://app.other.net:8443",), "https://app.other.net:8443", True),
    (("https://app.other.net:8443",), "https://app.other.net", False),
    (("https://app.other.net:443",), "https://app.other.net", True),
    (("https://app.other.net",), "http://app.other.net", False),
    (("app.other.net",), "http://app.other.net", True),
    (("app.other.net",), "https://app.other.net:3000", True),
    (("app.other.net",), "https://www.app.other.net", True),
    (("app.other.net",), "https://x.app.other.net", False),
    (("*.other.net",), "https://app.other.net", True),
    (("*.other.net",), "https://a.b.other.net", True),
    (("*.other.net",), "https://other.net", False),
    (("*.other.net",), "https://evilother.net", False),
    (("*.other.net",), "https://other.net.evil.org", False),
    (("https://*.other.net",), "http://app.other.net", False),
    (("*.other.net:3000",), "http://app.other.net:3000", True),
    (("*.other.net:3000",), "http://app.other.net.:3000", True),
    (("app.other.net",), "http://app.other.net.", True),
    (("*.other.net:3000",), "http://app.other.net", False),
    (("localhost:3000",), "http://localhost:3000", True),
    (("localhost:3000",), "http://localhost:4000", False),
    (("*",), "https://anything.net", True),
    (("*",), "null", True),
    (("*",), None, False),
)


@each(("allowed", "origin", "expected"), ORIGINS)
def test_origins(allowed: tuple[str, ...], origin: str | None, expected: bool) -> None:
    assert origin_check("example.com", Tracking(allowedOrigins=allowed)).admits_origin(origin) is expected


LOCAL = (
    ("http://localhost:3000", True),
    ("http://127.0.0.1:8080", True),
    ("http://[::1]:8080", True),
    ("http://app.localhost", True),
    ("http://[2001:db8::1]", False),
    ("https://example.com", False),
    ("https://localhost.evil.net", False),
)


@pytest.mark.parametrize(("origin", "expected"), LOCAL)
def test_a_website_on_localhost_takes_every_local_origin(origin: str, expected: bool) -> None:
    assert origin_check("localhost", Tracking()).admits_origin(origin) is expected


# allowed addresses, the client's, whether it may send
ADDRESSES: tuple[tuple[tuple[str, ...], str, bool], ...] = (
    ((), "203.0.113.7", True),
    (("203.0.113.7",), "203.0.113.7", True),
    (("203.0.113.7",), "203.0.113.8", False),
    (("203.0.113.0/24",), "203.0.113.255", True),
    (("203.0.113.0/24",), "203.0.114.1", False),
    (("203.0.113.0/24", "198.51.100.1"), "198.51.100.1", True),
    (("2001:db8::/32",), "2001:db8:1::5", True),
    (("2001:db8::/32",), "2001:db9::5", False),
    (("2001:db8::/32",), "203.0.113.7", False),
    (("0.0.0.0/0",), "2001:db8::1", False),
    (("10.2.0.0/16", "10.0.0.0/16", "10.0.5.0/24"), "10.0.200.1", True),
    (("10.2.0.0/16", "10.0.0.0/16", "10.0.5.0/24"), "10.1.0.1", False),
    (("10.2.0.0/16", "2001:db8::/32", "10.0.0.0/16"), "10.2.255.255", True),
    (("10.2.0.0/16", "2001:db8::/32", "10.0.0.0/16"), "10.3.0.0", False),
    (("10.2.0.0/16", "2001:db8::/32", "10.0.0.0/16"), "9.255.255.255", False),
    (("203.0.113.0/24",), "", False),
    (("203.0.113.7",), "", False),
)


@each(("allowed", "address", "expected"), ADDRESSES)
def test_addresses(allowed: tuple[str, ...], address: str, expected: bool) -> None:
    assert origin_check("example.com", Tracking(allowedIps=allowed)).admits_address(address) is expected


# pattern, path, whether it is ignored
PATHS = (
    ("/admin", "/admin", True),
    ("/admin/", "/admin", True),
    ("/admin", "/admin/users", False),
    ("/admin", "/administration", False),
    ("/admin/*", "/admin", True),
    ("/admin/*", "/admin/users/5", True),
    ("/admin/*", "/administration", False),
    ("/admin*", "/administration", True),
    ("/*/edit", "/posts/5/edit", True),
    ("/*/edit", "/edit", False),
    ("/a*a", "/a", False),
    ("/a*b*c", "/a-b-c", True),
    ("/a*b*c", "/a-c-b", False),
    ("*.php", "/wp/login.php", True),
    ("/[ab]?", "/a1", False),
    ("/[ab]?", "/[ab]?", True),
    ("/", "/", True),
    ("/", "/a", False),
    ("*", "/anything", True),
    ("/Admin", "/admin", False),
)


@each(("pattern", "path", "expected"), PATHS)
def test_paths(pattern: str, path: str, expected: bool) -> None:
    ignored = origin_check("example.com", Tracking(ignoredPaths=(pattern,))).ignored_paths
    assert isinstance(ignored, Paths)
    assert ignored.have(path) is expected


@given(
    pattern=st.text("ab/*", min_size=1, max_size=12).map(lambda text: "/" + text),
    path=st.text("ab/", max_size=12).map(lambda text: "/" + text),
)
@example(pattern="/a*a", path="/a")
def test_a_star_stands_for_any_text(pattern: str, path: str) -> None:
    """Held against regular expressions, apart from what the end of a path adds."""
    pattern, path = pattern.rstrip("/") or "/", path.rstrip("/") or "/"
    wanted = re.fullmatch(".*".join(re.escape(piece) for piece in pattern.split("*")), path) is not None
    if pattern.endswith("/*") and pattern.count("*") == 1:
        wanted = wanted or path == pattern[:-2]
    ignored = origin_check("example.com", Tracking(ignoredPaths=(pattern,))).ignored_paths
    assert ignored is not None
    assert ignored.have(path) is wanted


@given(
    st.from_regex(r"\A[a-z0-9*.:/\[\]@-]{1,40}\Z"),
    st.from_regex(r"\A(https?://)?[a-z0-9.:\[\]-]{0,40}\Z"),
)
def test_no_pattern_and_no_header_breaks_the_door(entry: str, origin: str) -> None:
    with suppress(ValueError):
        cleaned = clean_origin(entry)
        assert clean_origin(cleaned) == cleaned
        rules = origin_check("example.com", Tracking(allowedOrigins=(cleaned,), ignoredTrackingOrigins=(cleaned,)))
        assert rules.admits_origin(origin) in {True, False}
        assert rules.ignores(origin, "") in {"", "ignored_origin"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as inside:
        yield inside


def set_tracking(box: WholeBox, **settings: Any) -> None:
    answer = box.post("/websites/updateSettings", {"id": box.sites["shop"], "settings": settings}, key="all")
    assert answer.status == 200, answer.body


def stored(box: WholeBox) -> list[tuple[str, int]]:
    """Path and visitor of every event, oldest first."""
    return ask(box, "select value, visitor from events join strings on strings.id = path order by events.id")


def ask(box: WholeBox, statement: str) -> list[Any]:
    """The rows of a statement over events.db."""
    return box.box.events.db.read_now(lambda db: db.execute(statement).fetchall())


VIEW = {"name": "screen_view", "path": "https://shop.example/a", "anonymousId": "a1", "sessionId": "s1"}
WAYS = ("/?client_id={}", "/batch?client_id={}", "/track?website_id={}")


def send(box: WholeBox, way: str, *, address: str = "203.0.113.7", **headers: str) -> Any:
    body: Any = [VIEW] if way.startswith("/batch") else VIEW
    given = {"content_type": "application/json", **headers}
    return box.ask(
        "POST", way.format(box.sites["shop"]), headers=given, body=json.dumps(body).encode(), address=address
    )


# settings, Origin, address, status, reason; every way in answers the same
ENTRIES: tuple[tuple[dict[str, Any], str, str, int, str], ...] = (
    ({}, "", "203.0.113.7", 200, ""),
    ({}, "https://evil.net", "203.0.113.7", 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"allowedOrigins": ["*.app.net"]}, "", "203.0.113.7", 403, "INGEST_ORIGIN_NOT_AUTHORIZED"),
    ({"allowedOrigins": ["*.app.net"]}, "https://x.app.net", "203.0.113.7", 200, ""),
    ({"allowedIps": ["198.51.100.0/24"]}, "", "203.0.113.7", 403, "INGEST_IP_NOT_AUTHORIZED"),
    ({"allowedIps": ["198.51.100.0/24"]}, "", "198.51.100.9", 200, ""),
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("settings", "origin", "address", "status", "reason"), ENTRIES)
def test_unauthorized_origin_is_refused(
    box: WholeBox, way: str, settings: dict[str, Any], origin: str, address: str, status: int, reason: str
) -> None:
    set_tracking(box, **settings)
    answer = send(box, way, origin=origin, address=address)
    assert answer.status == status
    assert len(stored(box)) == (1 if status == 200 else 0)
    if reason:
        assert (answer.json["code"], answer.json["reason"]) == ("FORBIDDEN", reason)
        assert answer.json["retryable"] is False


IGNORED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"ignoredIps": ["203.0.113.0/24"]}, ""),
    ({"ignoredPaths": ["/a*"]}, ""),
    ({"ignoredTrackingOrigins": ["staging.shop.example"]}, "https://staging.shop.example"),
    ({"ignoredTrackingOrigins": ["http://localhost:3000"]}, "http://localhost:3000"),
    ({"ignoredIps": ["203.0.113.7"], "allowedIps": ["198.51.100.9"]}, ""),
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("settings", "origin"), IGNORED)
def test_ignored_event_is_acknowledged_and_not_stored(
    box: WholeBox, way: str, settings: dict[str, Any], origin: str
) -> None:
    usual = send(box, way).json
    set_tracking(box, **settings)
    answer = send(box, way, origin=origin)
    assert answer.status == 200
    assert answer.json | {"requestId": ""} == usual | {"requestId": ""}
    assert len(stored(box)) == 1


def test_only_the_ignored_ones_of_a_batch_are_left_out(box: WholeBox) -> None:
    set_tracking(box, ignoredPaths=["/admin/*"])
    batch = [{**VIEW, "path": f"https://shop.example{path}"} for path in ("/a", "/admin/x", "/b")]
    answer = box.post(f"/batch?client_id={box.sites['shop']}", batch)
    assert [result["status"] for result in answer.json["results"]] == ["success"] * 3
    assert [path for path, _ in stored(box)] == ["/a", "/b"]


def test_ignored_events_are_still_checked(box: WholeBox) -> None:
    set_tracking(box, ignoredIps=["203.0.113.7"])
    assert box.post(f"/?client_id={box.sites['shop']}", {"path": "/"}).status == 400


def test_a_key_is_not_asked_for_origin_or_address(box: WholeBox) -> None:
    set_tracking(box, allowedOrigins=["*.app.net"], allowedIps=["198.51.100.9"], ignoredPaths=["/health"])
    event = {**VIEW, "websiteId": box.sites["shop"]}
    assert box.post("/track", event, key="all").status == 200
    assert box.post("/track", event | {"path": "/health"}, key="all").status == 200
    assert [path for path, _ in stored(box)] == ["/a"]


def test_a_cookieless_website_forgets_what_clients_call_themselves(box: WholeBox) -> None:  # semantics 7
    way = WAYS[0].format(box.sites["shop"])
    for name in ("a1", "a2"):
        box.post(way, {**VIEW, "anonymousId": name})
    set_tracking(box, visitorIdMode="cookieless")
    for name in ("a1", "a2"):
        box.post(way, {**VIEW, "anonymousId": name, "anonymizeVisitorIds": False, "sessionId": name})
    first, second, third, fourth = (visitor for _, visitor in stored(box))
    assert len({first, second, third}) == 3
    assert third == fourth
    assert [name for (name,) in ask(box, "select client_session from events order by id")][2:] == [0, 0]
    assert ask(box, "select count(*) from strings where value in ('a1', 'a2')") == [(0,)]
    # A server's event has nothing else to tell visitors apart, so it has none.
    box.post("/track", {"name": "paid", "path": "/p", "websiteId": box.sites["shop"], "anonymousId": "u"}, key="all")
    assert stored(box)[-1][1] == 0
