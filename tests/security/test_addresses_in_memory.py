"""Addresses and User-Agents of visitors leave the memory of a running box with the salts of their day."""

import gc
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.app import jobs
from tests.contract.test_event_routes import ROUTES, send
from tests.inprocess import WholeBox, whole_box
from tests.products.links.world import World as Links

ADDRESS, IN_FLAGS, DATA_CENTRE = "81.2.69.217", "81.2.69.218", "52.95.110.177"
SIX = "2a02:8071:77:99::1"
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:141.7) Gecko/20100101 Firefox/141.7"
BOT = "curl/8.77.142"
MARKS = (ADDRESS, IN_FLAGS, DATA_CENTRE, SIX.removesuffix("1"), "rv:141.7", BOT)
STEP = 1_800  # seconds
DAYS = 3


@pytest.fixture
def box(tmp_path: Path) -> Iterator[WholeBox]:
    """A box that visitors have used in every way in which strangers can."""
    with whole_box(tmp_path / "data", adjust=lambda given: replace(given, limit_track=0)) as box:
        for address, agent in ((ADDRESS, AGENT), (DATA_CENTRE, AGENT), (SIX, AGENT), (ADDRESS, BOT)):
            visit(box, address, agent)
        yield box


def visit(box: WholeBox, address: str, agent: str) -> None:
    links = Links(box)
    flags = f"/public/v1/flags/evaluate?clientId={box.sites['shop']}&key=new&userId=ada&ip={IN_FLAGS}"
    context = b'{"context": {"targetingKey": "ada", "ip": "%s"}}' % IN_FLAGS.encode()
    changed = {"id": box.sites["shop"], "settings": {"ignoredIps": ["198.51.100.0/24"]}}
    assert box.post("/websites/updateSettings", changed, key="all").status == 200
    options = {"websiteId": box.sites["shop"], "flagDataCentres": True}
    assert box.post("/websites/updateBotOptions", options, key="all").status == 200
    for path in ROUTES:
        assert send(box, path, address=address, user_agent=agent).status in {200, 202, 204}
        assert send(box, path, address=address, user_agent=agent, origin="https://elsewhere.example").status
    slug = links.link(targetUrl="https://example.com/")["slug"]
    for method, target, body in (
        ("GET", f"/l/{slug}", b""),
        ("GET", "/l/nothing", b""),
        ("GET", flags, b""),
        ("POST", f"/public/v1/flags/{box.sites['shop']}/ofrep/v1/evaluate/flags", context),
        ("GET", "/status/nothing", b""),
        ("GET", "/sign-in", b""),
        ("POST", "/sign-in", b"email=eve%40example.com&password=wrong+and+long+enough"),
        ("GET", "/docs", b""),
        ("POST", f"/v1/query?website_id={box.sites['shop']}", b"{}"),
    ):
        form = "application/x-www-form-urlencoded" if target == "/sign-in" else "application/json"
        headers = {
            "user_agent": agent,
            "content_type": form,
            "x_forwarded_for": "9.9.9.9",
            "origin": "http://localhost",
        }
        box.ask(method, target, headers=headers, body=body, address=address)


def days_pass(box: WholeBox) -> None:
    """Let the box do its work for some days without visitors."""
    for _ in range(DAYS * 86_400 // STEP):
        box.clock.advance(seconds=STEP)
        box.run(jobs.turn_salts(box.box))
        box.run(jobs.sweep_limits(box.box))
        box.run(jobs.sweep_accounts(box.box))


def remembered(box: WholeBox) -> set[str]:
    """Every text and number in memory that holds one of the marks, but for those of this test."""
    numbers = {int.from_bytes(bytes(map(int, mark.split("."))), "big") for mark in (ADDRESS, IN_FLAGS, DATA_CENTRE)}
    skipped = (types.FrameType, types.CodeType, types.FunctionType, types.ModuleType)
    own = {
        id(globals()),
        id(MARKS),
        id(numbers),
        *map(id, (gc.get_objects, ADDRESS, IN_FLAGS, DATA_CENTRE, SIX, AGENT, BOT)),
    }
    found: set[str] = set()
    gc.collect()
    seen = set(own)
    reached: list[Any] = [one for one in gc.get_objects() if not isinstance(one, skipped) and id(one) not in own]
    while reached:
        one = reached.pop()
        if id(one) in seen or isinstance(one, skipped):
            continue
        seen.add(id(one))
        if isinstance(one, str | bytes):
            text = one if isinstance(one, str) else one.decode("latin-1")
            if len(text) < 4_000 and any(mark in text for mark in MARKS):
                found.add(text)
        elif type(one) is int:
            if one in numbers:
                found.add(str(one))
        else:
            reached += gc.get_referents(one)
    return found


def test_nothing_in_memory_knows_addresses_and_agents_of_earlier_days(box: WholeBox) -> None:
    assert remembered(box), "a box remembers who was there a moment ago"
    days_pass(box)
    assert remembered(box) == set()
