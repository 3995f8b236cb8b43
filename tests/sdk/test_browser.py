"""The React component and the functions of npm's @databuddy/sdk 2.6, unchanged, in Chromium against a real server
(wire 5.1 to 5.3), and its provider of flags (wire 6.1)."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from analytics_box.ingest.visitors import by_client_id
from tests.browser.chromium import SITE, USER_AGENT, as_people_have_it, launch
from tests.running import UNLIMITED, Account, Server, serving, set_up
from tests.sdk import flags, stored

pytestmark = [pytest.mark.browser, pytest.mark.node]

MODULES = Path(__file__).parents[2] / "web" / "node_modules"
NEEDED = ("@databuddy/sdk", "react", "react-dom", "esbuild")
PATIENCE_SECONDS = 10.0
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
CALLS = (
    *("track", "screenView", "identify", "setTraits", "clearProfile", "getProfileId", "getTrackingIds"),
    *("flush", "clear", "setGlobalProperties"),
)
COLOURS = {"red": "#f00", "blue": "#00f"}  # values of the variants of a button
ANONYMOUS, SESSION = f"anon_{UUID}", f"sess_{UUID}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class Place(NamedTuple):
    """A website with the component in its pages, and the box that it sends to."""

    browser: Browser
    server: Server
    account: Account
    folder: Path
    site: str

    def options(self, **more: Any) -> dict[str, Any]:
        """What the component is given: where the box is, and that this browser is to be counted."""
        box = {"scriptUrl": f"{self.server.url}/script.js", "apiUrl": self.server.url}
        return {"clientId": self.account.website_id, **box, "ignoreBotDetection": True, **more}

    def open(self, context: BrowserContext, rest: str = "/", **more: Any) -> Page:
        """A page with the component, when the tracker has come."""
        (self.folder / "index.html").write_text(
            "<!doctype html><title>Home</title><link rel=icon href=data:,><div id=root></div>"
            f"<script id=options type=application/json>{json.dumps(self.options(**more))}</script>"
            "<script src=/app.js></script>"
        )
        page = context.new_page()
        as_people_have_it(page)
        page.goto(self.site + rest)
        page.wait_for_function("sdk.isTrackerAvailable()")
        return page

    def events(self) -> list[dict[str, Any]]:
        return stored.events(self.server.data_dir)

    def wait_for(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """The events of this name, when there are so many."""
        eventually(lambda: len([event for event in self.events() if event["name"] == name]) >= count)
        return [event for event in self.events() if event["name"] == name]

    def person(self, profile_id: str) -> Any:
        answer = httpx.post(
            f"{self.server.url}/profiles/getById",
            json={"websiteId": self.account.website_id, "profileId": profile_id},
            headers={"x-api-key": self.account.api_key},
        )
        return answer.json() if answer.status_code == 200 else None


def eventually(look: Callable[[], Any]) -> None:
    """Return once it is so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not look():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.05)


