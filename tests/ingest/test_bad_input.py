"""Hostile bodies on every event route: a clear 4xx in the ingest shape, and nothing stored.

What only describes a page is cleaned instead; those cases stand in the second half.
"""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.facts.tables import FACT_NAMES
from analytics_box.ingest import prepared
from analytics_box.ingest.routes import ADDRESSES
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import examples
from tests.ingest.rows import count, rows
from tests.inprocess import NOON, Answer, WholeBox, whole_box

# Bodies of other products' scripts have forms of their own: tests/contract/test_compatible_scripts.py. So have requests
# of AI agents and calls of MCP servers: tests/ingest.
POSTS = [
    path
    for method, path in ADDRESSES
    if method == "POST" and path not in {"/ai-traffic", "/mcp"} and not path.startswith("/api/")
]
SHOP = "https://shop.example/"
GOOD: dict[str, dict[str, Any]] = {
    "/track": {"name": "sign_up", "path": SHOP},
    "/": {"name": "screen_view", "path": SHOP},
    "/batch": {"name": "screen_view", "path": SHOP},
    "/vitals": {"metricName": "LCP", "metricValue": 1.5, "path": SHOP},
    "/errors": {"message": "x is not a function", "path": SHOP},
    "/events": {"eventName": "sign_up", "path": SHOP},
    "/engagement": {"timeOnPage": 100, "path": SHOP},
    "/identify": {"profileId": "ada"},
}
LISTS = {"/batch", "/vitals", "/errors", "/events", "/engagement"}
# The field that each route is about, and whether it is a text.
MAIN = {
    "/track": "name",
    "/": "name",
    "/batch": "name",
    "/vitals": "metricValue",
    "/errors": "message",
    "/events": "eventName",
    "/engagement": "timeOnPage",
    "/identify": "profileId",
}
DEEP = b"[" * 100_000
DEEP_OBJECT = b'{"a":' * 100_000


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("box") / "data", adjust=unlimited) as made:
        yield made


def wrapped(path: str, item: bytes) -> bytes:
    return b"[" + item + b"]" if path in LISTS else item


def send(box: WholeBox, path: str, body: bytes, **headers: str) -> Answer:
    given = {"content_type": "application/json", "origin": "https://shop.example", **headers}
    return box.ask("POST", f"{path}?client_id={box.sites['shop']}", headers=given, body=body)


def stored(box: WholeBox) -> dict[str, int]:
    return {table: count(box, table) for table in FACT_NAMES} | {"profiles": len(rows_of_people(box))}


def rows_of_people(box: WholeBox) -> list[object]:
    return box.box.events.db.read_now(lambda db: [*db.execute("select profile from profiles").fetchall()])


def check_refused(answer: Answer, path: str) -> None:
    """A whole refusal, or in a batch the item's."""
    if path == "/batch" and answer.status == 200:
        (verdict,) = answer.json["results"]
        assert verdict["status"] == "error"
        assert verdict["code"] == "INVALID_EVENT_SCHEMA"
        assert verdict["errors"][0]["message"]
        return
    assert 400 <= answer.status < 500, answer.body
    body = answer.json
    assert body["success"] is False
    assert body["status"] == "error"
    assert body["error"] == body["message"]
    assert body["code"]
    assert body["retryable"] is (answer.status in {408, 425, 429})
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"
    assert answer.headers["x-analytics-box"].startswith(("dropped=1; reason=", "stored=0; reason="))
    assert "Traceback" not in answer.body.decode()


