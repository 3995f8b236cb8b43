"""Stories of requests to the event routes, told to a whole box of their own: its answers, and all that it stored."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import strategies as st
from msgspec.structs import replace

from analytics_box.app.box import Box
from analytics_box.base import ids
from analytics_box.base.settings import Settings
from analytics_box.ingest import visitors
from analytics_box.ingest.bot_rules import Bot, BotRule, Wishes
from analytics_box.tenants.websites.tracking import Tracking
from tests.inprocess import BROWSER, NOON, FixedClock, WholeBox, whole_box

PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604"
)
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
OLD_ID = "an-old-id-of-shop-00"


class Request(NamedTuple):
    """A request. `{shop}` and `{blog}` in the target, the headers and the body are ids of websites, `{key}` an API
    key, `{number}` the step's number."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: str
    address: str = "203.0.113.7"
    parts: int = 1


class Pause(NamedTuple):
    """The clock moves by `seconds`, or back."""

    seconds: int


class Change(NamedTuple):
    """A setting changes: a field of Tracking, or one of `_changes`."""

    name: str
    value: Any


Step = Request | Pause | Change


class StoryOutcome(NamedTuple):
    """All that a story left behind: status, headers and body of each answer, rows by table, and counts in memory."""

    answers: list[tuple[int, list[tuple[bytes, bytes]], bytes]]
    rows: dict[str, list[tuple[Any, ...]]]
    counts: tuple[Any, ...]


QUERIES = ("?website_id={shop}&client_id={shop}", "?client_id={shop}", "?client_id={blog}", f"?client_id={OLD_ID}", "")
OTHERS = ("/vitals", "/events", "/px.jpg", "/identify")
OWN = "https://shop.example"
RARE_HEADERS = (
    ("accept-language", "de-AT,de;q=0.9"),
    ("accept-language", "en"),
    ("content-encoding", "identity"),
    ("content-encoding", "gzip"),
    ("sec-ch-ua", '"Chromium";v="140"'),
    ("sec-ch-ua", '"HeadlessChrome";v="140"'),
    ("signature-agent", '"https://agent.example"'),
    ("from", "bot@crawler.example"),
    ("x-forwarded-for", "198.51.100.9"),
    ("x-forwarded-for", "2001:db8::1"),
    ("x-forwarded-for", "nonsense"),
    ("forwarded", "for=198.51.100.9"),
    ("x-country", "DE"),
    ("x-country", "XX"),
    ("x-api-key", "{key}"),
    ("x-api-key", "svc_unknown"),
    ("authorization", "Bearer {key}"),
    ("authorization", "Basic eA=="),
    ("databuddy-client-id", "{shop}"),
    ("databuddy-client-id", "{blog}"),
    ("databuddy-client-id", "nobody"),
    ("referer", "https://shop.example/a"),
    ("cf-ray", "1"),
    ("cf-ray", "2"),
    ("host", "localhost"),
    ("host", "else.example:80"),
    ("content-length", "1"),
    ("content-length", "99999999"),
)
CHANGES = (
    Change("allowedOrigins", ("else.example",)),
    Change("allowedOrigins", ()),
    Change("allowedIps", ("198.51.100.0/24",)),
    Change("allowedIps", ()),
    Change("ignoredIps", ("203.0.113.7",)),
    Change("ignoredIps", ()),
    Change("ignoredPaths", ("/admin/*", "/b")),
    Change("ignoredPaths", ()),
    Change("ignoredTrackingOrigins", ("shop.example",)),
    Change("ignoredTrackingOrigins", ()),
    Change("visitorIdMode", "cookieless"),
    Change("visitorIdMode", "auto"),
    Change("hourlyTexts", 5),
    Change("hourlyTexts", None),
    Change("status", "INACTIVE"),
    Change("status", "ACTIVE"),
    Change("bots", "googlebot is welcome"),
    Change("bots", "data centres"),
    Change("bots", "none"),
    Change("organization", "closed or opened again"),
    Change("places", "Atlantis"),
    Change("places", "Utopia"),
)


