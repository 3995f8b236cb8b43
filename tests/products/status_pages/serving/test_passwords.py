"""A protected page shows nothing of itself but its name before the password."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics_box.base.errors import Unavailable
from analytics_box.base.limits import TokenBuckets
from analytics_box.base.settings import Settings
from analytics_box.base.store.seal import Seal
from analytics_box.products.status_pages.page import Whole
from analytics_box.tenants.accounts.locks import MOST_WAITING, Locks
from analytics_box.tenants.accounts.passwords import Passwords
from tests.cases import each
from tests.inprocess import Answer, FixedClock
from tests.products.status_pages.serving.world import DOMAIN, HASHED, PAGE, PASSWORD, World, basic

PAGES = ("", "history", "incidents/incident-1", "components/component-api", "subscribe")
PROGRAMS = ("history.atom", "history.rss", "badge.svg", "badge/component-api.svg", "api/v2/status.json")
FORM = {"content_type": "application/x-www-form-urlencoded"}


@pytest.fixture
def locked(world: World) -> World:
    world.change(password=HASHED)
    return world


def enter(world: World, password: str = PASSWORD, path: str = "") -> Answer:
    return world.ask("POST", path, FORM, f"password={password}".encode())


def cookie(world: World) -> str:
    return enter(world).headers["set-cookie"].partition(";")[0]


@pytest.fixture
def guessed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Passwords are compared without the work that makes them slow; what was compared."""
    found: list[str] = []

    async def verify(_: Passwords, __: str | None, password: str) -> bool:
        found.append(password)
        return password == PASSWORD

    monkeypatch.setattr(Passwords, "verify", verify)
    return found


@each("path", PAGES)
def test_people_are_asked_for_the_password(locked: World, path: str) -> None:
    answer = locked.get(path)
    assert answer.status == 200
    assert 'type="password"' in answer.body.decode()
    assert "outage" not in answer.body.decode()
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["x-robots-tag"] == "noindex"


@each("path", PROGRAMS)
def test_programs_are_asked_for_it_by_http(locked: World, path: str) -> None:
    answer = locked.get(path)
    assert (answer.status, answer.json["code"]) == (401, "AUTH_REQUIRED")
    assert answer.headers["www-authenticate"].startswith("Basic ")
    assert answer.headers["access-control-allow-origin"] == "*"


@each("path", [*PROGRAMS, ""])
def test_the_password_opens_by_http_whatever_the_user_name(locked: World, path: str) -> None:
    answer = locked.get(path, authorization=basic(PASSWORD))
    assert answer.status == 200
    assert answer.headers["cache-control"] == "private, max-age=10"
    assert answer.headers["x-robots-tag"] == "noindex"


@each("given", ["Basic !!", "Basic", "Bearer x", "Basic " + "A" * 1_000, basic("wrong"), basic("")])
def test_another_one_does_not(locked: World, given: str) -> None:
    assert locked.get("api/v2/status.json", authorization=given).status == 401


def test_the_form_leads_back_and_its_cookie_opens_everything(locked: World) -> None:
    entered = enter(locked, path="history")
    assert (entered.status, entered.headers["location"]) == (303, "/status/acme/history")
    said = entered.headers["set-cookie"]
    assert "HttpOnly; SameSite=Lax" in said
    assert "Path=/status/acme;" in said
    for path in (*PAGES[:4], *PROGRAMS):
        assert locked.get(path, cookie=said.partition(";")[0]).status == 200, path
    assert "Major outage" in locked.get(cookie=f"other=1; {said.partition(';')[0]}").body.decode()


def test_the_cookie_is_for_https_alone_where_the_box_is(tmp_path: Path) -> None:
    world = World(tmp_path, Settings(data_dir=tmp_path, base_url="https://localhost"))
    world.change(password=HASHED)
    assert enter(world).headers["set-cookie"].endswith("; Secure")
    world.close()


def test_a_wrong_password_is_said_and_opens_nothing(locked: World) -> None:
    answer = enter(locked, "wrong")
    assert answer.status == 403
    assert "Incorrect password" in answer.body.decode()
    assert "set-cookie" not in answer.headers


@each("path", ["/", "//evil.example/x", "/history"])
def test_the_form_never_leads_to_another_host(locked: World, path: str) -> None:
    locked.change(domain=DOMAIN)
    entered = locked.ask("POST", path, {**FORM, "host": DOMAIN}, f"password={PASSWORD}".encode())
    assert entered.headers["location"] == path.replace("//", "/")


@each("spoil", ["0", "x", "9999999999.", "-1.aa"])
def test_a_cookie_that_we_did_not_sign_opens_nothing(locked: World, spoil: str) -> None:
    name, _, value = cookie(locked).partition("=")
    for bad in (f"{name}={spoil}{value}", f"{name}={spoil}", f"{name}={value[:-1]}"):
        assert "Major outage" not in locked.get(cookie=bad).body.decode()


