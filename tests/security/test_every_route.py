"""Every address of the table against the house's rules: forged requests, host names, other sites' scripts."""

import re
from collections.abc import Iterator

import msgspec
import pytest

from analytics_box.app.routes import TABLE
from analytics_box.base.settings import Settings
from analytics_box.ingest.routes import ADDRESSES
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import is_thorough, some
from tests.inprocess import WholeBox, whole_box

ALL = sorted({(route.method, re.sub(r"\{.*?\}", "nothing", route.path)) for route in TABLE})
POSTS = [path for method, path in ALL if method == "POST"]
EVENTS = [path for method, path in ADDRESSES if method == "POST"]
ITEMS = {  # what the routes of pages take
    "/batch": b'[{"name": "x"}]',
    "/vitals": b'[{"metricName": "LCP", "metricValue": 1}]',
    "/errors": b'[{"message": "x"}]',
    "/events": b'[{"eventName": "x"}]',
    "/engagement": b"[{}]",
    "/identify": b'{"profileId": "x"}',
    "/ai-traffic": b'{"websiteId": "SHOP", "host": "shop.example", "path": "/", "userAgent": "GPTBot/1.2"}',
    "/api/event": b'{"n": "x", "u": "https://shop.example/"}',
    "/api/send": b'{"type": "event", "payload": {"name": "x", "url": "/"}}',
}
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PAGES = {re.sub(r"\{.*?\}", "nothing", route.path) for route in TABLE if route.page}
OPEN = (
    "/script.js",
    "/databuddy",
    "/parts.js",
    "/.well-known/",
    "/public/v1/flags",
)  # to scripts of every site (security: CORS)
MCP = "/v1/mcp"  # Its specification refuses pages of other sites, whatever they send.
BLIND = {re.sub(r"\{.*?\}", "nothing", route.path) for route in TABLE if route.by_key} - {MCP}  # to cookies
ELSEWHERE = "https://elsewhere.example"
OF_ALL_KINDS = [
    *ALL,
    *ADDRESSES,
    ("GET", "/l/none"),
    ("POST", "/status/none"),
    ("GET", "/status/none"),
    ("GET", "/none"),
]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made


