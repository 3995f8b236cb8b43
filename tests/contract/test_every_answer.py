"""What every answer has, whatever was asked: a request id, the headers of security, and the same for HEAD."""

import re

from analytics_box.app.routes import TABLE
from analytics_box.ingest.routes import ADDRESSES
from tests.cases import each
from tests.inprocess import WholeBox

ASKED = sorted({(route.method, re.sub(r"\{.*?\}", "nothing", route.path)) for route in TABLE})
EVENTS = [*ADDRESSES, *(("OPTIONS", path) for method, path in ADDRESSES if method == "POST")]
FLAGS = [(method, f"/public/v1/flags/{name}") for name in ("evaluate", "bulk", "health") for method in ("GET", "POST")]
UNKNOWN = [("GET", "/nowhere"), ("DELETE", "/v1/query"), ("PATCH", "/track"), ("POST", "/%ff%00")]
STATIC = "/static/nothing"
# Their content is fixed by the specification or by a standard; the id stands in the header only.
DOCUMENTS = ("/health", "/openapi.json", "/.well-known/")


@each(("method", "path"), [*ASKED, *EVENTS, *FLAGS, *UNKNOWN])
def test_every_answer_has_a_request_id_and_the_headers_of_security(box: WholeBox, method: str, path: str) -> None:
    answer = box.ask(method, path, headers={"origin": "http://localhost"})
    assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "referrer-policy" in answer.headers
    assert "server" not in answer.headers
    assert answer.status < 500, answer.body
    document = path.startswith(
        ("/health", "/.well-known/", "/openapi", "/public/v1/flags/health")
    )  # whose content is prescribed
    if answer.body and answer.headers["content-type"] == "application/json" and not document:
        assert answer.headers["x-request-id"].encode() in answer.body


@each("path", sorted({path for _, path in ASKED} - {"/"}))  # where events are posted, too
def test_every_address_tells_which_methods_it_takes(box: WholeBox, path: str) -> None:
    taken = {method for method, asked in ASKED if asked == path} | {"OPTIONS"}
    answer, refused = box.ask("OPTIONS", path), box.ask("PUT" if "DELETE" in taken else "DELETE", path)
    assert (answer.status, answer.body, refused.status) == (204, b"", 405)
    for said in (answer, refused):
        assert {*said.headers["allow"].split(", ")} == taken


def test_no_two_requests_share_an_id(box: WholeBox) -> None:
    assert len({box.get("/health", x_request_id="mine").headers["x-request-id"] for _ in range(50)}) == 50


def test_health_says_ok_and_nothing_else(box: WholeBox) -> None:  # spec 1, wire 0
    answer = box.get("/health")
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')
    assert answer.headers["content-type"] == "application/json"


@each("path", sorted({path for method, path in ASKED if method == "GET"} - {STATIC}))
def test_head_is_answered_like_get_without_its_body(box: WholeBox, path: str) -> None:
    varying = {"x-request-id", "content-length"} if path.startswith("/v1") else {"x-request-id"}
    get, head = box.get(path), box.ask("HEAD", path)
    assert head.body == b""
    assert head.status == get.status
    for name, value in get.headers.items():
        assert name in varying or head.headers[name] == value, name


def test_the_tracker_may_be_loaded_by_any_site(box: WholeBox) -> None:  # wire 5.1
    for path in ("/script.js", "/databuddy.js", "/databuddy-debug.js", "/parts.js", "/parts/rules.js"):
        answer = box.get(path)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/javascript")
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        again = box.get(path, if_none_match=answer.headers["etag"])
        assert (again.status, again.body) == (304, b"")


def test_nothing_but_events_and_the_tracker_is_open_to_other_sites(box: WholeBox) -> None:  # security: CORS
    for path in ("/health", "/v1/query/types", "/sites", "/sign-in"):
        assert "access-control-allow-origin" not in box.get(path, origin="https://evil.example").headers


def test_a_refusal_is_a_page_for_people_and_json_for_programs(box: WholeBox) -> None:
    page, program = box.get("/nowhere", accept="text/html,*/*"), box.get("/nowhere")
    assert (page.status, program.status) == (404, 404)
    assert page.headers["content-type"].startswith("text/html")
    assert program.json["code"] == "NOT_FOUND"


def test_a_request_without_host_is_refused(box: WholeBox) -> None:  # security: host
    answer = box.get("/health", host="")
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")
