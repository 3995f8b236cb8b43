"""What clients may send, and hostile things that they send: decoded, cut or refused, never a crash (wire 4.2, 4.3)."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.base.errors import BoxError, BrokenBody, WrongTypes
from analytics_box.base.facts.event import Event, describe_attributes
from analytics_box.ingest import payload
from analytics_box.ingest.enrich import EventSender, EventTarget, understand
from analytics_box.ingest.payload import Incoming, InvalidEvent
from analytics_box.ingest.visitors import Salts
from analytics_box.web.body import decode
from analytics_box.web.recognition.agent import NOTHING
from tests.cases import each
from tests.examples import examples
from tests.inprocess import NOON

SALTS = Salts(day=NOON // DAY, today=b"t" * 32, yesterday=b"y" * 32, history=str.encode)
BROWSER = EventSender(network="203.0.113.7", user_agent="x", agent=NOTHING, language="", bot="", by_key=False)
SERVER = EventSender(network="203.0.113.7", user_agent="x", agent=NOTHING, language="", bot="", by_key=True)
DEEP = "[" * 100_000


def taken(content: bytes | dict[str, Any], sender: EventSender = BROWSER) -> Event:
    """The fact that a body becomes; raises what it is refused with."""
    sent = content if isinstance(content, bytes) else msgspec.json.encode(content)
    return understand(
        decode(payload.ONE.decode, sent), target=EventTarget(1, "shop.example"), sender=sender, salts=SALTS, now=NOON
    )


BROKEN = (
    b"",
    b"\x00",
    b"{",
    b'{"name":',
    b'{"name":"a"',
    b'{"name":"a"} {}',
    b"{'name':'a'}",
    b'{"name":"a",}',
    b'{"name":NaN}',
    b'{"name":"a","timestamp":NaN}',
    b'{"name":"a","timestamp":Infinity}',
    b'{"name":"a\x01b"}',
    b'{"name":"\xff\xfe"}',
    b'{"name":"a","other":"\xc3\x28"}',
    b'{"name":"\xed\xa0\x80"}',
    b'\xef\xbb\xbf{"name":"a"}',
    '{"name":"a"}'.encode("utf-16"),
    DEEP.encode(),
    f'{{"name":"a","properties":{{"x":{DEEP}'.encode(),
    f'{{"name":"a","other":{DEEP}'.encode(),
)


@each("sent", BROKEN, ids=lambda sent: repr(sent[:40]))
def test_invalid_json_is_refused(sent: bytes) -> None:
    with pytest.raises(BrokenBody):
        taken(sent)


# Fields with values of another type than theirs.
WRONG: tuple[dict[str, Any], ...] = (
    {},
    {"name": None},
    {"name": 7},
    {"name": ["a"]},
    {"name": ""},
    {"name": "x" * 257},
    {"name": "a", "properties": "x"},
    {"name": "a", "properties": [1]},
    {"name": "a", "properties": {"k" * 129: 1}},
    {"name": "a", "properties": {str(number): number for number in range(51)}},
    {"name": "a", "properties": {str(number): number for number in range(10_000)}},
    {"name": "a", "timestamp": True},
    {"name": "a", "timestamp": {}},
    {"name": "a", "timestamp": 1.5},
    {"name": "a", "anonymousId": 7},
    {"name": "a", "anonymousId": "x" * 257},
    {"name": "a", "sessionId": "x" * 257},
    {"name": "a", "websiteId": "x" * 256},
    {"name": "a", "eventId": "x" * 513},
    {"name": "a", "namespace": "x" * 65},
    {"name": "a", "anonymizeVisitorIds": "false"},
    {"name": "a", "anonymizeVisitorIds": 0},
    {"name": "a", "path": "/" + "x" * 8_192},
    {"name": "a", "title": {"text": "x"}},
    {"name": "a", "time_on_page": "12"},
)


@each("sent", WRONG, ids=lambda sent: json.dumps(sent)[:50])
def test_another_type_or_size_is_refused(sent: dict[str, Any]) -> None:
    with pytest.raises(WrongTypes):
        taken(sent)


def nested(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {"end": 1}
    for _ in range(levels - 1):
        found = {"in": found}
    return found


INVALID: tuple[tuple[dict[str, Any], str], ...] = (
    ({"name": "screen_view"}, "path"),
    ({"name": "page_exit", "path": None}, "path"),
    ({"name": " \x00 "}, "name"),
    ({"name": "\u202e\u2066"}, "name"),
    ({"name": "a", "properties": nested(9)}, "properties"),
    ({"name": "a", "properties": {"list": [[[[[[[[[1]]]]]]]]]}}, "properties"),
    ({"name": "a", "properties": {"text": "x" * 33_000}}, "properties"),
    ({"name": "a", "properties": {str(number): "é" * 400 for number in range(50)}}, "properties"),
    ({"name": "a", "timestamp": "yesterday"}, "timestamp"),
    ({"name": "a", "timestamp": "2026-02-30T00:00:00Z"}, "timestamp"),
    ({"name": "a", "timestamp": ""}, "timestamp"),
)


@pytest.mark.parametrize(("sent", "field"), INVALID, ids=lambda value: str(value)[:50])
def test_an_event_that_makes_no_sense_is_refused_by_its_field(sent: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidEvent) as refused:
        taken(sent)
    assert refused.value.detail.field == field


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        (b'{"name":"a","name":"b"}', "b"),
        (b'{"name":"a","constructor":1,"__proto__":{"x":1}}', "a"),
        (b'{"name":"\\ud800a"}', "a"),
        ('{"name":"köp ✓ 😀"}'.encode(), "köp ✓ 😀"),
        (b'{"name":"a\\u0000b\\u001fc"}', "abc"),
        (b'{"name":"\\u202ea\\u2069"}', "a"),
        (b'{"name":"  a   b  "}', "a b"),
        (b'{"name":"\'; drop table events;--"}', "'; drop table events;--"),
        (b'{"name":"<script>alert(1)</script>"}', "<script>alert(1)</script>"),
        (b'  {"name":"a"}\n', "a"),
    ],
)
def test_unusual_json_is_taken_and_its_text_is_cleaned(sent: bytes, name: str) -> None:
    try:
        assert taken(sent).name == name
    except BrokenBody:
        assert b"ud800" in sent, "only half a character may be refused"


def test_null_is_as_good_as_absent() -> None:
    fields = [field for field in Incoming.__struct_fields__ if field != "name"]
    given = {"name": "a", **dict.fromkeys(fields)}
    assert taken(given) == taken({"name": "a"})


def test_properties_may_be_8_levels_and_32_kilobytes() -> None:
    assert json.loads(taken({"name": "a", "properties": nested(8)}).properties or "") == nested(8)
    assert taken({"name": "a", "properties": {"text": "x" * 32_000}}).properties
    assert taken({"name": "a", "properties": {}}).properties is None


# Who sends it, the time in it relative to now, and the time that counts relative to now; None is a refusal.
TIMES: tuple[tuple[EventSender, int, int | None], ...] = (
    (BROWSER, 0, 0),
    (BROWSER, -DAY, -DAY),
    (BROWSER, -DAY - 1, 0),
    (BROWSER, 1, 0),
    (BROWSER, 5 * MINUTE, 0),
    (BROWSER, -NOON, 0),
    (BROWSER, 10**17, 0),
    (SERVER, -365 * DAY, -365 * DAY),
    (SERVER, 1, 0),
    (SERVER, HOUR, 0),
    (SERVER, HOUR + 1, None),
    (SERVER, 946_684_800_000 - NOON, 946_684_800_000 - NOON),
    (SERVER, 946_684_799_999 - NOON, None),
    (SERVER, 10**17, None),
)


@pytest.mark.parametrize(("sender", "sent", "counts"), TIMES, ids=str)
def test_a_browsers_impossible_time_is_now_and_a_servers_is_refused(
    sender: EventSender, sent: int, counts: int | None
) -> None:  # semantics 1, wire 0
    content = {"name": "a", "timestamp": NOON + sent}
    if counts is None:
        with pytest.raises(InvalidEvent):
            taken(content, sender)
    else:
        assert taken(content, sender).time == NOON + counts


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-06-17T11:59:00Z", NOON - MINUTE),
        ("2026-06-17T13:59:00+02:00", NOON - MINUTE),
        ("2026-06-17T11:59:00", NOON - MINUTE),
        ("2026-06-17 11:59:00.250Z", NOON - MINUTE + 250),
        ("2026-06-17", NOON - 12 * HOUR),
    ],
)
def test_a_time_may_be_iso_text(text: str, instant: int) -> None:
    assert taken({"name": "a", "timestamp": text}).time == instant


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_no_crash(text: str) -> None:
    assert taken({"name": "a", "timestamp": text}).time == NOON
    with pytest.raises(InvalidEvent):
        taken({"name": "a", "timestamp": text}, SERVER)


def test_senders_that_count_as_the_same_visitor() -> None:  # semantics 7
    anonymous, named = taken({"name": "a"}), taken({"name": "a", "anonymousId": "me"})
    kept = taken({"name": "a", "anonymousId": "me", "anonymizeVisitorIds": False})
    server = taken({"name": "a"}, SERVER)
    assert len({anonymous.visitor, named.visitor, kept.visitor}) == 3
    assert server.visitor == 0, "a server's event without a client id has no visitor"
    assert taken({"name": "a", "anonymousId": "me"}, SERVER).visitor == named.visitor
    assert kept.yesterday == kept.visitor, "an id that is kept is the same on every day"
    assert anonymous.yesterday not in {0, anonymous.visitor}
    late = taken({"name": "a", "timestamp": NOON - 13 * HOUR})
    assert late.visitor == anonymous.yesterday, "an event of yesterday has yesterday's id"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
fields = st.sampled_from([*Incoming.__struct_fields__, "unknown", ""])


@examples(120)
@given(st.dictionaries(fields, values), st.sampled_from((BROWSER, SERVER)))
def test_any_json_is_taken_or_refused(given_fields: dict[str, Any], sender: EventSender) -> None:
    sent = json.dumps({"name": "a", **given_fields}).encode()
    try:
        event = taken(sent, sender)
    except (BoxError, InvalidEvent):
        return
    for text in (
        event.name,
        event.path,
        event.query_string,
        event.title,
        event.client_session,
        *describe_attributes(event),
    ):
        text.encode("utf-8")
    assert 0 <= event.time < 2**53
    assert 0 <= event.visitor < 2**62
    assert event.scroll is None or 0 <= event.scroll <= 100


@examples(200)
@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(sent: bytes) -> None:
    try:
        taken(sent)
    except (BrokenBody, WrongTypes, InvalidEvent):
        return
    pytest.fail("random bytes are no event")
