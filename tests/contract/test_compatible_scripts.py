"""Bodies of Plausible's and Umami's scripts are stored as the same events as our own script's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import Answer, WholeBox, whole_box

PAGE = "https://shop.example"
UUID = "0e2f6a4c-8a1d-4f0e-9c55-1d2b3a4c5d6e"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        assert name_it(made, "shop", ["www.Shop.example", UUID]).status == 200
        yield made


def name_it(box: WholeBox, website: Any, aliases: list[str]) -> Answer:
    changed = {"id": box.sites[website], "settings": {"aliases": aliases}}
    return box.post("/websites/updateSettings", changed, key="all")


def plausible(box: WholeBox, **event: Any) -> Answer:
    """Send as Plausible's script does: JSON as text/plain."""
    body = json.dumps({"d": "shop.example", "u": f"{PAGE}/pricing", **event}).encode()
    return box.ask("POST", "/api/event", headers={"content_type": "text/plain", "origin": PAGE}, body=body)


def umami(box: WholeBox, kind: str = "event", **payload: Any) -> Answer:
    body = {"type": kind, "payload": {"website": UUID, "hostname": "shop.example", "url": "/pricing", **payload}}
    return box.post("/api/send", body, origin=PAGE, x_umami_website_id=UUID)


def stored(box: WholeBox) -> list[dict[str, Any]]:
    columns = ("name", "kind", "path", "referrer", "title", "engaged", "scroll", "interactions", "screen", "properties")
    texts = "(select value from strings where id = {})"
    selected = [
        texts.format(name) if name in {"name", "path", "referrer", "title", "screen"} else name for name in columns
    ]
    rows = box.box.events.db.read_now(
        lambda db: db.execute(f"select {', '.join(selected)} from events order by id").fetchall()
    )
    shown = [dict(zip(columns, row, strict=True)) for row in rows]
    return [row | {"properties": json.loads(str(row["properties"] or "{}"))} for row in shown]


def test_page_view_of_plausible_counts_for_the_website_with_its_domain(box: WholeBox) -> None:
    answer = plausible(box, n="pageview", v=32, r="https://news.example/item?id=1")
    assert (answer.status, answer.headers["x-analytics-box"]) == (202, "stored=1")
    assert answer.headers["access-control-allow-origin"] == PAGE
    [row] = stored(box)
    assert (row["kind"], row["path"], row["referrer"]) == (1, "/pricing", "https://news.example/item")


def test_domain_of_a_website_is_its_name_unless_an_alias_or_a_client_id_says_otherwise(box: WholeBox) -> None:
    assert name_it(box, "shop", []).status == 200
    assert plausible(box, n="pageview").headers["x-analytics-box"] == "stored=1"
    assert plausible(box, n="pageview", d="www.Shop.example").headers["x-analytics-box"] == "stored=1"
    assert plausible(box, n="pageview", d="other.example").status == 400
    body = json.dumps({"d": "shop.example", "u": "https://blog.example/", "n": "pageview"}).encode()
    target, origin = f"/api/event?client_id={box.sites['blog']}", "https://blog.example"
    named = box.ask("POST", target, headers={"content_type": "text/plain", "origin": origin}, body=body)
    assert (named.status, named.headers["x-analytics-box"]) == (202, "stored=1")
    assert name_it(box, "blog", ["shop.example"]).status == 200
    sites = box.box.events.db.read_now(lambda db: db.execute("select site from events order by id").fetchall())
    assert [row[0] for row in sites] == [box.numbers["shop"], box.numbers["shop"], box.numbers["blog"]]
    refused = plausible(box, n="pageview")
    assert refused.status == 403, "the alias of the blog wins, and the shop's origin is not its own"


def test_renamed_website_is_no_longer_found_by_its_former_domain(box: WholeBox) -> None:
    assert name_it(box, "shop", []).status == 200
    renamed = {"id": box.sites["shop"], "domain": "store.example", "name": "Store"}
    assert box.post("/websites/update", renamed, key="all").status == 200
    assert plausible(box, n="pageview").status == 400
    body = json.dumps({"d": "store.example", "u": "https://store.example/", "n": "pageview"}).encode()
    headers = {"content_type": "text/plain", "origin": "https://store.example"}
    assert box.ask("POST", "/api/event", headers=headers, body=body).status == 202