def _events() -> st.SearchStrategy[dict[str, Any]]:
    """Events of which most are usual, and some have what few have, or what none may."""
    usual = {
        "name": st.sampled_from(
            ["screen_view"] * 20 + ["page_exit", "page_exit", "sign_up", "  two  words", "$flag_evaluated", "\u200e"]
        ),
        "path": st.sampled_from(
            ["https://shop.example/", "https://shop.example/a?utm_source=x", "/b"] * 5 + ["/admin", ""]
        ),
    }
    rare = {
        "title": st.sampled_from(["A title", "Ein\u202etitle", ""]),
        "referrer": st.sampled_from(["https://www.google.com/", "direct", "https://semalt.com/", "/a"]),
        "timestamp": st.sampled_from([NOON, NOON + 3_600_000, NOON + 43_200_000, 5, "soon", "2026-06-17T12:00:00Z"]),
        "eventId": st.sampled_from(["one", "two", "three", "exit_1"]),
        "anonymousId": st.sampled_from(["ann", "bob"]),
        "anonymizeVisitorIds": st.sampled_from([True, False, "auto"]),
        "sessionId": st.sampled_from(["s1", "s2"]),
        "profileId": st.sampled_from(["ann@shop.example"]),
        "properties": st.sampled_from([{}, {"plan": "pro"}, {"flag": "f", "variant": "on"}, {"a": {"b": [1]}}]),
        "time_on_page": st.sampled_from([0, 12.5, 1e9]),
        "scroll_depth": st.sampled_from([0, 55, 300]),
        "load_time": st.sampled_from([120, -1]),
        "websiteId": st.sampled_from(["{shop}", "{shop}", "{blog}"]),
        "utm_source": st.sampled_from(["mail"]),
        "language": st.sampled_from(["de-AT", "?"]),
        "type": st.sampled_from(["track", "custom", "unheard of"]),
        "page_count": st.integers(1, 3),
    }
    fields = st.lists(st.sampled_from(sorted(rare)), max_size=4, unique=True)
    return fields.flatmap(lambda names: st.fixed_dictionaries(usual | {name: rare[name] for name in names}))


@st.composite
def _asks(draw: st.DrawFn) -> Request:
    """Requests of which most are those of a tracker."""
    path = draw(st.sampled_from([*["/track"] * 8, *["/batch"] * 4, "/", "/", *OTHERS]))
    query = draw(st.sampled_from([*QUERIES[:2] * 8, *QUERIES]))
    events = draw(st.lists(_events(), min_size=1, max_size=6))
    body: Any = events if len(events) > 1 or path == "/batch" else events[0]
    broken = draw(st.sampled_from([None] * 20 + ["", "{", "[]", "null", '{"name": 5}', '[{"name": "a"}, 5]']))
    return Request(
        method=draw(st.sampled_from(["POST"] * 30 + ["OPTIONS", "HEAD", "GET", "PUT"])),
        target=path + query,
        headers=draw(_heads()),
        body=json.dumps(body) if broken is None else broken,
        address=draw(st.sampled_from(["203.0.113.7"] * 4 + ["81.2.69.160", "10.0.0.1", "2001:db8::7", "3.5.140.1"])),
        parts=draw(st.sampled_from([1, 1, 1, 1, 2, 3])),
    )


def _heads() -> st.SearchStrategy[tuple[tuple[str, str], ...]]:
    """Heads as browsers send them, most of them alike, with what bots, proxies, servers and others add."""
    usual = {
        "user-agent": st.sampled_from([BROWSER] * 8 + [PHONE, PHONE, ROBOT, "short", None]),
        "accept": st.sampled_from(["*/*"] * 20 + ["", None]),
        "origin": st.sampled_from([OWN] * 12 + ["https://www.shop.example", "https://else.example", None]),
    }
    few: st.SearchStrategy[list[tuple[str, str]]] = st.one_of(
        st.just([]), st.lists(st.sampled_from(RARE_HEADERS), max_size=1)
    )
    return st.tuples(st.fixed_dictionaries(usual), few).map(
        lambda both: (
            ("host", "localhost"),
            *((name, value) for name, value in both[0].items() if value is not None),
            *both[1],
        )
    )


def stories(most: int) -> st.SearchStrategy[list[Step]]:
    """Some requests, with time and changes between them. Most requests come twice, so that their senders are known."""
    twice = _asks().map(lambda ask: [ask, ask])
    one = st.one_of(
        _asks(), st.sampled_from(CHANGES), st.builds(Pause, st.sampled_from([0, 1, 61, 1_800, 43_200, 86_400, -3_600]))
    )
    piece = st.one_of(twice, twice, one.map(lambda step: [step]))
    return st.lists(piece, max_size=most).map(lambda pieces: [step for piece in pieces for step in piece])


def adjusted(settings: Settings) -> Settings:
    """Settings under which a few requests meet every limit."""
    return replace(
        settings,
        limit_address=60,
        limit_track=25,
        budget_texts=25,
        trusted_proxies=("10.0.0.0/8",),
        geo_country_header="X-Country",
        max_event_bytes=600,
        max_batch_bytes=4_000,
    )