def bundle(folder: Path) -> None:
    """The page's script with the packages in it, as a website's own build makes it."""
    node = shutil.which("node")
    missing = [name for name in NEEDED if not (MODULES / name).exists()]
    if node is None or missing:
        pytest.skip(f"Node.js or {missing} is missing: run npm ci in web/ (packaging/test.sh does it)")
    ended = subprocess.run(
        (
            *(node, str(MODULES / "esbuild" / "bin" / "esbuild"), str(Path(__file__).with_name("app.js"))),
            *("--bundle", f"--outfile={folder / 'app.js'}", "--define:process.env.NODE_ENV='production'"),
            "--define:process.env={}",
        ),
        env={**os.environ, "NODE_PATH": str(MODULES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stderr


@contextmanager
def website(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{SITE}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("site")
    bundle(folder)
    data_dir = tmp_path_factory.mktemp("box") / "data"
    account = set_up(data_dir, domain=SITE)
    with (
        serving(data_dir, **UNLIMITED) as server,
        launch(arguments=(f"--user-agent={USER_AGENT}",), light=True) as browser,
        website(folder) as site,
    ):
        yield Place(browser, server, account, folder, site)


@pytest.fixture
def context(place: Place) -> Iterator[BrowserContext]:
    """A browser that nobody has used yet; nothing may go wrong in its pages."""
    fresh = place.browser.new_context()
    fresh.set_default_timeout(PATIENCE_SECONDS * 1000)
    problems: list[str] = []
    fresh.on("weberror", lambda problem: problems.append(str(problem.error)))
    fresh.on("console", lambda line: problems.append(line.text) if line.type in {"error", "warning"} else None)
    yield fresh
    fresh.close()
    assert problems == []


def test_the_component_brings_the_boxs_own_script(place: Place, context: BrowserContext) -> None:
    page = place.open(context)
    script = page.locator("script[data-databuddy-injected]")
    assert script.count() == 1
    assert script.get_attribute("src") == f"{place.server.url}/script.js"
    assert page.evaluate("window.databuddy === window.db && sdk.getTracker() === window.databuddy")
    for name in CALLS:
        page.wait_for_function(f"typeof databuddy.{name} === 'function'")
    assert page.evaluate("databuddy.options.clientId") == place.account.website_id


def test_page_views_and_events_arrive_even_those_before_the_script(place: Place, context: BrowserContext) -> None:
    # With an id of its own: what a session has of its first event must not come from the test before.
    page = place.open(context, "/?utm_source=mail", storeVisitorIds=True)
    (early,) = place.wait_for("before the script")[-1:]
    assert json.loads(early["properties"]) == {"early": True}
    page.evaluate("sdk.setGlobalProperties({release: '1.2'}); sdk.track('signup', {plan: 'pro'}); sdk.flush()")
    (signup,) = place.wait_for("signup")
    assert json.loads(signup["properties"]) == {"release": "1.2", "plan": "pro"}
    assert (signup["path"], signup["origin"], signup["bot"]) == ("/", "browser", "")
    view = place.wait_for("screen_view")[-1]
    assert (view["path"], view["title"], view["utm_source"], view["session"]) == (
        "/",
        "Home",
        "mail",
        signup["session"],
    )
    page.evaluate("sdk.trackError('boom', {code: 7})")
    page.evaluate("sdk.flush()")
    (error,) = place.wait_for("error")
    assert json.loads(error["properties"]) == {"message": "boom", "code": 7, "release": "1.2"}


def test_nothing_is_kept_in_the_browser_unless_it_is_asked_for(place: Place, context: BrowserContext) -> None:
    page = place.open(context)
    page.evaluate("sdk.identify('cookieless-1', {email: 'Cookie@Example.com'}); sdk.flush()")
    eventually(lambda: place.person("cookieless-1"))
    person = place.person("cookieless-1")
    assert person["profile"]["email"] == "cookie@example.com"
    view = place.wait_for("screen_view")[-1]
    assert str(view["visitor"]) in [visitor["visitorId"] for visitor in person["visitors"]]
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    assert page.evaluate("sdk.getTrackingIds()") == {"anonId": None, "sessionId": None}
    assert page.evaluate("sdk.getTrackingParams()") == ""


def test_with_stored_ids_a_browser_keeps_them_under_the_usual_names(place: Place, context: BrowserContext) -> None:
    page = place.open(context, storeVisitorIds=True, anonymizeVisitorIds=False)
    page.wait_for_function("localStorage.did && sessionStorage.did_session")
    did, session = page.evaluate("[localStorage.did, sessionStorage.did_session]")
    assert re.fullmatch(ANONYMOUS, did)
    assert re.fullmatch(SESSION, session)
    assert page.evaluate("+sessionStorage.did_session_start <= +sessionStorage.did_session_timestamp")
    assert page.evaluate("sdk.getTrackingIds()") == {"anonId": did, "sessionId": session}
    assert page.evaluate("sdk.getTrackingParams()") == f"anonId={did}&sessionId={session}"
    page.evaluate("sdk.track('kept'); sdk.flush()")
    (event,) = place.wait_for("kept")
    assert event["client_session"] == session
    assert event["visitor"] == by_client_id(b"", event["site"], did)

    again = place.open(context, storeVisitorIds=True, anonymizeVisitorIds=False)
    again.wait_for_function("databuddy.getTrackingIds()?.anonId")
    assert again.evaluate("sdk.getAnonymousId()") == did


def test_a_person_is_named_renamed_and_forgotten(place: Place, context: BrowserContext) -> None:
    page = place.open(context, storeVisitorIds=True)
    page.evaluate("sdk.identify('ada', {email: 'Ada@Example.com', plan: 'free'}); sdk.flush()")
    eventually(lambda: place.person("ada"))
    page.wait_for_function("localStorage.did_profile === 'ada'")
    assert page.evaluate("sdk.getProfileId()") == "ada"
    page.evaluate("sdk.setTraits({plan: 'pro', seats: 2}); sdk.flush()")
    eventually(lambda: place.person("ada")["profile"]["traits"].get("plan") == "pro")
    assert place.person("ada")["profile"]["traits"] == {"email": "Ada@Example.com", "plan": "pro", "seats": 2}
    page.evaluate("databuddy.screenView({step: 2}); sdk.flush()")

    def views() -> list[dict[str, Any]]:
        return [event for event in place.events() if event["profile"] == "ada" and event["name"] == "screen_view"]

    eventually(views)
    (view,) = views()
    assert str(view["visitor"]) in [visitor["visitorId"] for visitor in place.person("ada")["visitors"]]
    page.evaluate("sdk.clearProfile()")
    page.wait_for_function("!localStorage.did_profile")
    assert page.evaluate("sdk.getProfileId()") is None
    page.evaluate("sdk.clear()")
    page.wait_for_function("!localStorage.did && !sessionStorage.did_session")


def test_ids_go_with_a_visitor_to_another_site_of_the_owner(place: Place, context: BrowserContext) -> None:
    page = place.open(context, storeVisitorIds=True)
    page.wait_for_function("sdk.getTrackingParams().length > 20")
    params = page.evaluate("sdk.getTrackingParams()")
    did, session = page.evaluate("[localStorage.did, sessionStorage.did_session]")
    elsewhere = place.browser.new_context()
    there = place.open(elsewhere, f"/?{params}", storeVisitorIds=True)
    there.wait_for_function("localStorage.did")
    assert there.evaluate("[localStorage.did, sessionStorage.did_session]") == [did, session]
    elsewhere.close()
    forged = place.browser.new_context()
    there = place.open(forged, "/?anonId=%3Cscript%3E&sessionId=1", storeVisitorIds=True)
    there.wait_for_function("localStorage.did")
    assert re.fullmatch(ANONYMOUS, there.evaluate("localStorage.did"))
    forged.close()


def test_a_visitor_opts_out_and_in_again(place: Place, context: BrowserContext) -> None:
    page = place.open(context)
    page.evaluate("databuddyOptOut()")
    assert page.evaluate("localStorage.databuddy_opt_out") == "true"
    assert page.evaluate("[databuddyOptedOut, databuddyDisabled]") == [True, True]
    page.evaluate("sdk.track('while out'); sdk.flush()")
    page.evaluate("databuddyOptIn()")
    page.wait_for_function("!localStorage.databuddy_opt_out")
    page.evaluate("sdk.track('in again'); sdk.flush()")
    place.wait_for("in again")
    assert [event for event in place.events() if event["name"] == "while out"] == []


def test_a_disabled_component_brings_nothing(place: Place, context: BrowserContext) -> None:
    page = place.open(context)
    page.evaluate("options => show(options)", place.options(disabled=True))
    page.wait_for_function("!document.querySelector('script[data-databuddy-injected]')")


@pytest.fixture(scope="module")
def flagged(place: Place) -> Place:
    """The website with flags."""
    flags.make(place.server.url, place.account)
    return place


def show_flags(place: Place, page: Page, user: str, **more: Any) -> None:
    """The page with the provider of flags for this user."""
    config = {"clientId": place.account.website_id, "apiUrl": place.server.url, "user": {"userId": user}, **more}
    page.evaluate("given => showFlags(...given)", [place.options(), config])


def shown_flags(page: Page) -> dict[str, Any]:
    """What the page shows of flags, once it knows them."""
    page.wait_for_function("document.querySelector('#flags')?.textContent.includes('ready')")
    shown: dict[str, Any] = json.loads(page.locator("#flags").text_content() or "")
    return shown


def test_the_provider_of_flags_shows_what_each_user_gets(flagged: Place, context: BrowserContext) -> None:
    page = flagged.open(context)
    show_flags(flagged, page, "ada", skipStorage=True)
    shown_flags(page)
    for user in ("ada", "bob", "eve"):
        page.evaluate("userId => flags.updateUser({userId})", user)
        page.wait_for_function(f"flags.isReady && flags.getValue('button') === '{COLOURS[flags.button(user)]}'")
        shown = shown_flags(page)
        assert shown["checkout"] == {"on": True, "status": "ready", "loading": False, "value": True}
        assert shown["button"]["variant"] == flags.button(user)
        assert (shown["half"], shown["limit"]) == (flags.in_half(user), 25)
    assert page.evaluate("localStorage.length") == 0
    assert page.evaluate("document.cookie") == ""


def test_flag_exposure_is_sent_as_an_event(flagged: Place, context: BrowserContext) -> None:
    page = flagged.open(context)
    show_flags(flagged, page, "ada", autoFetch=False, skipStorage=True)
    shown_flags(page)
    page.evaluate("sdk.flush()")
    events = [json.loads(event["properties"]) for event in flagged.wait_for("$flag_evaluated", 4)]
    found = {event["flag"]: event for event in events}
    variant = flags.button("ada")
    assert found["checkout"] == {"flag": "checkout", "value": True, "enabled": True}
    assert found["button"] == {"flag": "button", "value": COLOURS[variant], "variant": variant, "enabled": True}
    assert found["half"] == {"flag": "half", "value": flags.in_half("ada"), "enabled": flags.in_half("ada")}
    assert found["limit"]["variant"] == "only"
    asked = {"parameters": ["flag_variants"], "preset": "last_7d"}
    target = f"{flagged.server.url}/v1/query?website_id={flagged.account.website_id}"
    answer = httpx.post(target, json=asked, headers={"x-api-key": flagged.account.api_key}).json()
    half = str(flags.in_half("ada")).lower()
    assert {row["name"] for row in answer["data"][0]["data"]} >= {
        *("checkout=true", "limit=only"),
        *(f"button={variant}", f"half={half}"),
    }