def test_custom_event_of_plausible_keeps_its_properties_and_revenue(box: WholeBox) -> None:
    given = {"plan": "pro", "seats": 3, "empty": "", "nothing": None, "list": [1]}
    plausible(box, n="Purchase", p=given, **{"$": {"currency": "EUR", "amount": "12.50"}})
    plausible(box, n="Older script", p=json.dumps({"plan": "free"}))
    plausible(box, n="Background", i=False)
    first, second, third = stored(box)
    assert first["name"] == "Purchase"
    assert first["properties"] == {"plan": "pro", "seats": 3, "currency": "EUR", "amount": "12.50"}
    assert second["properties"] == {"plan": "free"}
    assert (first["interactions"], third["interactions"]) == (None, 0), "an event that is not interactive"


def test_engagement_of_plausible_is_time_and_scroll_depth_of_the_page(box: WholeBox) -> None:
    plausible(box, n="pageview")
    plausible(box, n="engagement", e=31_400, sd=80)
    leave = stored(box)[1]
    assert (leave["engaged"], leave["scroll"], leave["path"]) == (31, 80, "/pricing")


def test_plausible_page_with_hash_routing_has_the_route_in_its_path(box: WholeBox) -> None:
    plausible(box, n="pageview", u=f"{PAGE}/app#settings", h=1)
    plausible(box, n="pageview", u=f"{PAGE}/app#settings")
    assert [row["path"] for row in stored(box)] == ["/app#/settings", "/app"]


def test_plausible_event_for_two_domains_counts_for_both(box: WholeBox) -> None:
    assert name_it(box, "blog", ["blog.example"]).status == 200
    changed = {"id": box.sites["blog"], "settings": {"allowedOrigins": ["shop.example"]}}
    assert box.post("/websites/updateSettings", changed, key="all").status == 200
    plausible(box, n="pageview", d="shop.example,blog.example,unknown.example")
    sites = box.box.events.db.read_now(lambda db: db.execute("select count(distinct site) from events").fetchall())
    assert sites == [(2,)]


def test_event_of_umami_keeps_name_data_screen_and_title(box: WholeBox) -> None:
    answer = umami(box, title="Pricing", screen="1920x1080", language="de-DE", referrer="/start")
    assert (answer.status, answer.json["type"], answer.headers["x-analytics-box"]) == (200, "event", "stored=1")
    umami(box, name="signup", data={"plan": "pro", "nested": {"a": [1]}}, tag="b")
    view, event = stored(box)
    assert (view["kind"], view["title"], view["screen"], view["referrer"]) == (1, "Pricing", "1920x1080", "")
    assert event["name"] == "signup"
    assert event["properties"] == {"plan": "pro", "nested": {"a": [1]}, "tag": "b"}


def test_umami_performance_is_stored_as_web_vitals(box: WholeBox) -> None:
    assert umami(box, "performance", lcp=1800, cls=0.1, ttfb=120.5).headers["x-analytics-box"] == "stored=3"


def test_umami_identification_names_the_visitor(box: WholeBox) -> None:
    assert umami(box, "identify", id="customer-7", data={"plan": "pro", "list": [1]}).json["type"] == "identify"
    named = box.box.events.db.read_now(lambda db: db.execute("select count(*) from profiles").fetchall())
    assert named == [(1,)]
    unnamed = umami(box, "identify", data={"plan": "pro"})
    assert unnamed.headers["x-analytics-box"] == "stored=0; reason=no_profile_id"


def test_script_of_another_product_needs_an_alias_or_a_client_id(box: WholeBox) -> None:
    assert plausible(box, n="pageview", d="unknown.example").status == 400
    body = json.dumps({"n": "pageview", "u": "https://blog.example/", "d": "anything"}).encode()
    named = box.ask("POST", f"/api/event?client_id={box.sites['blog']}", body=body)
    assert (named.status, named.headers["x-analytics-box"]) == (202, "stored=1")


