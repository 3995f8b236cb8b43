"""GET /px.jpg: one event in an address; a picture whatever was sent (wire 4.5)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analytics_box.base.errors import Unavailable
from analytics_box.ingest.pixel import fields
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.examples import examples
from tests.ingest.rows import count, rows
from tests.inprocess import Answer, WholeBox, whole_box

PAGE = "https://shop.example/pricing"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        yield made


def ask(box: WholeBox, event: dict[str, Any] | str = "", *, site: str | None = None, **headers: str) -> Answer:
    query = event if isinstance(event, str) else urlencode(event)
    answer = box.ask("GET", f"/px.jpg?client_id={site or box.sites['shop']}&{query}", headers=headers)
    assert "set-cookie" not in answer.headers
    return answer


def is_picture(answer: Answer) -> bool:
    return (
        answer.status == 200
        and answer.headers["content-type"] == "image/gif"
        and answer.headers["cache-control"].startswith("no-cache, no-store")
        and answer.headers["cross-origin-resource-policy"] == "cross-origin"
        and answer.body[:6] == b"GIF89a"
        and answer.body[6:10] == b"\x01\x00\x01\x00"
        and len(answer.body) == 43
    )


def test_a_page_view_with_everything_in_its_address(box: WholeBox) -> None:
    event = {
        "type": "track",
        "name": "screen_view",
        "path": PAGE + "?a=ü&b=1",
        "title": "Tëst & more",
        "anonymousId": "a",
        "viewport_size": "1280x720",
        "timestamp": str(box.clock.now() - 5_000),
        "anonymizeVisitorIds": "false",
        "properties": '{"plan":"pro","n":[1,2]}',
        "load_time": "812.5",
        "time_on_page": "",
        "eventId": "e1",
    }
    answer = ask(box, event)
    assert is_picture(answer)
    assert answer.headers["x-analytics-box"] == "stored=1"
    assert rows(box, "events", "path", "title", "viewport", "time", "properties") == [
        ("/pricing", "Tëst & more", "1280x720", box.clock.now() - 5_000, '{"plan":"pro","n":[1,2]}')
    ]
    assert rows(box, "vitals", "metric", "value") == [(11, 812.5)]
    again = ask(box, event)
    assert is_picture(again)
    assert again.headers["x-analytics-box"] == "dropped=1; reason=duplicate"


def test_fields_of_fields_are_written_with_brackets(box: WholeBox) -> None:
    assert is_picture(
        ask(box, {"name": "sign_up", "properties[plan]": "pro", "properties[lineno]": "12", "source": "mail"})
    )
    assert rows(box, "events", "name", "properties", "origin") == [("sign_up", '{"plan":"pro","lineno":"12"}', "mail")]
    assert is_picture(ask(box, {"type": "error", "payload[message]": "x is not a function", "payload[lineno]": "12"}))
    assert rows(box, "errors", "message", "line") == [("x is not a function", 12)]
    assert is_picture(ask(box, {"type": "web_vitals", "payload[lcp]": "1200.5", "payload[cls]": "0.1"}))
    assert is_picture(ask(box, {"type": "web_vitals", "metricName": "FCP", "metricValue": "9"}))
    assert rows(box, "vitals", "metric", "value") == [(2, 1200.5), (3, 0.1), (1, 9.0)]
    assert is_picture(ask(box, {"type": "outgoing_link", "href": "https://partner.example/", "text": "12"}))
    assert rows(box, "outgoing_links", "href", "text") == [("https://partner.example/", "12")]


WRONG = (
    ("", "invalid_schema"),
    ("name=", "invalid_schema"),
    ("name=%ff%fe", "invalid_schema"),
    ("name=x&timestamp=soon", "invalid_schema"),
    ("name=x&properties={", "invalid_schema"),
    ("name=x&properties=[1]", "invalid_schema"),
    ("name=x&properties=" + "[" * 3000, "invalid_schema"),
    ("name=x&properties[a]=1&properties=7", "invalid_schema"),
    ("name=x&properties=7&properties[a]=1", "invalid_schema"),
    ("name=x&a[b][c][d][e]=1", "invalid_schema"),
    ("name[x]=1", "invalid_schema"),
    ("name=screen_view", "invalid_schema"),
    ("name=screen_view&path=/a&load_time=fast", "invalid_schema"),
    ("name=screen_view&path=/a&load_time=NaN", "invalid_schema"),
    ("name=screen_view&path=/a&load_time=Infinity", "invalid_schema"),
    ("name=x&anonymizeVisitorIds=maybe", "invalid_schema"),
    ("&".join(f"a{number}=1" for number in range(300)), "missing_client_id"),  # of which 200 are read
    ("type=llm&name=x", "unknown_event_type"),
    ("type=error", "invalid_schema"),
    ("type=web_vitals&metricName=FID&metricValue=1", "invalid_schema"),
    ("type=web_vitals&lcp=-1", "invalid_schema"),
    ("type=outgoing_link&text=x", "invalid_schema"),
)


@each(("query", "reason"), WRONG, ids=lambda query, _: query[:50])
def test_invalid_event_is_answered_with_the_picture(box: WholeBox, query: str, reason: str) -> None:
    answer = ask(box, query)
    assert is_picture(answer)
    assert answer.headers["x-analytics-box"] == f"dropped=1; reason={reason}"
    assert count(box, "events") == count(box, "vitals") == count(box, "errors") == 0


def test_unauthorized_sender_gets_the_picture_and_stores_nothing(box: WholeBox) -> None:
    good = {"name": "x"}
    for answer, said in (
        (box.ask("GET", "/px.jpg?name=x"), "dropped=1; reason=missing_client_id"),
        (ask(box, good, site="unknown"), "dropped=1; reason=invalid_client_id"),
        (ask(box, good, origin="https://evil.example"), "dropped=1; reason=origin_not_authorized"),
    ):
        assert is_picture(answer)
        assert answer.headers["x-analytics-box"] == said
    assert count(box, "events") == 0
    assert is_picture(box.ask("GET", "/px.jpg?name=x", headers={"databuddy_client_id": box.sites["shop"]}))
    assert count(box, "events") == 1


def test_retryable_failure_is_answered_empty_with_its_status(tmp_path: Path) -> None:
    with whole_box(tmp_path / "a", adjust=lambda settings: msgspec.structs.replace(settings, limit_track=1)) as box:
        assert is_picture(ask(box, {"name": "x"}))
        limited = ask(box, {"name": "x"})
        assert (limited.status, limited.body, limited.headers["retry-after"]) == (429, b"", "60")
        box.clock.advance(seconds=60)
        box.box.events.db.close()
        broken = ask(box, {"name": "x"})
        assert (broken.status, broken.body, broken.headers["retry-after"]) == (503, b"", "5")
        assert broken.headers["x-analytics-box"] == "stored=0; reason=delivery_unavailable"
    assert Unavailable.status == 503


def test_asking_about_the_picture_counts_nothing(box: WholeBox) -> None:  # HEAD is safe, RFC 9110, 9.2.1
    target = f"/px.jpg?client_id={box.sites['shop']}&name=x&eventId=once"
    head = box.ask("HEAD", target)
    assert (head.status, head.body, head.headers["content-type"]) == (200, b"", "image/gif")
    assert head.headers["x-analytics-box"] == "stored=0; reason=head_request"
    assert count(box, "events") == 0
    assert box.ask("GET", target).headers["x-analytics-box"] == "stored=1"  # its eventId was not used up


def test_the_picture_is_asked_for_with_get(box: WholeBox) -> None:
    answer = box.ask("POST", f"/px.jpg?client_id={box.sites['shop']}&name=x")
    assert (answer.status, answer.json["code"], answer.headers["allow"]) == (405, "METHOD_NOT_ALLOWED", "GET")


def test_no_address_breaks_it(box: WholeBox) -> None:
    names = (
        "name",
        "type",
        "path",
        "properties",
        "properties[a]",
        "payload[message]",
        "timestamp",
        "lcp",
        "href",
        "[",
        "a[b",
    )
    values = (
        "",
        "1",
        "-1",
        "9" * 19,
        "9" * 400,
        "1e999",
        "NaN",
        "{",
        "[[[[",
        '{"a":"\\ud800"}',
        "%00",
        "%ff",
        "%ED%A0%80",
        "ü",
    )
    types = ("track", "error", "web_vitals", "outgoing_link", "custom", "x")
    pair = st.tuples(st.sampled_from(names), st.sampled_from((*values, *types)) | st.text(max_size=10))

    @examples(150, unchecked=HealthCheck)
    @given(pairs=st.lists(pair, max_size=6), raw=st.booleans())
    def check(pairs: list[tuple[str, str]], raw: bool) -> None:
        query = "&".join(f"{name}={value}" for name, value in pairs) if raw else urlencode(pairs)
        answer = ask(box, query.encode("utf-8", "replace").decode("latin-1"))
        assert is_picture(answer), answer
        assert answer.headers["x-analytics-box"].startswith(("stored=", "dropped=1; reason="))

    check()


def test_text_stays_text_and_numbers_become_numbers() -> None:
    found = fields(
        b"name=12&sessionId=34&timestamp=56&lcp=0.5&properties%5Bload_time%5D=7&scroll_depth=-3&=1&a%5B=2&%5Bb%5D=3"
    )
    assert found == {
        "name": "12",
        "sessionId": "34",
        "timestamp": 56,
        "lcp": 0.5,
        "properties": {"load_time": "7"},
        "scroll_depth": -3,
    }
