"""Every page in a real browser: clean for axe, silent on the console, true to its policy, kind to keyboards."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from analytics_box.app.docs.manual import PAGES as MANUAL_PAGES
from tests.browser.axe import DESKTOP, NARROW, faults, resize
from tests.browser.constructs import showing_all
from tests.browser.tab import tab_of
from tests.examples import is_thorough
from tests.running import BROWSER, EMAIL, PASSWORD, UNLIMITED, Box, running_box, serving

pytestmark = pytest.mark.browser

SETTINGS = UNLIMITED | {"limit_sign_in": 0}
DARK_GROUND = "rgb(19, 19, 18)"  # what --bg of app.css is in the dark

HOSTILE = (
    "<script>window.broken=1</script>",
    '"><img src=x onerror="window.broken=1">',
    "' onmouseover='window.broken=1",
    "{{7*7}}${7*7}",
    "javascript:window.broken=1",
    "\u202egnp.exe\u2066",
    "/" + "no-end-" * 60,
    "</title><svg onload=window.broken=1>",
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box whose website has had visits, hostile ones among them."""
    with running_box(tmp_path_factory.mktemp("pages") / "data", **SETTINGS) as running:
        for number, path in enumerate(("/", "/docs", *HOSTILE)):
            visit(running, path, number)
            event(running, path)
            if number > 1:
                keep(running, path[:100])
        for content in (b"{", b'{"name": "x"}'):  # two that do not count, for two reasons
            client = f"{running.url}/?client_id={running.account.website_id}"
            httpx.post(client, content=content, headers={"user-agent": "curl/8", "accept": "*/*"})
        goals(running, "create", type="PAGE_VIEW", target="/*", name="<i>" + "W" * 90)
        fail(running)
        call_tools(running, HOSTILE[1][:60])
        yield running


def goals(box: Box, procedure: str, **given: str) -> Any:
    """The answer of a procedure of goals."""
    content, key = {"websiteId": box.account.website_id, **given}, {"x-api-key": box.account.api_key}
    answer = httpx.post(f"{box.url}/goals/{procedure}", json=content, headers=key)
    assert answer.status_code == 200, answer.text
    return answer.json()


def addresses(box: Box, paths: Sequence[str]) -> list[str]:
    site, goal = f"/sites/{box.account.website_id}", goals(box, "list")[0]["id"]
    one_share, one_report = share(box), report(box)
    slug, share_id = one_share["slug"], one_share["id"]
    names = {"share": f"/share/{slug}", "embed": f"/embed/{slug}", "share_id": share_id, **funnel(box)}
    return [box.url + path.format(site=site, goal=goal, report=one_report, **names) for path in paths]


def funnel(box: Box) -> dict[str, str]:
    """The path of a funnel of the website, and the id of a segment, both as long as they can be."""
    headers, site = {"x-api-key": box.account.api_key}, box.account.website_id
    steps = [{"type": "PAGE_VIEW", "target": "/*", "name": "W" * 60}, {"type": "PAGE_VIEW", "target": "/docs"}]
    given: dict[str, Any] = {"websiteId": site, "name": "<i>" + "W" * 90, "steps": steps}
    made = httpx.post(f"{box.url}/funnels/create", json=given, headers=headers).raise_for_status().json()
    filters = [{"field": "country", "op": "eq", "value": "Germany"}]
    given = {"websiteId": site, "name": f"<i>{made['id']}" + "W" * 60, "filters": filters, "isShared": True}
    saved = httpx.post(f"{box.url}/segments/create", json=given, headers=headers).raise_for_status().json()
    return {"dropoff": f"{made['id']}:2", "funnel": f"/sites/{site}/funnels/{made['id']}", "segment": saved["id"]}