def test_origin_that_is_not_of_the_website_is_refused_before_anything_is_stored(box: WholeBox) -> None:
    body = json.dumps({"n": "pageview", "u": "https://evil.example/", "d": "shop.example"}).encode()
    answer = box.ask("POST", "/api/event", headers={"origin": "https://evil.example"}, body=body)
    assert (answer.status, answer.headers["x-analytics-box"]) == (403, "dropped=1; reason=origin_not_authorized")
    assert stored(box) == []


def test_alias_belongs_to_one_website_only(box: WholeBox) -> None:
    taken = name_it(box, "blog", ["shop.example"])
    assert taken.status == 409
    assert b"Another website already uses shop.example" in taken.body
    assert name_it(box, "shop", []).status == 200
    assert name_it(box, "blog", ["shop.example"]).status == 200
    assert plausible(box, n="pageview").status == 403, "the origin is not one of the other website"
    assert name_it(box, "blog", ["no spaces here"]).status == 400


BROKEN: tuple[tuple[str, bytes], ...] = (
    ("/api/event", b"[]"),
    ("/api/event", b'{"u": "https://shop.example/", "d": "shop.example"}'),
    ("/api/event", b'{"n": 7, "u": "https://shop.example/", "d": "shop.example"}'),
    ("/api/event", b'{"n": "pageview", "u": {"a": 1}, "d": "shop.example"}'),
    ("/api/event", b'{"n": "pageview", "d": "shop.example"}'),
    ("/api/event", b"{" * 100_000),
    ("/api/send", b"{}"),
    ("/api/send", b'{"type": "event", "payload": []}'),
    ("/api/send", b'{"type": "poll", "payload": {"website": "%s"}}' % UUID.encode()),
    ("/api/send", b'{"type": "performance", "payload": {"website": "%s"}}' % UUID.encode()),
    ("/api/send", b'{"type": "event", "payload": {"website": "%s", "name": {}}}' % UUID.encode()),
    ("/api/send", b'{"type": "event", "payload": {"website": "%s", "timestamp": 1e300, "name": []}}' % UUID.encode()),
)


@each(("path", "body"), BROKEN)
def test_broken_body_is_refused_with_400(box: WholeBox, path: str, body: bytes) -> None:
    answer = box.ask("POST", path, headers={"origin": PAGE}, body=body)
    assert answer.status == 400, answer.body
    assert answer.json["success"] is False


def test_page_view_with_80_properties_is_stored_with_50(box: WholeBox) -> None:
    plausible(box, n="pageview", p={f"{number}-{'n' * 200}": number for number in range(80)})
    [row] = stored(box)
    assert len(row["properties"]) == 50


@pytest.mark.parametrize(
    "name", ["two words", "a" * 300, "", ",", "\u0000", "[]", "ex\u00e4mple.com", 7, ["shop.example"]]
)
def test_name_that_no_alias_can_have_names_no_website(box: WholeBox, name: Any) -> None:
    assert plausible(box, n="pageview", d=name).status == 400
    assert umami(box, website=name).status == 400
    assert stored(box) == []


@pytest.mark.parametrize("path", ["/api/event", "/api/send"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"[]",
        b"7",
        b"null",
        b'{"n": "pageview"',
        b"n=pageview",
        b"[" * 100_000,
        b'{"n":' * 100_000,
        b'"\xff"',
    ],
    ids=["empty", "zero", "list", "number", "null", "cut", "form", "deep", "deep object", "no UTF-8"],
)
def test_spoiled_body_is_refused_and_leaves_nothing(box: WholeBox, path: str, body: bytes) -> None:
    answer = box.ask("POST", path, headers={"origin": PAGE}, body=body)
    assert answer.status == 400, answer.body
    assert answer.json["success"] is False
    assert stored(box) == []


@pytest.mark.parametrize("path", ["/api/event", "/api/send"])
def test_compressed_and_oversized_bodies_are_refused(box: WholeBox, path: str) -> None:
    packed = box.ask("POST", path, headers={"origin": PAGE, "content_encoding": "gzip"}, body=b"\x1f\x8b\x08")
    large = box.ask("POST", path, headers={"origin": PAGE}, body=b" " * 1_048_577)
    assert (packed.status, large.status) == (415, 413)
