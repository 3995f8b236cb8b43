"""What feature flags gave visitors: custom events that say so leave a row of flag_exposures beside their own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.ingest import exposures
from tests.cases import each
from tests.ingest.rows import count, rows
from tests.ingest.test_spans import VIEW, WHO, send
from tests.inprocess import WholeBox, whole_box

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
SEEN = {**WHO, "name": "$flag_evaluated"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data") as made:
        yield made


def of(**properties: Any) -> dict[str, Any]:
    return {**SEEN, "properties": properties}


@each(
    ("properties", "seen"),
    [
        (None, None),
        ({}, None),
        ({"flag": ""}, None),
        ({"flag": 7, "variant": "a"}, None),
        ({"flag": "price"}, ("price", "(none)")),
        ({"flag": "price", "variant": "high", "value": 12}, ("price", "high")),
        ({"flag": "price", "variant": None, "value": True, "enabled": True}, ("price", "true")),
        ({"flag": "price", "value": False}, ("price", "false")),
        ({"flag": "price", "enabled": False}, ("price", "false")),
        ({"flag": "price", "value": 12}, ("price", "12")),
        ({"flag": "price", "value": 1.5}, ("price", "1.5")),
        ({"flag": "price", "value": "red", "variant": ""}, ("price", "red")),
        ({"flag": "price", "value": ""}, ("price", "(empty)")),
        ({"flag": "price", "value": {"size": [1, 2]}}, ("price", '{"size":[1,2]}')),
        ({"flag": "price", "value": ["x" * 200]}, ("price", "(value)")),
        ({"flag": "p\u202erice\n" + "e" * 200, "value": "v" * 200}, (("price" + "e" * 200)[:128], "v" * 128)),
    ],
)
def test_the_variant_is_the_one_that_was_given_else_the_value_as_text(
    properties: dict[str, Any] | None, seen: tuple[str, str] | None
) -> None:
    assert exposures.of(properties) == seen


@pytest.mark.parametrize("path", ["/", "/track"])
def test_an_exposure_is_a_custom_event_with_a_row_beside_it_of_the_same_session(box: WholeBox, path: str) -> None:
    send(box, "/", VIEW)
    event = of(flag="price", value="high", variant="high", enabled=True) | {
        "eventId": "f1",
        "websiteId": box.sites["shop"],
    }
    assert send(box, path, event) == "stored=1"
    assert send(box, path, event) == "dropped=1; reason=duplicate"
    assert rows(box, "flag_exposures", "flag", "variant") == [("price", "high")]
    assert rows(box, "events", "name")[1:] == [("$flag_evaluated",)]
    where = ("time", "visitor", "session", "path", "query_string", "entry", "source", "utm_campaign", "browser")
    assert rows(box, "flag_exposures", *where) == rows(box, "events", *where)[1:]


def test_events_that_name_no_flag_and_other_events_leave_no_exposure(box: WholeBox) -> None:
    send(box, "/", {**SEEN, "properties": {"variant": "high"}})
    send(box, "/", {**WHO, "name": "buy", "properties": {"flag": "price", "variant": "high"}})
    assert (count(box, "events"), count(box, "flag_exposures")) == (2, 0)


def test_exposures_of_bots_are_not_counted(box: WholeBox) -> None:
    body = of(flag="price", value=True)
    assert box.post(f"/?client_id={box.sites['shop']}", body, user_agent=GOOGLEBOT).status == 204
    assert (count(box, "events"), count(box, "flag_exposures")) == (1, 0)


def test_an_exposure_follows_its_session_when_something_earlier_comes_late(box: WholeBox) -> None:
    send(box, "/", of(flag="price", value=True))
    at = box.clock.now()
    send(box, "/", {**VIEW, "path": "https://shop.example/first", "timestamp": at - 60_000})
    assert rows(box, "flag_exposures", "session", "entry") == [rows(box, "events", "session", "entry")[0]]
    assert {entry for (entry,) in rows(box, "flag_exposures", "entry")} == {"/first"}