def tell(directory: Path, story: list[Step], prepare: Callable[[Box], None], patch: pytest.MonkeyPatch) -> StoryOutcome:
    """Tell a story to a box with the same randomness as any other that it is told to."""
    patch.setattr(ids, "_REQUESTS", Random(1))
    patch.setattr(visitors, "secrets", DrawnSalts())
    clock = FixedClock()
    with whole_box(directory, clock=clock, adjust=adjusted) as box:
        prepare(box.box)
        _with_old_id(box)
        names = {"{shop}": box.sites["shop"], "{blog}": box.sites["blog"], "{key}": box.keys["all"]}
        answers = []
        for number, step in enumerate(story):
            if isinstance(step, Request):
                answers.append(box.run(_answer(box, step, names | {"{number}": str(number)})))
            elif isinstance(step, Pause):
                clock.advance(seconds=step.seconds)
            else:
                _change(box, step)
        dropped = box.box.events.dropped
        counts = (
            dropped.stored,
            dict(dropped.reasons),
            dropped.folded,
            sorted(box.box.events.intake.websites.old_ids_used()),
        )
        box.run(dropped.write())
        return StoryOutcome(answers, box.box.events.db.read_now(_rows), counts)


class DrawnSalts:
    """Salts that are the same in each box."""

    def __init__(self) -> None:
        self.token_bytes = Random(2).randbytes


def _with_old_id(box: WholeBox) -> None:
    """Give the shop a client id that ends in two days."""
    directory = box.box.events.intake.websites
    shop = directory.find(box.sites["shop"])
    assert shop is not None
    current = msgspec.structs.replace(directory.tracked(shop.id, NOON).client_id)  # type: ignore[union-attr]
    old = replace(current, id=OLD_ID, ends_at=NOON + 2 * 86_400_000)
    directory.remember(replace(shop, client_ids=(current, old)))


async def _answer(box: WholeBox, ask: Request, names: dict[str, str]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    def filled(text: str) -> bytes:
        for name, value in names.items():
            text = text.replace(name, value)
        return text.encode("utf-8", "surrogatepass")

    path, _, query = ask.target.partition("?")
    body = filled(ask.body)
    size = -(-len(body) // ask.parts) or 1
    pieces = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
    messages = [{"type": "http.request", "body": piece, "more_body": piece is not pieces[-1]} for piece in pieces]
    incoming = iter(messages)
    sent: list[dict[str, Any]] = []
    answered = asyncio.Event()

    async def receive() -> dict[str, Any]:
        message = next(incoming, None)
        if message is None:
            await answered.wait()
        return message or {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        if message["type"] == "http.response.body":
            answered.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": ask.method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": filled(query),
        "root_path": "",
        "headers": [(name.encode(), filled(value)) for name, value in ask.headers],
        "client": (ask.address, 40_000),
        "server": ("localhost", 8000),
    }
    await box.box.application(scope, receive, send)
    return sent[0]["status"], list(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


def _change(box: WholeBox, change: Change) -> None:
    """The steps of the callers of these memories after their commits."""
    intake = box.box.events.intake
    directory, name, value = intake.websites, change.name, change.value
    shop = directory._by_id[box.sites["shop"]]
    if name in Tracking.__struct_fields__:
        directory.remember(replace(shop, tracking=replace(shop.tracking, **{name: value})))
    elif name == "status":
        directory.remember(replace(shop, status=value))
    elif name == "bots":
        rule = BotRule(Bot("known_bot_user_agent", "Googlebot"), NOON, "test")
        wishes = {"none": Wishes(), "data centres": Wishes(data_centres=True)}.get(value, Wishes((rule,)))
        intake.classification.remember(shop.site, wishes)
    elif name == "organization":
        organizations = intake.organizations
        organizations._closed ^= {shop.organization_id}
    elif name == "places":
        _move_everybody(box, value)


def _move_everybody(box: WholeBox, country: str) -> None:
    """Another database of places, in which all networks are in one country."""
    geo = box.box.events.intake.geo
    look_up = type(geo)._look_up
    geo._look_up = lambda network: look_up(geo, network)._replace(country=country)  # type: ignore[method-assign]
    geo._known.clear()
    if hasattr(geo, "places"):
        geo.places = object()


def _rows(db: Any) -> dict[str, list[tuple[Any, ...]]]:
    tables = db.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").fetchall()
    return {name: db.execute(f'select * from "{name}"').fetchall() for (name,) in sorted(tables)}
