"""Both ways to be counted (semantics 7, wire 4.7): which id a visitor has in which mode, over midnight, and by whom."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY, HOUR, MINUTE
from analytics_box.ingest.visitors import by_client_id, cookieless
from tests.cases import each
from tests.contract.conftest import unlimited
from tests.inprocess import BROWSER, Answer, WholeBox, whole_box

ORIGIN = "https://shop.example"
AMERICAN, GERMAN, NOWHERE = "8.8.8.8", "194.25.0.1", "203.0.113.7"
DEVICE = "anon_1"


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    with whole_box(tmp_path / "data", adjust=unlimited) as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box for many devices."""
    with whole_box(tmp_path_factory.mktemp("shared") / "data", adjust=unlimited) as made:
        yield made


@pytest.fixture(scope="module")
def cookieless_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    """A box whose website drops the ids of clients."""
    with whole_box(tmp_path_factory.mktemp("cookieless") / "data", adjust=unlimited) as made:
        settings = {"id": made.sites["shop"], "settings": {"visitorIdMode": "cookieless"}}
        assert made.post("/websites/updateSettings", settings, key="all").status == 200
        yield made


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """A device that no other test knows."""
    return f"anon_{request.node.name}"[:128]


def send(box: WholeBox, path: str, body: Any, *, address: str = GERMAN, **headers: str) -> Answer:
    return box.ask(
        "POST",
        path,
        headers={"content_type": "application/json", **headers},
        body=json.dumps(body).encode(),
        address=address,
    )


def from_page(box: WholeBox, route: str, fields: dict[str, Any], *, address: str = GERMAN) -> None:
    """Something that a page's tracker says, by each of its routes."""
    client = box.sites["shop"]
    bodies: dict[str, Any] = {
        "/batch": [{"name": "screen_view", "path": f"{ORIGIN}/", **fields}],
        "/": {"name": "screen_view", "path": f"{ORIGIN}/", **fields},
        "/track": {"name": "click", "websiteId": client, **fields},
        "/events": [{"eventName": "click", **fields}],
        "/vitals": [{"metricName": "LCP", "metricValue": 1, **fields}],
        "/identify": {"profileId": "p1", **fields},
    }
    answer = send(box, f"{route}?client_id={client}", bodies[route], address=address, origin=ORIGIN)
    assert answer.status == 200, answer.body


def visitors(box: WholeBox, table: str = "events") -> list[int]:
    def read(db: Any) -> list[int]:
        return [int(row[0]) for row in db.execute(f"select visitor from {table}").fetchall()]

    return box.box.events.db.read_now(read)


def daily(box: WholeBox, device: str = DEVICE) -> int:
    return by_client_id(box.box.events.salts.current(box.clock.now()).today, box.numbers["shop"], device)


def lasting(box: WholeBox, device: str = DEVICE) -> int:
    return by_client_id(b"", box.numbers["shop"], device)


def nameless(box: WholeBox, address: str = GERMAN) -> int:
    return cookieless(box.box.events.salts.current(box.clock.now()).today, box.numbers["shop"], address, BROWSER)


ROUTES = ("/batch", "/", "/track", "/events", "/vitals", "/identify")
MODES: tuple[Any, ...] = (True, False, "auto")
TABLES = {"/vitals": "vitals", "/identify": "visitor_profiles"}


@each(
    ("route", "mode", "address", "lasts"),
    [
        (route, mode, address, lasts)
        for route in ROUTES
        for mode, address, lasts in [
            ({}, GERMAN, False),
            ({"anonymizeVisitorIds": None}, AMERICAN, False),
            ({"anonymizeVisitorIds": True}, AMERICAN, False),
            ({"anonymizeVisitorIds": False}, GERMAN, True),
            ({"anonymizeVisitorIds": "auto"}, GERMAN, False),
            ({"anonymizeVisitorIds": "auto"}, NOWHERE, False),
            ({"anonymizeVisitorIds": "auto"}, AMERICAN, True),
        ]
    ],
)
def test_a_client_id_lasts_only_where_it_is_not_anonymized(
    shared: WholeBox, device: str, route: str, mode: dict[str, Any], address: str, lasts: bool
) -> None:
    device = f"{route} {mode} {address} {device}"[:128]  # of this case alone
    from_page(shared, route, {"anonymousId": device, **mode}, address=address)
    found = visitors(shared, TABLES.get(route, "events"))
    assert (lasting(shared, device) if lasts else daily(shared, device)) in found
    assert (daily(shared, device) if lasts else lasting(shared, device)) not in found