def test_a_cookie_ends_after_thirty_days_and_with_a_new_password(locked: World) -> None:
    known = cookie(locked)
    locked.clock.advance(seconds=29 * 86_400)
    assert "Major outage" in locked.get(cookie=known).body.decode()
    locked.clock.advance(seconds=2 * 86_400)
    assert "Major outage" not in locked.get(cookie=known).body.decode()
    known = cookie(locked)
    locked.change(password=HASHED.replace("m=", "m=") + " ")
    assert "Major outage" not in locked.get(cookie=known).body.decode()


def test_repeated_wrong_passwords_are_limited(locked: World) -> None:
    answers = [locked.get("badge.svg", authorization=basic(f"guess {n}")) for n in range(11)]
    assert [answer.status for answer in answers] == [401] * 10 + [429]
    assert answers[-1].headers["access-control-allow-origin"] == "*"
    assert enter(locked).status == 429
    locked.clock.advance(seconds=60)
    assert enter(locked).status == 303


def test_an_address_has_its_tries_for_all_pages_together(locked: World) -> None:
    locked.pages.remember(Whole(replace(PAGE, id="page-2", slug="other", password=HASHED)))
    answers = [locked.get(f"/status/{slug}/badge.svg", authorization=basic(slug)) for slug in ("acme", "other") * 6]
    assert [answer.status for answer in answers] == [401] * 10 + [429] * 2


def test_guesses_from_many_networks_lock_out_no_visitor(locked: World, guessed: list[str]) -> None:
    statuses = []
    for number in range(250):
        locked.address = f"198.51.{number % 25}.1"
        statuses.append(locked.get("badge.svg", authorization=basic(f"guess {number}")).status)
    assert statuses.count(401) == len(guessed) == 225  # 25 that were not wrong before, and 200
    assert statuses[-1] == 429
    locked.address = "203.0.113.7"
    assert enter(locked).status == 303


def test_at_most_so_many_tries_wait_to_be_verified(tmp_path: Path) -> None:
    clock, page = FixedClock(0), replace(PAGE, password=HASHED)

    async def many() -> None:
        gate = asyncio.Event()

        class Slow(Passwords):
            async def verify(self, stored: str | None, password: str) -> bool:
                return await gate.wait()

        locks = Locks("status", Seal(tmp_path / "secret.key"), Slow(), TokenBuckets(clock), clock, secure=False)
        waiting = [asyncio.ensure_future(locks.opens(page, PASSWORD, str(number))) for number in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await locks.opens(page, PASSWORD, "another")
        gate.set()
        assert all(await asyncio.gather(*waiting))
        assert await locks.opens(page, "one that waits for nobody", "another")

    asyncio.run(many())


def test_correct_password_does_not_count_as_an_attempt(locked: World) -> None:
    assert {locked.get("badge.svg", authorization=basic(PASSWORD)).status for _ in range(30)} == {200}


@pytest.mark.parametrize("path", ["", "history", "subscribe"])
def test_password_set_during_a_wait_applies_immediately(world: World, path: str) -> None:
    def meanwhile() -> None:
        world.known.meanwhile = None
        world.change(password=HASHED)

    world.known.meanwhile = meanwhile
    answer = world.get(path)
    assert 'type="password"' in answer.body.decode()
    assert "no-store" in answer.headers["cache-control"]
    opened = world.get(path, authorization=basic(PASSWORD))
    assert opened.headers["cache-control"].startswith("private")


def test_cached_page_is_not_served_after_it_was_protected(world: World) -> None:
    assert world.get().headers["cache-control"].startswith("public")
    world.change(password=HASHED)  # what is seen of it is the same
    assert world.get(authorization=basic(PASSWORD)).headers["cache-control"] == "private, max-age=10"


def test_a_form_is_answered_by_the_page_that_is_there_when_it_has_come(world: World) -> None:
    world.before_body = lambda: world.change(password=HASHED)
    answer = world.ask("POST", "subscribe", FORM, b"address=ada%40example.com")
    assert (answer.status, world.known.visits) == (403, [])
    world.before_body = lambda: world.pages.forget(PAGE.id)
    assert world.ask("POST", "subscribe", FORM, b"address=ada%40example.com").status == 404


def test_a_link_of_a_subscriber_needs_no_password(locked: World) -> None:
    assert locked.get("subscription/secret").status == 200
    assert locked.known.visits[-1].rest == "subscription/secret"
    assert locked.ask("POST", "subscription/secret", FORM, b"List-Unsubscribe=One-Click").status == 303


def test_robots_stay_away(locked: World) -> None:
    locked.change(domain=DOMAIN)
    assert b"Disallow: /" in locked.get("/robots.txt", host=DOMAIN).body


def test_an_open_page_takes_no_password(world: World) -> None:
    assert enter(world).status == 405