def spoiled(path: str) -> dict[str, bytes]:
    """Bodies that no route takes, by what is wrong with them."""
    good = json.dumps(GOOD[path]).encode()
    main = MAIN[path]
    rest = json.dumps({name: value for name, value in GOOD[path].items() if name != main})[1:-1].encode()
    rest = b"," + rest if rest else b""

    def with_main(value: bytes) -> bytes:
        return wrapped(path, b'{"' + main.encode() + b'":' + value + rest + b"}")

    def with_field(name: str, value: bytes) -> bytes:
        return wrapped(path, good[:-1] + b',"' + name.encode() + b'":' + value + b"}")

    found = {
        "nothing": b"",
        "a zero byte": b"\x00",
        "half an object": wrapped(path, good)[:-3],
        "two documents": wrapped(path, good) + wrapped(path, good),
        "a trailing comma": wrapped(path, good[:-1] + b",}"),
        "single quotes": wrapped(path, good.replace(b'"', b"'")),
        "a byte order mark": b"\xef\xbb\xbf" + wrapped(path, good),
        "UTF-16": wrapped(path, good).decode().encode("utf-16"),
        "a form": b"name=sign_up",
        "XML": b"<event/>",
        "NaN": with_main(b"NaN"),
        "Infinity": with_main(b"-Infinity"),
        "a number out of every range": with_main(b"1e999"),
        "null": with_main(b"null") if path != "/engagement" else with_main(b"[]"),
        "a list": with_main(b"[1]"),
        "an object": with_main(b'{"a":1}'),
        "true": with_main(b"true"),
        "a raw control character": with_field("title", b'"a\x01b"'),
        "invalid UTF-8 in a field": with_field("sessionId", b'"\xff\xfe"'),
        "invalid UTF-8 in an unknown field": with_field("whatever", b'"\xc3\x28"'),
        "an encoded surrogate": with_field("whatever", b'"\xed\xa0\x80"'),
        "a deep list": with_field("whatever", DEEP),
        "a deep object": with_field("whatever", DEEP_OBJECT),
        "deep at once": DEEP,
        "a wrong type of a common field": with_field("anonymousId", b"7"),
        "an id that is too long": with_field("anonymousId", b'"' + b"x" * 257 + b'"'),
        "an id of the person that is too long": with_field("profileId", b'"' + b"x" * 129 + b'"'),
        "a time of the wrong type": with_field("timestamp", b"{}"),
        "a time that is no time": with_field("timestamp", b'"soon"'),
        "neither yes nor no": with_field("anonymizeVisitorIds", b'"maybe"'),
    }
    if path == "/identify":
        for name in ("a time of the wrong type", "a time that is no time", "invalid UTF-8 in a field"):
            del found[name]
    if path in {"/track", "/", "/batch", "/events"}:
        found |= {
            "an empty name": with_main(b'""'),
            "an invisible name": with_main(b'"\\u202e\\u0000 "'),
            "a name of 10,000 characters": with_main(b'"' + b"x" * 10_000 + b'"'),
            "10,000 properties": with_field(
                "properties", json.dumps(dict.fromkeys(map(str, range(10_000)), 1)).encode()
            ),
            "properties that are a list": with_field("properties", b"[1]"),
            "properties of too many bytes": with_field("properties", json.dumps({"a": "x" * 40_000}).encode()),
            "properties that are too deep": with_field("properties", b'{"a":' + b"[" * 9 + b"]" * 9 + b"}"),
            "a property's name of 129 characters": with_field("properties", json.dumps({"k" * 129: 1}).encode()),
        }
    return found


CASES = [(path, name) for path in POSTS for name in spoiled(path)]


@each(("path", "name"), CASES)
def test_a_spoiled_body_is_refused_and_leaves_nothing(box: WholeBox, path: str, name: str) -> None:
    before = stored(box)
    check_refused(send(box, path, spoiled(path)[name]), path)
    assert stored(box) == before


@each(("path", "encoding"), product(POSTS, ["gzip", "br", "deflate"]))
def test_a_compressed_body_is_refused(box: WholeBox, path: str, encoding: str) -> None:
    before = stored(box)
    answer = send(box, path, b"\x1f\x8b\x08", content_encoding=encoding)
    assert answer.status == 415
    check_refused(answer, path)
    assert stored(box) == before


@each(
    ("path", "kind"),
    product(POSTS, ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "image/png", ""]),
)
def test_whatever_it_is_called_the_body_is_read_as_json(box: WholeBox, path: str, kind: str) -> None:  # wire 4.1
    good = wrapped(path, json.dumps(GOOD[path]).encode())
    assert send(box, path, good, content_type=kind).status == 200
    check_refused(send(box, path, b"name=sign_up", content_type=kind), path)


@pytest.mark.parametrize("path", POSTS)
def test_oversized_body_is_refused(box: WholeBox, path: str) -> None:
    answer = send(box, path, b" " * 1_048_577)
    assert answer.status == 413
    assert answer.json["code"] in {
        "TRACK_PAYLOAD_TOO_LARGE",
        "INGEST_PAYLOAD_TOO_LARGE",
        "INGEST_ERRORS_BODY_TOO_LARGE",
    }


# What is cleaned instead of refused, because a page view must not be lost over it.