def share(box: Box) -> Any:
    """A share link of the website with all that it can have."""
    headers = {"x-api-key": box.account.api_key}
    given = {
        "websiteId": box.account.website_id,
        "name": "Board",
        "accent": "#ffd500",
        "panels": ["sources", "pages", "places", "devices", "events", "goals"],
        "embedHosts": ["www.example.com"],
        "hasBadge": True,
    }
    answer = httpx.post(f"{box.url}/shares/create", json=given, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


def report(box: Box) -> str:
    """The path of a report of the website."""
    headers, site = {"x-api-key": box.account.api_key}, box.account.website_id
    answer = httpx.post(f"{box.url}/reports/list", json={"websiteId": site}, headers=headers)
    if not answer.json():
        given = {"websiteId": site, "name": "Weekly", "recipients": ["mara@elsewhere.example"]}
        httpx.post(f"{box.url}/reports/create", json=given, headers=headers).raise_for_status()
        return report(box)
    return f"/sites/{site}/reports/{answer.json()[0]['id']}"


def send(
    box: Box, path: str, content: dict[str, Any] | list[dict[str, Any]], origin: str = "https://example.com"
) -> None:
    """One request as a visitor's browser makes it."""
    answer = httpx.post(
        f"{box.url}{path}",
        content=json.dumps(content),
        headers={
            "user-agent": BROWSER,
            "accept": "*/*",
            "accept-language": "en",
            "content-type": "application/json",
            "origin": origin,
        },
    )
    assert answer.status_code == 200, answer.text


def visit(box: Box, path: str, visitor: int) -> None:
    page = {
        "name": "screen_view",
        "path": f"https://example.com/{path.lstrip('/')}",
        "anonymousId": f"anonymous-{visitor}",
        "referrer": f"https://{'x' * 40}{visitor}.example/",
    }
    send(box, f"/?client_id={box.account.website_id}", page)


def event(box: Box, name: str) -> None:
    about = {"websiteId": box.account.website_id, "anonymousId": "anonymous-0"}
    send(box, "/track", {"name": name[:200], "properties": {name[:100]: name}, **about})


def fail(box: Box) -> None:
    """An error with a hostile message."""
    error = {
        "anonymousId": "anonymous-1",
        "path": "https://example.com/docs",
        "timestamp": round(time.time() * 1000),
        "message": HOSTILE[1][:60],
        "filename": "https://example.com/shop.js",
        "lineno": 7,
        "stack": "TypeError: x\n" + "    at order (https://example.com/shop.js:7:3)\n" * 20,
        "errorType": "TypeError",
    }
    send(box, f"/errors?client_id={box.account.website_id}", [error])


def call_tools(box: Box, name: str) -> None:
    """Calls of an MCP server whose names are hostile."""
    call = {"tool": name, "clientName": name, "clientVersion": name, "serverName": name, "environment": name}
    calls = [{**call, "websiteId": box.account.website_id, "durationMs": 120, "error": name}]
    answer = httpx.post(f"{box.url}/mcp", json=calls, headers={"x-api-key": box.account.api_key})
    assert answer.status_code == 200, answer.text


def keep(box: Box, name: str) -> None:
    """A goal, a note and a segment that are called so, as far as anything may be."""
    content: dict[str, dict[str, Any]] = {
        "goals": {"name": name, "type": "EVENT", "target": name},
        "annotations": {"text": name, "tags": [name[:50]]},
        "segments": {"name": name, "filters": [{"field": "path", "op": "eq", "value": name}], "isShared": True},
    }
    for resource, given in content.items():
        said = {"websiteId": box.account.website_id, **given}
        answer = httpx.post(f"{box.url}/{resource}/create", json=said, headers={"x-api-key": box.account.api_key})
        assert answer.status_code == (400 if "\u202e" in name else 200), answer.text


def site(box: Box, query: str = "") -> str:
    return f"{box.url}/sites/{box.account.website_id}{query}"


def sign_in(page: Page, box: Box) -> None:
    """With what the form sends, and without looking at it."""
    form: dict[str, str | float | bool] = {"email": EMAIL, "password": PASSWORD}
    answer = page.context.request.post(f"{box.url}/sign-in", form=form, max_redirects=0)
    assert answer.headers["location"] == "/"


def sign_in_by_form(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/sign-in")
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("form.form button[type=submit]")
    page.wait_for_url("**/sites**")


def context_of(browser: Browser, size: tuple[int, int] = DESKTOP, **options: Any) -> BrowserContext:
    """Of somebody for whom nothing moves: a dot that pulses is drawn all the time (`test_live.py` lets it)."""
    viewport = ViewportSize(width=size[0], height=size[1])
    return browser.new_context(viewport=viewport, reduced_motion="reduce", **options)


@pytest.fixture(scope="module")
def tab(browser: Browser, box: Box) -> Iterator[Page]:
    """The tab of somebody who is signed in."""
    with tab_of(context_of(browser, timezone_id="Europe/Berlin")) as page:
        sign_in(page, box)
        yield page


SIGNED_IN = (
    "/sites",
    "/sites/new",
    "{site}",
    "{site}/details/pages",
    "{site}/details/events?q=a&sort=unique_users&order=asc",
    "{site}/settings",
    "{site}/segments",
    "{site}/settings/tracking",
    "{site}/settings/install/wordpress",
    "{site}/settings/install/vercel",
    "{site}/settings/sharing",
    "{site}/shares/new",
    "{site}/reports",
    "{site}/reports/new",
    "{report}",
    "{share}",
    "{share}?range=today&tab=map,devices&country=DE",
    "{share}/details/pages?range=today",
    "{embed}?range=today&theme=dark",
    "{site}/shares/{share_id}",
    "{site}/settings/danger",
    "{site}/settings/export",
    "/settings/export",
    "{site}/settings/transfer",
    "{site}/notes",
    "/palette?q=e",
    "{site}/not-counted",
    "{site}/realtime",
    "{site}/changes?range=last_7d",
    "{site}/sessions",
    "{site}/sessions?sort=interesting&path.contains=docs",
    "{site}/goals",
    "{site}/errors?range=today",
    "{site}/sessions?range=today&funnel_dropoff={dropoff}",
    "{site}/source-maps",
    "{site}/settings/import",
    "{site}/performance?range=today&vital=CLS",
    "{site}/ai-traffic?range=today",
    "{site}/ai-traffic/details/agents?range=today",
    "{site}/mcp?range=today",
    "{site}/mcp/details/tools?range=today",
    "{site}/retention",
    "{site}/revenue?range=today&split=country",
    "{site}/retention?period=day&activation=a&split=country",
    "{site}/journeys",
    "{site}/journeys?way=to&anchor=page&name=/docs&collapse=/n*",
    "{site}/funnels",
    "{site}/funnels/new?goal={goal}",
    "{funnel}?range=today&split=country&segments={segment}",
    "{site}/events?event_name=purchase&series=signup",
    "{site}/goals/new?event=a",
    "{site}/goal?goal={goal}",
    "{site}?goal={goal}&tab=map&shade=conversions&reached_goal={goal}",
    f"{{site}}/events?{urlencode({'name': HOSTILE[1]})}",
    "{site}/visitors",
    "{site}/visitors/delete?device=x",
    "/status-pages",
    "/status-pages/new",
    "/status-pages/moving",
    "/flags",
    "/flags/new",
    "/flags/folders",
    "/flags/groups",
    "/flags/groups/new",
    "/flags/moving",
    "/settings/audit",
    "/settings/currencies",
    "/settings/box",
    "/settings/box/email",
    "/settings/box/backups",
    "/settings/box/network",
)
VARIANTS = (  # of pages above, for thorough runs
    "{site}?show=table&tab=systems",
    "{site}/details/languages?q=nowhere",
    "{site}?range=today&tab=regions,utm_campaign&path.matches=%28",
    "{site}?range=today&compare=off",
    "{site}/details/pages?goal={goal}&sort=conversion_rate",
    "{site}/events?name=/docs",
    "/settings/audit?action=rotated&from=2026-01-01",
)
TEXTS = (*(f"/docs/{name}" for name in MANUAL_PAGES if name != "queries"), "/docs/api/websites")
PUBLIC = (
    "/sign-in",
    "/setup?token=none",
    "/nothing-here",
    "/docs",
    "/docs/search?q=bounce",
    "/docs/search?q=",
    "/docs/queries",
    "/docs/api",
    "/docs/api/queries",
)


@pytest.mark.node
def test_every_page_is_clean_for_axe_and_none_scrolls_sideways_whatever_strangers_sent(
    browser: Browser, box: Box
) -> None:
    context = context_of(browser)
    page = context.new_page()
    strange = what_texts_did(page, box)
    sign_in(page, box)
    found = []
    for address in addresses(box, (*SIGNED_IN, *VARIANTS) if is_thorough() else SIGNED_IN):
        found += faults(page, address, hard_to_tap)
        found += [f"{address}: a text ran as a script"] if page.evaluate("window.broken") else []
    context.close()
    assert found == []
    assert strange == []


def what_texts_did(page: Page, box: Box) -> list[str]:
    """What pages do from now on that only a text could have them do: dialogs, and requests to elsewhere."""
    found: list[str] = []
    page.on("dialog", lambda dialog: found.append(f"dialog {dialog.message}"))
    page.on("request", lambda one: None if one.url.startswith((box.url, "data:")) else found.append(one.url))
    return found


@pytest.mark.node
def test_every_public_page_is_clean_for_axe_and_none_scrolls_sideways(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    found = [wrong for path in PUBLIC for wrong in faults(page, box.url + path, hard_to_tap)]
    texts = {path: httpx.get(box.url + path).text for path in TEXTS}
    for path in showing_all(texts):
        found += faults(page, box.url + path, hard_to_tap, pictured=False)
    found += [f"{path}: {wrong}" for path, html in texts.items() for wrong in what_does_not_fit(page, html)]
    context.close()
    assert found == []


# Another text in the page that is open, as if it had been loaded.
SHOW_TEXT = """html => {
  const text = new DOMParser().parseFromString(html, "text/html").querySelector("main");
  document.querySelector("main").replaceWith(text);
  return document.documentElement.scrollWidth;
}"""


def what_does_not_fit(page: Page, html: str) -> list[str]:
    """What of a text a narrow phone cannot show, said by an open page of another text."""
    resize(page, NARROW)
    wide = page.evaluate(SHOW_TEXT, html) > NARROW[0]
    return [*(["it is too wide"] if wide else []), *hard_to_tap(page)]


# What is tapped and is smaller than 24 px (WCAG 2.5.8); links in a text are as high as its lines, a box is its label.
TOO_SMALL = """[...document.querySelectorAll("a, button, summary, select, textarea, input")].filter(one => {
  const target = ["checkbox", "radio"].includes(one.type) ? one.closest("label") ?? one : one;
  const { width, height } = target.getBoundingClientRect();
  const hidden = one.closest(".hidden") || !one.checkVisibility({ visibilityProperty: true });
  const shown = !hidden && width > 1 && height > 1;
  return shown && getComputedStyle(one).display !== "inline" && Math.min(width, height) < 23.5;
}).map(one => one.outerHTML.slice(0, 120))"""


def hard_to_tap(page: Page) -> list[str]:
    """What fingers miss on a phone, and a bar that leaves little of it."""
    high = page.evaluate("document.querySelector('.nav')?.offsetHeight ?? 0") >= 80
    return [*page.evaluate(TOO_SMALL), *(["a high bar"] if high else [])]


def test_text_from_strangers_is_shown_and_never_executed(page: Page, box: Box) -> None:
    page.goto(site(box, "/details/events?range=today"))
    events = page.locator("#details .bar")
    expect(events.filter(has_text="<script>window.broken=1</script>")).to_have_count(1)
    expect(events.filter(has_text="{{7*7}}${7*7}")).to_have_count(1)
    expect(events.filter(has_text="gnp.exe")).to_have_count(1)
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.locator("#page").inner_text())
    page.goto(site(box, "?range=today"))
    expect(page.locator("#panel-pages .bar")).to_have_count(6)
    page.locator("#panel-pages .bar").last.hover()
    page.click("#details-of-pages")
    expect(page.locator("#details .bar").filter(has_text="onerror")).to_have_count(1)
    assert page.evaluate("window.broken") is None
    assert page.locator("main script, main img").count() == 0


def test_the_range_is_chosen_with_the_keyboard_alone(page: Page, box: Box) -> None:
    page.goto(site(box))
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    while not page.evaluate("document.activeElement.id === 'range-button'"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#range-today")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#range-today")).to_be_hidden()
    expect(page.locator("#range-button")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**?range=yesterday")
    expect(page.locator("#range-button")).to_have_text(re.compile("Yesterday"))
    expect(page.locator("#range-button")).to_be_focused()


def test_single_keys_choose_ranges_and_the_way_back_leads_back(page: Page, box: Box) -> None:
    page.goto(site(box))
    for key, address in (("d", "range=today"), ("w", "range=last_7d"), ("c", "range=last_7d&compare=off")):
        page.keyboard.press(key)
        page.wait_for_url(f"**?{address}")
        expect(page.locator("#page")).not_to_have_class(re.compile("swapping"))
    expect(page.locator("#compare-off")).to_have_attribute("aria-current", "true")
    page.go_back()
    page.wait_for_url("**?range=last_7d")
    expect(page.locator("#compare-previous")).to_have_attribute("aria-current", "true")
    expect(page.locator("#chart canvas")).to_have_count(1)


def test_shortcuts_are_ignored_while_typing(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/sites/new")
    page.fill("#name", "")
    page.keyboard.type("dwmy?")
    expect(page.locator("#name")).to_have_value("dwmy?")
    expect(page.locator("#help")).to_be_hidden()


def test_the_help_opens_and_closes_and_gives_the_focus_back(page: Page, box: Box) -> None:
    page.goto(site(box))
    page.focus("#tile-sessions")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#tile-sessions")).to_be_focused()


def test_the_keyboard_reaches_what_a_figure_means_and_the_way_back_leads_back(page: Page, box: Box) -> None:
    page.goto(site(box))
    page.focus("#tile-bounce_rate")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="What “Bounce rate” means")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/definitions#bounce-rate")
    expect(page.locator("#bounce-rate h3")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#tile-bounce_rate")).to_be_visible()


@pytest.mark.parametrize(
    ("link", "heading"), [("Dropped events", "Website settings"), ("Metric definitions", "Definitions")]
)
def test_entries_of_a_dashboards_menu_lead_to_whole_pages(page: Page, box: Box, link: str, heading: str) -> None:
    page.goto(site(box))
    page.click("#export-button")
    page.click(f".export-body >> text={link}")
    expect(page.locator("h1")).to_have_text(heading)


def test_the_chart_says_its_numbers_to_the_keyboard_and_the_table_has_the_same(page: Page, box: Box) -> None:
    page.goto(site(box, "?range=last_7d"))
    chart = page.locator("#chart")
    chart.focus()
    page.keyboard.press("End")
    value = str(len(HOSTILE) + 2)
    expect(chart).to_have_attribute("aria-valuetext", re.compile(rf"today so far\), {value} · "))
    page.keyboard.press("t")
    page.wait_for_url("**show=table")
    expect(page.locator(".table tbody tr").last).to_contain_text(re.compile(rf"today so far\s*{value}"))


def test_without_scripts_everything_but_the_chart_works(browser: Browser, box: Box) -> None:
    context = context_of(browser, java_script_enabled=False)
    page = context.new_page()
    sign_in_by_form(page, box)
    page.goto(site(box, "?wait=all"))
    expect(page.locator("#tile-visitors .tile-value")).to_have_text(str(len(HOSTILE) + 2))
    expect(page.locator(".table")).to_be_visible()
    expect(page.locator("#chart")).to_be_hidden()
    page.click("#range-button")
    page.click("#range-yesterday")
    expect(page.locator("#tile-visitors .tile-value")).to_have_text("0")
    context.close()


def test_a_session_that_has_ended_leads_to_the_sign_in_and_back(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box))
    context.clear_cookies()
    page.keyboard.press("d")
    page.wait_for_url(re.compile(r"/sign-in\?next="))
    page.fill("#email", EMAIL)
    page.fill("#password", PASSWORD)
    page.click("form.form button[type=submit]")
    expect(page).to_have_url(re.compile(box.account.website_id))
    expect(page.locator("#tile-visitors")).to_be_visible()
    context.close()


def test_a_new_website_waits_and_turns_into_its_overview(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/sites/new")
    page.fill("#name", "O’Brien's & Söhne 東京")
    page.fill("#domain", "localhost")
    page.click("form.form button[type=submit]")
    expect(page.locator("#snippet")).to_contain_text("data-track-localhost")
    page.uncheck("#track-downloads")
    page.check("#track-errors")
    page.wait_for_load_state()  # the style sheet hides what is not ticked
    tag = page.locator("#snippet").inner_text().split()
    assert [word for word in tag if word.startswith("data-track")] == [
        "data-track-localhost",
        "data-track-outgoing-links",
        "data-track-not-found",
        "data-track-errors",
    ]
    expect(page.locator(".snippet-waiting")).to_be_visible()
    website_id = page.url.rsplit("/", 1)[1]
    send(box, "/track", {"name": "signup", "websiteId": website_id}, origin="http://localhost:3000")
    page.click("#more-panels > summary", timeout=15_000)
    expect(page.locator("#panel-events")).to_contain_text("signup")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Website settings").click()
    edges = set()
    for tab in ("General", "Tracking", "Dropped traffic", "Bots", "Sharing", "Danger"):
        page.locator(".page-tabs").get_by_role("link", name=tab, exact=True).click()
        expect(page.locator(".page-tabs [aria-current]")).to_have_text(tab)
        expect(page.locator(".head-about")).to_have_text("O’Brien's & Söhne 東京")
        edges.add(page.locator("h1").evaluate("(heading) => heading.getBoundingClientRect().left"))
    assert len(edges) == 1, "one left edge"


def test_the_setup_link_makes_the_first_account_once(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "data", **SETTINGS) as server:
        link = re.search(r"/setup\?token=\S+", server.printed())
        assert link is not None
        context = context_of(browser, timezone_id="Asia/Kathmandu")
        page = context.new_page()
        page.goto(server.url)
        expect(page.locator("h1")).to_have_text("This server is not set up yet")
        page.goto(server.url + link.group())
        page.fill("#email", "ada@example.com")
        page.fill("#password", "short")
        page.click("[data-reveals=password]")
        expect(page.locator("#password")).to_have_attribute("type", "text")
        page.click("form.form button[type=submit]")
        expect(page.locator("#password-error")).to_be_visible()
        expect(page.locator("#email")).to_have_value("ada@example.com")
        expect(page.locator("#password")).to_be_focused()
        page.fill("#password", PASSWORD)
        page.fill("#domain", "garden.example")
        page.click("form.form button[type=submit]")
        expect(page.locator("#snippet")).to_contain_text("data-client-id")
        page.goto(server.url + link.group())
        expect(page.locator("h1")).to_have_text("This setup link has expired")
        context.close()


def ground(page: Page) -> str:
    """The colour behind the page."""
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_a_phone_reaches_all_pages_and_the_sheet_gives_the_focus_back(browser: Browser, box: Box) -> None:
    context = context_of(browser, NARROW)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box))
    more = page.locator(".more-pages > summary")
    more.focus()
    page.keyboard.press("Enter")
    sheet = page.locator(".sheet")
    for name in (
        "Dashboard",
        "Realtime",
        "Visitors",
        "Website settings",
        "Links",
        "Monitors",
        "Status pages",
        "Flags",
        "Members",
        "Status",
    ):
        expect(sheet.get_by_role("link", name=name, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(more).to_be_focused()
    more.click()
    sheet.get_by_role("link", name="Members").click()
    expect(page).to_have_url(re.compile("/settings/members$"))
    context.close()


def test_the_theme_changes_at_once_and_stays_after_signing_out(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    page.goto(site(box, "/settings"))
    assert ground(page) != DARK_GROUND
    page.locator("details.account summary").last.click()
    with page.expect_response("**/settings/theme"):
        page.get_by_role("button", name="Dark", exact=True).click()
    assert ground(page) == DARK_GROUND
    expect(page.get_by_role("button", name="Dark", exact=True)).to_have_attribute("aria-pressed", "true")
    page.reload()
    assert ground(page) == DARK_GROUND
    page.locator("details.account summary").last.click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/sign-in"))
    assert ground(page) == DARK_GROUND
    sign_in_by_form(page, box)
    page.locator("details.account summary").last.click()
    with page.expect_response("**/settings/theme"):
        page.get_by_role("button", name="System", exact=True).click()
    assert ground(page) != DARK_GROUND
    context.close()
