"""Open pages hear of what happens over a stream: only who may read the website, and not for longer than that."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from analytics_box.base.settings import Settings
from analytics_box.products.overview import live
from analytics_box.products.overview.live import LiveState, LiveUpdates
from analytics_box.tenants.accounts import rows
from tests.cases import each
from tests.inprocess import SiteName, WholeBox, whole_box
from tests.listening import Listener, Message


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    def few(settings: Settings) -> Settings:
        return replace(settings, limit_rpc=0, limit_key=0, limit_address=0, limit_track=0, live_streams_address=5)

    with whole_box(tmp_path_factory.mktemp("live") / "data", adjust=few) as inside:
        pace = streams(inside).pace
        pace.pause, pace.look = 0, 0.01
        yield inside


@pytest.fixture(autouse=True)
def alone(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(live, "_FRESH", 0)
    yield
    assert len(streams(box)) == 0


def streams(box: WholeBox) -> Any:
    return box.box.parts[LiveUpdates].streams


def listen(
    box: WholeBox, cookie: str, name: SiteName = "shop", *, address: str = "203.0.113.7", **headers: str
) -> Listener:
    """A stream that is asked for now, through the front."""
    sent = {"host": "localhost", "cookie": cookie, **headers}
    asked: Message = {
        "type": "http",
        "method": "GET",
        "path": f"/live/{box.sites[name]}",
        "query_string": b"",
        "headers": [(key.replace("_", "-").encode(), value.encode()) for key, value in sent.items()],
        "client": (address, 40_000),
    }
    listener = Listener()
    listener.scope = asked

    async def serve(one: Listener) -> None:
        await box.box.application(asked, one.receive, one.send)

    listener.begin(serve)
    return listener


async def leave(*listeners: Listener) -> None:
    for listener in listeners:
        listener.leave()
        await listener.ended()


async def arrive(box: WholeBox, name: SiteName, *, origin: bytes = b"") -> None:
    """An event of a website, through the front."""
    own = {"shop": b"https://shop.example", "blog": b"https://blog.example", "local": b"http://localhost"}
    body = b'{"name": "screen_view", "path": "/here", "anonymousId": "a"}'
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asked: Message = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": f"client_id={box.sites[name]}".encode(),
        "headers": [
            (b"host", b"localhost"),
            (b"accept", b"*/*"),
            (b"origin", origin or own[name]),
            (b"user-agent", b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
            (b"content-type", b"application/json"),
        ],
        "client": ("203.0.113.9", 40_000),
    }
    await box.box.application(asked, receive, send)
    assert sent[0]["status"] == (403 if origin else 200)


def test_a_page_hears_who_is_there_and_that_something_came(box: WholeBox) -> None:
    cookie = box.cookie

    async def story() -> Listener:
        page, other = listen(box, cookie, "local"), listen(box, cookie, "blog")
        await page.until(lambda: page.events)
        await other.until(lambda: other.events)
        await arrive(box, "local")
        await page.until(lambda: page.events[-1]["stored"])
        await arrive(box, "local", origin=b"https://elsewhere.example")
        await page.until(lambda: page.events[-1]["missed"])
        assert len(other.events) == 1, "it is about another website"
        await leave(page, other)
        return page

    page = box.run(story())
    assert (page.headers["content-type"], page.headers["cache-control"]) == ("text/event-stream", "no-store")
    told = [{name: one[name] for name in LiveState.__struct_fields__} for one in page.events]
    assert told[0] == {"online": 0, "text": "0 online now", "begun": False, "stored": 0, "missed": 0}
    assert {"online": 1, "text": "1 online now", "begun": True, "stored": 1, "missed": 0} in told
    assert told[-1] == {"online": 1, "text": "1 online now", "begun": True, "stored": 1, "missed": 1}
    assert cookie.partition("=")[2] not in str(page.scope), "what a request carried does not stay as long as its stream"


def test_visitor_that_leaves_the_website_is_no_longer_counted(box: WholeBox) -> None:
    async def story() -> list[Message]:
        page = listen(box, cookie, "blog")
        await page.until(lambda: page.events)
        await arrive(box, "blog")
        await page.until(lambda: page.events[-1]["stored"])
        box.clock.advance(seconds=301)
        await page.until(lambda: page.events[-1]["online"] == 0)
        await leave(page)
        return page.events

    cookie = box.cookie
    told = box.run(story())
    online = [one["online"] for one in told]
    most = max(online)
    assert (online[0], online[-1]) == (most - 1, 0), "one came, and all have left"
    assert online == [*sorted(online[:-1]), 0], "and nobody left before"
    assert told[-1]["text"] == "0 online now"
    assert told[-1]["stored"] == 1, "leaving is no event"


REFUSED: list[tuple[str, int, dict[str, Any]]] = [
    ("nobody", 401, {"cookie": ""}),
    ("a made-up session", 401, {"cookie": "session=guess"}),
    ("a website of others", 404, {"name": "foreign"}),
    ("a page of another site", 403, {"sec_fetch_site": "cross-site"}),
    ("a page of a sibling's domain", 403, {"sec_fetch_site": "same-site"}),
]


@each(("what", "status", "given"), REFUSED)
def test_stream_is_refused_to_others(box: WholeBox, what: str, status: int, given: dict[str, Any]) -> None:
    async def story() -> Listener:
        page = listen(box, **{"cookie": cookie, **given})
        await page.ended()
        return page

    cookie = box.cookie
    page = box.run(story())
    assert (page.status, page.events) == (status, []), what
    assert b"foreign.example" not in b"".join(page.chunks)


def test_a_stream_is_asked_for_with_get(box: WholeBox) -> None:
    target, cookie = f"/live/{box.sites['shop']}", box.cookie
    assert box.ask("POST", target, headers={"cookie": cookie}).status == 405
    head = box.ask("HEAD", target, headers={"cookie": cookie})
    assert (head.status, head.headers["content-type"], head.body) == (200, "text/event-stream", b"")
    assert box.get("/live/nowhere", cookie=cookie).status == 404
    assert box.get("/live/", cookie=cookie).status == 404


async def _signed_out(box: WholeBox, cookie: str) -> None:
    await box.box.sign_ins.close(cookie.partition("=")[2])


async def _ended_elsewhere(box: WholeBox, _cookie: str) -> None:
    await box.box.box_db.write(lambda db: rows.delete_sessions_of_user(db, box.user_id))


async def _thrown_out(box: WholeBox, _cookie: str) -> None:
    def write(db: Any) -> None:
        db.execute("update sessions set organization_id = ?", (box.foreign_organization_id,))

    await box.box.box_db.write(write)


ENDS = [_signed_out, _ended_elsewhere, _thrown_out]


@pytest.mark.parametrize("end", ENDS)
def test_a_stream_ends_with_the_session_and_tells_nothing_after(box: WholeBox, end: Any) -> None:
    async def story() -> Listener:
        page = listen(box, cookie)
        await page.until(lambda: page.events)
        await end(box, cookie)
        told = len(page.events)
        await arrive(box, "shop")
        await page.ended()
        assert len(page.events) == told
        return page

    cookie = box.cookie
    assert box.run(story()).chunks[-1] == b""


def test_stream_ends_with_the_website_and_with_an_expired_session(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone() -> Listener:
        page = listen(box, cookie)
        await page.until(lambda: page.events)
        assert b"" not in page.chunks
        with monkeypatch.context() as patch:
            patch.setattr(box.box.parts[LiveUpdates]._websites, "find", lambda _id: None)
            await box.box.box_db.write(lambda db: None)
            await page.ended()
        return page

    async def old() -> Listener:
        page = listen(box, cookie)
        await page.until(lambda: page.events)
        assert b"" not in page.chunks
        monkeypatch.setattr("analytics_box.web.streams._LONGEST", 10**9)
        box.clock.advance(seconds=31 * 86_400)
        await page.ended()
        return page

    cookie = box.cookie
    for page in (box.run(gone()), box.run(old())):
        assert (page.status, page.chunks[-1]) == (200, b""), "its answer is complete, not broken off"
        assert len(page.events) == 1, "and nothing was told after"
    assert box.get(f"/live/{box.sites['shop']}", cookie=cookie).status == 401, "nor does the session open another"


def test_a_browser_an_account_an_address_and_the_box_have_so_many(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookies = [box.cookie for _ in range(4)]
    monkeypatch.setitem(streams(box).most_of, "account", 6)

    async def refused(cookie: str, address: str) -> tuple[int, str]:
        page = listen(box, cookie, address=address)
        await page.ended()
        return page.status, page.headers.get("retry-after", "")

    async def story() -> None:
        opened: list[Listener] = []

        async def fill(cookie: str, address: str, count: int) -> None:
            for _ in range(count):
                page = listen(box, cookie, address=address)
                await page.until(lambda page=page: page.events or page.status > 200)  # type: ignore[misc]  # a default in a lambda
                assert page.status == 200
                opened.append(page)

        await fill(cookies[0], "203.0.113.1", 3)
        assert await refused(cookies[0], "203.0.113.2") == (429, "60"), "of a browser"
        await fill(cookies[1], "203.0.113.1", 2)
        assert await refused(cookies[2], "203.0.113.1") == (429, "60"), "of an address"
        await fill(cookies[2], "203.0.113.2", 1)
        assert await refused(cookies[3], "203.0.113.3") == (429, "60"), "of an account"
        monkeypatch.setattr(streams(box), "most", 6)
        assert await refused(cookies[3], "203.0.113.3") == (503, "60"), "of the box"
        await leave(*opened)

    box.run(story())


def test_many_pages_of_a_website_have_it_looked_at_once(box: WholeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    watching = box.box.parts[live.Watching]
    looks: list[int] = []
    online = watching._presence.online

    async def counted(sites: tuple[int, ...], now: int) -> dict[int, int]:
        looks.append(now)
        return await online(sites, now)

    async def story() -> None:
        await asyncio.gather(*(watching.now(box.numbers["shop"]) for _ in range(50)))

    monkeypatch.setattr(watching._presence, "online", counted)
    watching._known.clear()
    box.run(story())
    assert len(looks) == 1


def test_a_stop_ends_all_streams(tmp_path: Any) -> None:
    with whole_box(tmp_path / "data") as own:

        async def story() -> int:
            page = listen(own, cookie)
            await page.until(lambda: page.events)
            streams(own).close()
            await page.ended()
            late = listen(own, cookie)
            await late.ended()
            return late.status

        cookie = own.cookie
        assert own.run(story()) == 503