def test_invisible_characters_are_removed(box: WholeBox) -> None:
    name = "sign\u202e_\u0000up\u2066  \U0001f600 \ud83d\ude00 "
    body = json.dumps({"name": name, "sessionId": "a\u0007b", "properties": {"k\u202e": "v\u0000"}}).encode()
    assert send(box, "/track", body).status == 200
    assert rows(box, "events", "name", "client_session", "properties")[-1] == (
        "sign_up \U0001f600 \U0001f600",
        "ab",
        '{"k\u202e":"v\\u0000"}',
    )


@pytest.mark.parametrize("path", POSTS)
def test_a_lone_surrogate_is_never_stored(box: WholeBox, path: str) -> None:
    answer = send(box, path, wrapped(path, json.dumps(GOOD[path])[:-1].encode() + b',"sessionId":"a\\ud800b"}'))
    assert answer.status in {200, 400}
    for table in FACT_NAMES:
        for (session,) in rows(box, table, "client_session"):
            session.encode("utf-8")


def test_of_equal_keys_the_last_counts(box: WholeBox) -> None:
    assert send(box, "/track", b'{"name":"first","name":"second","properties":{"a":1,"a":2}}').status == 200
    assert rows(box, "events", "name", "properties")[-1] == ("second", '{"a":2}')
    before = stored(box)
    assert send(box, "/track", b'{"name":"first","name":7}').status == 400
    assert stored(box) == before


@each(
    ("time", "path"),
    product(
        [-1, 0, -(2**63), 2**63 - 1, 10**30, NOON + 6 * 60_000, NOON - 25 * 3_600_000],
        ["/track", "/", "/vitals", "/errors", "/events", "/engagement"],
    ),
)
def test_an_impossible_time_of_a_page_becomes_the_arrival(box: WholeBox, path: str, time: int) -> None:  # semantics 1
    answer = send(box, path, wrapped(path, json.dumps({**GOOD[path], "timestamp": time}).encode()))
    assert answer.status == 200, answer.body
    table = {"/vitals": "vitals", "/errors": "errors", "/engagement": "engagement"}.get(path, "events")
    assert rows(box, table, "time")[-1] == (NOON,)


def test_fifty_properties_are_taken(box: WholeBox) -> None:
    body = json.dumps({"name": "many", "properties": dict.fromkeys(map(str, range(50)), None)}).encode()
    assert send(box, "/track", body).status == 200


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("path", POSTS)
def test_nothing_that_is_json_breaks_a_route(box: WholeBox, path: str) -> None:
    names = [
        *GOOD[path],
        *("timestamp", "type", "payload", "eventId", "properties", "traits", "referrer", "utm_source"),
    ]

    @examples(40, unchecked=HealthCheck)
    @given(changed=st.dictionaries(st.sampled_from(names), anything, max_size=4), whole=st.none() | anything)
    def ask(changed: dict[str, Any], whole: Any) -> None:
        item = whole if whole is not None else {**GOOD[path], **changed}
        answer = send(box, path, wrapped(path, json.dumps(item).encode()))
        assert answer.status in {200, 204, 400, 413}, answer.body
        if answer.status != 200:
            check_refused(answer, path)

    ask()


@pytest.mark.parametrize("path", POSTS)
def test_nothing_that_is_bytes_breaks_a_route(box: WholeBox, path: str) -> None:
    before = stored(box)

    @examples(40, unchecked=HealthCheck)
    @given(body=st.binary(max_size=200))
    def ask(body: bytes) -> None:
        answer = send(box, path, body)
        if path in LISTS and body.strip() == b"[]":
            return
        assert answer.status in {400, 413}, (body, answer.body)

    ask()
    assert stored(box) == before


def test_query_of_thousands_of_parameters_is_not_read(box: WholeBox) -> None:
    body, site = json.dumps(GOOD["/track"]).encode(), box.sites["shop"]
    for number, status in ((150, 200), (15_000, 401)):
        target = f"/track?website_id={site}" + "&a=b" * number
        assert box.ask("POST", target, headers={"origin": "https://shop.example"}, body=body).status == status


def test_long_origin_is_echoed_and_not_remembered() -> None:
    before = prepared._known_cors.cache_info().currsize
    assert (b"access-control-allow-origin", b"x" * 60_000) in prepared.cors(b"x" * 60_000)
    assert prepared._known_cors.cache_info().currsize == before


def test_after_all_that_an_event_is_taken_as_ever(box: WholeBox) -> None:
    before = count(box, "events")
    assert send(box, "/track", json.dumps(GOOD["/track"]).encode()).status == 200
    assert count(box, "events") == before + 1