@pytest.mark.parametrize("route", ROUTES)
def test_visitor_without_an_id_is_recognized_by_network_and_browser(shared: WholeBox, route: str) -> None:
    address = f"194.25.0.{10 + ROUTES.index(route)}"
    from_page(shared, route, {"anonymizeVisitorIds": False}, address=address)
    assert nameless(shared, address) in visitors(shared, TABLES.get(route, "events"))


@each(("route", "mode"), product(ROUTES, MODES))
def test_a_website_may_drop_the_ids_of_clients(cookieless_only: WholeBox, device: str, route: str, mode: Any) -> None:
    box, address = cookieless_only, f"8.8.{ROUTES.index(route)}.{MODES.index(mode)}"
    said = {"anonymousId": device, "anonymizeVisitorIds": mode}
    said |= {"sessionId": device} if route != "/identify" else {}
    from_page(box, route, said, address=address)
    found = visitors(box, TABLES.get(route, "events"))
    assert nameless(box, address) in found
    assert not {daily(box, device), lasting(box, device)} & set(found)
    strings = box.box.events.db.read_now(
        lambda db: db.execute("select 1 from strings where value = ?", (device,)).fetchall()
    )
    assert strings == []


@pytest.mark.parametrize("mode", ["auto", True, None])
def test_a_servers_own_country_says_nothing_of_its_visitors(box: WholeBox, mode: Any) -> None:
    event = {
        "name": "paid",
        "websiteId": box.sites["shop"],
        "anonymousId": DEVICE,
        "anonymizeVisitorIds": mode,
    }
    assert send(box, "/track", event, address=AMERICAN, x_api_key=box.keys["all"]).status == 200
    assert visitors(box) == [daily(box)]


def test_a_servers_event_without_an_id_is_nobodys(box: WholeBox) -> None:
    send(box, "/track", {"name": "paid", "websiteId": box.sites["shop"]}, x_api_key=box.keys["all"])
    assert visitors(box) == [0]


@pytest.mark.parametrize(
    ("fields", "ids"),
    [({"anonymousId": DEVICE}, 2), ({"anonymousId": DEVICE, "anonymizeVisitorIds": False}, 1), ({}, 2)],
    ids=["daily", "lasting", "cookieless"],
)
def test_midnight_changes_daily_ids_and_no_session(box: WholeBox, fields: dict[str, Any], ids: int) -> None:
    box.clock.advance(seconds=(12 * HOUR - 10 * MINUTE) / 1000)  # 23:50 UTC
    from_page(box, "/batch", fields)
    box.clock.advance(seconds=20 * MINUTE / 1000)
    from_page(box, "/batch", fields)
    assert len(set(visitors(box))) == ids
    sessions = box.box.events.db.read_now(lambda db: db.execute("select distinct session from events").fetchall())
    assert len(sessions) == 1


def test_a_person_stays_one_over_the_days(box: WholeBox) -> None:
    from_page(box, "/batch", {"anonymousId": DEVICE})
    from_page(box, "/identify", {"anonymousId": DEVICE})
    for _ in range(3):
        box.clock.advance(seconds=DAY / 1000)
        from_page(box, "/batch", {"anonymousId": DEVICE, "profileId": "p1"})
    given = {"websiteId": box.sites["shop"], "profileId": "p1"}
    known = {visitor["visitorId"] for visitor in box.post("/profiles/getById", given, key="all").json["visitors"]}
    assert {str(visitor) for visitor in visitors(box)} < known
    exported = box.post("/profiles/export", given, key="all").json["items"]["events"]
    assert len(exported) == 4
    assert len({event["visitor"] for event in exported}) == 4


def test_salts_that_are_gone_take_the_way_to_a_device_with_them(box: WholeBox) -> None:
    from_page(box, "/batch", {"anonymousId": DEVICE})
    given = {"websiteId": box.sites["shop"], "anonymousId": DEVICE}
    for days, found in ((0, True), (1, True), (2, False)):
        if days:
            box.clock.advance(seconds=DAY / 1000)
        items = box.post("/profiles/export", given, key="all").json["items"]
        assert ("events" in items) == found