@pytest.fixture(scope="module")
def cookie(box: WholeBox) -> str:
    return box.cookie


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box that knows its own name and is reached over https."""

    def adjust(settings: Settings) -> Settings:
        return msgspec.structs.replace(unlimited(settings), base_url="https://stats.example.com")

    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=adjust) as made:
        yield made


def post(box: WholeBox, path: str, **headers: str) -> tuple[int, bytes]:
    content = (FORM, b"") if path in PAGES else (JSON, b"{}")
    answer = box.ask("POST", path, headers={"content_type": content[0], **headers}, body=content[1])
    return answer.status, answer.body


FORGED = (
    {"sec_fetch_site": "cross-site", "origin": ELSEWHERE},
    {"sec_fetch_site": "same-site", "origin": "https://other.localhost"},
    {"sec_fetch_site": "cross-site"},
    {"origin": ELSEWHERE},
    {"origin": "null"},
    {"origin": "http://localhost.evil.example"},
    {"sec_fetch_site": "nonsense", "origin": "http://localhost"},
)


def forged(turn: int) -> list[dict[str, str]]:
    """Requests of other sites, of which an ordinary run sends three to each address."""
    return [headers for number, headers in enumerate(FORGED) if is_thorough() or (number + turn) % 7 < 3]


@each(("turn", "path"), enumerate(POSTS))
def test_cross_site_request_with_a_cookie_is_refused(box: WholeBox, cookie: str, turn: int, path: str) -> None:
    for headers in forged(turn):
        status, body = post(box, path, cookie=cookie, **headers)
        assert status == (401 if path in BLIND else 403), (headers, body)


@each(("turn", "path"), enumerate(path for path in POSTS if path in PAGES))
def test_cross_site_form_without_a_cookie_is_refused(box: WholeBox, turn: int, path: str) -> None:
    for headers in forged(turn):
        assert post(box, path, **headers)[0] in {403, 303}, headers


HOSTILE = ("http://[::1", "http://[::1]:x/", "http://\xff\xfe", "//[", "null", "a" * 4_000, "http://a:99999999/", "\t")


@each(("turn", "method", "path"), [(turn, *line) for turn, line in enumerate(OF_ALL_KINDS)])
def test_arbitrary_request_headers_never_cause_an_error(
    box: WholeBox, cookie: str, turn: int, method: str, path: str
) -> None:
    for number, text in enumerate(HOSTILE):
        if not is_thorough() and (turn + number) % 4 and number:
            continue
        said = dict.fromkeys(("origin", "referer", "hx_current_url", "accept_language", "if_none_match"), text)
        for more in ({}, {"cookie": cookie}, {"hx_request": "true", "cookie": cookie}):
            headers = {"content_type": FORM if path in PAGES else JSON, "accept": "text/html", **said, **more}
            body = b"theme=light&back=http://[::1" if path in PAGES else ITEMS.get(path, b"{}")
            answer = box.ask(method, path, headers=headers, body=body)
            assert answer.status < 500, (text, more, answer.body)


@each("path", [path for path in POSTS if path not in PAGES and path != MCP])
def test_an_api_key_may_come_from_any_page_whatever_the_cookie_says(box: WholeBox, cookie: str, path: str) -> None:
    own = post(box, path, x_api_key=box.keys["all"])
    from_elsewhere = post(box, path, x_api_key=box.keys["all"], cookie=cookie, **FORGED[0])
    assert own[0] == from_elsewhere[0]
    assert b"another site" not in from_elsewhere[1]


@pytest.mark.parametrize("path", [path for path in EVENTS if path != "/mcp"])  # Spans come from servers, with a key.
def test_events_read_no_cookie(box: WholeBox, cookie: str, path: str) -> None:
    event = ITEMS.get(path, b'{"name": "x"}').replace(b"SHOP", box.sites["shop"].encode())
    target = f"{path}?client_id={box.sites['shop']}"
    headers = {"content_type": JSON, "cookie": cookie, "origin": "https://shop.example", "sec_fetch_site": "cross-site"}
    answer = box.ask("POST", target, headers=headers, body=event)
    assert answer.status in {200, 202}
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert answer.headers["vary"] == "Origin"
    assert "set-cookie" not in answer.headers


@each(("method", "path"), ALL)
def test_only_the_tracker_and_discovery_are_open_to_scripts_of_other_sites(
    box: WholeBox, cookie: str, method: str, path: str
) -> None:
    answer = box.ask(method, path, headers={"origin": ELSEWHERE, "cookie": cookie, "content_type": JSON}, body=b"{}")
    if path.startswith(OPEN):
        assert answer.headers["access-control-allow-origin"] == "*"
    elif (method, path) != ("POST", "/"):
        assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-credentials" not in answer.headers


@each(("method", "path"), [*ALL, *(("POST", path) for path in EVENTS)])
def test_an_unknown_host_name_is_misdirected_everywhere(named: WholeBox, method: str, path: str) -> None:
    hosts = {
        "evil.example": 421,
        "stats.example.com.evil.example": 421,
        "[::2]": 421,
        "stats.example.com@evil.example": 400,
    }
    for host, status in hosts.items():
        answer = named.ask(method, path, headers={"host": host, "content_type": JSON}, body=b"{}")
        assert answer.status == status, host
        assert b"evil" not in answer.body


@each(("method", "path"), some(ALL, len(ALL) // 2))
def test_over_https_every_answer_pins_it_and_no_page_of_a_person_is_stored(
    named: WholeBox, method: str, path: str
) -> None:
    headers = {"host": "stats.example.com", "content_type": JSON, "cookie": named.cookie}
    answer = named.ask(method, path, headers=headers, body=b"{}")
    assert answer.headers["strict-transport-security"].startswith("max-age=")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    if path in PAGES or path.startswith(("/v1/", "/rpc/")) or method == "POST":
        assert answer.headers["cache-control"] == "no-store"
