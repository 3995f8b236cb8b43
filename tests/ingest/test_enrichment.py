"""What a request says, and what it gives away, is on the row in the end: place, channel, program, language."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.ingest.rows import count, rows
from tests.inprocess import Answer, WholeBox, whole_box
from tests.web.recognition.mmdb import database

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
PROXY = "192.0.2.1"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path) as whole:
        yield whole


def send(box: WholeBox, address: str = "8.8.8.8", headers: dict[str, str] | None = None, **fields: Any) -> Answer:
    body = json.dumps({"name": "screen_view", "path": "https://shop.example/a", **fields}).encode()
    given = {"databuddy_client_id": box.sites["shop"], **(headers or {})}
    return box.ask("POST", "/", headers=given, body=body, address=address)


def last(box: WholeBox, *columns: str) -> tuple[Any, ...]:
    return rows(box, "events", *columns)[-1]


def test_a_page_view_knows_where_its_visitor_is_and_came_from(box: WholeBox) -> None:
    assert (
        send(
            box,
            headers={"accept_language": "de_AT,de;q=0.9"},
            path="https://shop.example//a/../b/?gclid=7",
            referrer="https://www.google.com/",
            connection_type="4g",
            screen_resolution="1280x720",
            viewport_size="12x12",
        ).json["status"]
        == "success"
    )
    shown = ("country", "region", "city", "source", "channel", "click_id", "language", "connection", "screen", "path")
    assert last(box, *shown) == (
        "United States",
        "",
        "",
        "Google",
        "Paid Search",
        "gclid",
        "de-AT",
        "4g",
        "1280x720",
        "/b",
    )
    assert last(box, "viewport") == ("",)


def test_no_file_holds_an_address(box: WholeBox, tmp_path: Path) -> None:
    send(box, "198.51.100.77", referrer="https://www.google.com/")
    send(box, "2001:4860:4860::8888", headers={"user_agent": GOOGLEBOT})
    box.box.close()
    everything = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    for trace in (b"198.51.100.77", b"2001:4860", bytes([198, 51, 100, 77])):
        assert trace not in everything


def test_a_program_is_held_under_its_name_and_starts_no_session(box: WholeBox) -> None:
    answer = send(box, headers={"user_agent": GOOGLEBOT})
    assert (answer.status, answer.headers["x-analytics-box"]) == (204, "held=1; reason=known_bot_user_agent")
    assert last(box, "bot", "agent", "session") == ("known_bot_user_agent", "Googlebot", 0)


@pytest.mark.parametrize(
    ("headers", "reason", "agent"),
    [
        ({"user_agent": ""}, "missing_user_agent", ""),
        ({"user_agent": "Moz/5"}, "user_agent_too_short", "Moz/5"),
        ({"accept": ""}, "missing_accept_header", ""),
        ({"sec_ch_ua": '"HeadlessChrome";v="141"'}, "headless_browser", ""),
        ({"signature_agent": '"https://chatgpt.com"'}, "signed_agent", "chatgpt.com"),
    ],
)
def test_reasons_are_named_as_the_wire_names_them(
    box: WholeBox, headers: dict[str, str], reason: str, agent: str
) -> None:
    send(box, headers=headers)
    assert last(box, "bot", "agent") == (reason, agent)


def test_server_events_with_a_key_are_neither_classified_nor_located(box: WholeBox) -> None:
    event = {"name": "bought", "websiteId": box.sites["shop"], "anonymousId": "anon"}
    assert box.post("/track", event, key="all", user_agent="python-requests/2.32.3", accept="").status == 200
    assert last(box, "bot", "agent", "country", "browser") == ("", "", "", "")


def test_referrer_spam_is_acknowledged_counted_and_not_stored(box: WholeBox) -> None:
    answer = send(box, referrer="https://www.qiwi.xyz/offer")
    assert (answer.status, answer.headers["x-analytics-box"]) == (200, "dropped=1; reason=referrer_spam")
    assert count(box, "events") == 0
    found = box.post("/rpc/websites/listDropped", {"json": {"websiteId": box.sites["shop"]}}, key="all").json["json"]
    assert [(one["reason"], one["count"]) for one in found["reasons"]] == [("referrer_spam", 1)]


def test_a_trusted_proxy_may_say_where_its_clients_are(tmp_path: Path) -> None:
    file = tmp_path / "city.mmdb"
    file.write_bytes(database({"198.51.100.0/24": {"city": {"names": {"en": "Berlin"}}, "country": "DE"}}))
    with whole_box(
        tmp_path / "data",
        adjust=lambda settings: msgspec.structs.replace(
            settings, trusted_proxies=(PROXY,), geo_database=str(file), geo_country_header="CF-IPCountry"
        ),
    ) as box:
        through = {"x_forwarded_for": "198.51.100.9"}
        send(box, PROXY, through)
        assert last(box, "country", "city") == ("Germany", "Berlin")
        send(box, PROXY, {**through, "cf_ipcountry": "FR"}, anonymousId="another")
        assert last(box, "country", "city") == ("France", "")
        send(box, "198.51.100.9", {"cf_ipcountry": "FR"}, anonymousId="third")
        assert last(box, "country", "city") == ("Germany", "Berlin")


def test_forwarded_address_counts_for_a_proxy_that_sends_the_secret_and_for_no_other(tmp_path: Path) -> None:
    secret, client = "a secret of this server", "141.76.2.4"
    with whole_box(
        tmp_path,
        adjust=lambda settings: msgspec.structs.replace(settings, trusted_proxies=(PROXY,), proxy_secret=secret),
    ) as box:
        for peer, headers, country in (
            ("8.8.8.8", {"x_forwarded_for": client, "x_proxy_secret": secret}, "Germany"),
            ("8.8.8.8", {"x_forwarded_for": client}, "United States"),
            ("8.8.8.8", {"x_forwarded_for": client, "x_proxy_secret": f"{secret}!"}, "United States"),
            ("8.8.8.8", {"x_forwarded_for": client, "x_proxy_secret": ""}, "United States"),
            ("8.8.8.8", {"x_proxy_secret": secret}, "United States"),
            (PROXY, {"x_forwarded_for": f"81.2.69.142, {client}, 8.8.8.8", "x_proxy_secret": secret}, "Germany"),
            (PROXY, {"x_forwarded_for": f"{client}, 8.8.8.8"}, "United States"),
            ("8.8.8.8", {"forwarded": f"for={client}", "x_proxy_secret": secret}, "Germany"),
        ):
            send(box, peer, headers, anonymousId=f"{peer} {headers}"[:200])
            assert last(box, "country") == (country,), (peer, headers)


def test_attributes_of_the_first_event_stay_with_the_session(box: WholeBox) -> None:
    send(box, referrer="https://chatgpt.com/", anonymousId="anon")
    send(box, "200.160.2.3", referrer="https://www.bing.com/", anonymousId="anon", path="https://shop.example/b")
    assert rows(box, "events", "path", "channel", "country") == [
        ("/a", "AI Assistant", "United States"),
        ("/b", "AI Assistant", "United States"),
    ]


def test_a_session_begins_on_its_first_page_whatever_events_came_before_and_without_one_on_none(box: WholeBox) -> None:
    send(box, name="signup", path="https://shop.example/form")
    assert last(box, "entry") == ("",)
    send(box, name="screen_view", path="https://shop.example/pricing")
    send(box, name="signup", path="https://shop.example/form")
    assert last(box, "entry") == ("/pricing",)


def test_words_without_end_cost_no_event_and_little_time(box: WholeBox) -> None:
    """What takes time with the square of a length would show as a timeout here."""
    for endless in ("a." * 25_000, "www." * 12_000, "/../" * 12_000, "&utm_a=" * 8_000, "-ab" * 16_000, "x" * 50_000):
        answer = send(
            box,
            headers={"user_agent": f"Mozilla/5.0 {endless}"[:6_000], "accept_language": endless[:6_000]},
            path=f"https://shop.example/{endless}"[:8_000],
            referrer=f"https://{endless}/",
            language=endless,
            timezone=endless,
            viewport_size=endless,
            utm_source=endless,
            utm_medium=endless,
            utm_campaign=endless,
        )
        assert answer.status in {200, 204}
    assert count(box, "events") == 6


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({}, (None, None)),
        ({"scroll_depth": 0, "interaction_count": 0}, (0, 0)),
        ({"scroll_depth": 250, "interaction_count": 3}, (100, 3)),
    ],
)
def test_missing_values_of_a_leave_beacon_are_not_zero(
    box: WholeBox, said: dict[str, Any], kept: tuple[int | None, int | None]
) -> None:  # semantics 22
    send(box, name="page_exit", **said)
    assert last(box, "scroll", "interactions") == kept
    send(box)
    assert last(box, "scroll", "interactions") == (None, None), "a page view has not been scrolled yet"


def test_of_a_header_that_proxies_repeat_the_last_hop_counts(tmp_path: Path) -> None:
    with whole_box(
        tmp_path, adjust=lambda settings: msgspec.structs.replace(settings, trusted_proxies=(PROXY,))
    ) as box:
        send(box, PROXY, {"x_forwarded_for": "8.8.8.8", "X_Forwarded_For": f"81.2.69.142, {PROXY}"})
        assert last(box, "country") == ("United Kingdom",)
        send(box, PROXY, {"x_forwarded_for": "141.76.2.4", "X_Forwarded_For": PROXY}, anonymousId="another")
        assert last(box, "country") == ("Germany",)


def test_a_request_for_two_hosts_is_refused(box: WholeBox) -> None:
    answer = send(box, headers={"Host": "localhost"})
    assert answer.status == 400
    assert "more than one Host header" in answer.json["error"]
    assert not count(box, "events")


@pytest.mark.parametrize("interactive", [None, True, False])
def test_bounce_survives_only_a_non_interactive_event(box: WholeBox, interactive: bool | None) -> None:
    send(box, timestamp=box.clock.now() - 5_000)
    send(box, name="autoplay", timestamp=box.clock.now() - 4_000, interactive=interactive)
    assert last(box, "interactions") == ((0,) if interactive is False else (None,))
    answer = box.post(
        f"/v1/query?website_id={box.sites['shop']}", {"parameters": ["summary_metrics"], "preset": "today"}, key="all"
    )
    (row,) = answer.json["data"][0]["data"]
    assert row["bounce_rate"] == (100 if interactive is False else 0)
    assert row["total_events"] == 2


def test_picture_takes_a_non_interactive_event(box: WholeBox) -> None:
    query = f"client_id={box.sites['shop']}&name=autoplay&interactive=false&path=https://shop.example/"
    assert box.get(f"/px.jpg?{query}").status == 200
    assert last(box, "name", "interactions") == ("autoplay", 0)
