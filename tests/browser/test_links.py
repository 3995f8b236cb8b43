"""The pages of short links in a real browser: make, follow, look; edit with a preview; import; clean for axe."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, StorageState, expect

from tests.browser.axe import faults, violations_here
from tests.browser.chromium import USER_AGENT
from tests.browser.tab import REFUSED, quiet, tab_of
from tests.browser.test_pages import HOSTILE, SETTINGS, context_of, sign_in
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

RULES = [
    {
        "name": "Germans",
        "targetUrl": "https://target.example/de",
        "conditions": [{"property": "country", "operator": "in", "values": ["DE", "AT"]}],
    }
]
BROKEN_OFF = ("htmx:sendAbort", "htmx:sendError", "htmx:afterRequest")
VARIANTS = [{"name": name, "targetUrl": f"https://target.example/{name}", "weight": 1} for name in "AB"]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box with links of all kinds, some with names that want to do harm."""
    path: Path = tmp_path_factory.mktemp("links") / "data"
    with running_box(path, **(SETTINGS | {"limit_rpc": 0, "limit_key": 0})) as running:
        folder = call(running, "linkFolders/create", name="A folder with quite a long name of several words")
        for number, text in enumerate(HOSTILE):
            if text.isprintable():
                call(running, "links/create", name=text[:200], targetUrl=f"https://target.example/{number}")
        rich: dict[str, Any] = {"name": "Rich", "targetUrl": f"https://target.example/{'long' * 60}", "slug": "rich"}
        rich |= {"tags": ["one", "x" * 50], "rules": RULES, "variants": VARIANTS, "folderId": folder["id"]}
        call(running, "links/create", **rich, maxClicks=100_000, utm={"source": "poster"}, deepLinkApp="spotify")
        over = {"name": "Over", "targetUrl": "https://target.example/", "expiresAt": "2020-01-01T00:00:00Z"}
        call(running, "links/create", **over, password="open sesame")
        for address in ("rich", "rich", "never-was"):
            httpx.get(f"{running.url}/l/{address}", headers={"user-agent": USER_AGENT})
        yield running


def call(box: Box, procedure: str, **given: Any) -> dict[str, Any]:
    answer = httpx.post(f"{box.url}/{procedure}", json=given, headers={"x-api-key": box.account.api_key})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def page_of(box: Box, slug: str) -> str:
    """The path of the page of this link."""
    (found,) = call(box, "links/paginated", search=slug)["items"]
    return f"/links/{found['id']}"


@pytest.fixture(scope="module")
def session(browser: Browser, box: Box) -> StorageState:
    """The cookies of somebody who has signed in once for all of these tests."""
    context = context_of(browser)
    sign_in(context.new_page(), box)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="module")
def tab(browser: Browser, session: StorageState) -> Iterator[Page]:
    """The tab of somebody who is signed in."""
    with tab_of(context_of(browser, storage_state=session)) as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The same, silent on the console. Only that something is broken off, as by leaving the page, is no fault."""
    with quiet(tab, but=BROKEN_OFF) as page:
        yield page


def test_a_link_is_made_followed_and_looked_at(page: Page, box: Box) -> None:
    target = f"http://target.example:{box.server.port}/there"
    page.goto(f"{box.url}/links")
    page.click("text=New link")
    form, said = page.locator("form").filter(has=page.locator("#slug")), page.locator("#preview")
    expect(page.locator("#name")).to_be_hidden()
    page.click("text=Advanced")
    for words in ("Targeting rules", "Social preview"):
        expect(form.get_by_text(words, exact=True)).to_be_visible()
    expect(form.get_by_role("button", name="Create link")).to_be_visible()
    page.fill("#targetUrl", target)
    expect(said).to_contain_text("A slug will be generated.")
    page.fill("#slug", "made-here")
    expect(said).not_to_contain_text("A slug will be generated.")
    page.fill("#name", "Made here")
    page.keyboard.press("Enter")  # which is the button at the end, not the first one in the form
    expect(page.get_by_role("status")).to_have_text("Link created.")
    expect(page.locator("h1")).to_have_text("Made here")
    expect(page.locator(".empty")).to_contain_text("No clicks yet")
    own = page.url.partition("?")[0]
    followed = httpx.get(f"{box.url}/l/made-here", headers={"user-agent": USER_AGENT})
    assert followed.headers["location"] == target
    page.goto(f"{own}?range=today")
    expect(page.locator("#tile-clicks .tile-value")).to_have_text("1")
    expect(page.locator("#chart canvas")).to_have_count(1)
    page.click("#panel-devices a[data-tab=browsers]")
    expect(page.locator("#panel-devices .bar")).to_contain_text("Chrome")
    page.wait_for_url("**tab=browsers")
    page.click("#panel-devices .bar-link")
    expect(page.locator("#chip-browser_name")).to_contain_text("Chrome")
    page.keyboard.press("d")
    page.wait_for_url("**range=today**")


def test_the_last_tab_that_is_chosen_is_shown_whatever_comes_first(page: Page, box: Box) -> None:
    """The list before it is held back for ever."""
    page.goto(f"{box.url}{page_of(box, 'rich')}?range=today&wait=all")
    page.route("**/parts/devices?*browsers*", lambda route: None)
    with page.expect_request("**/parts/devices?*browsers*"):
        page.click("#panel-devices a[data-tab=browsers]")
    page.click("#panel-devices a[data-tab=systems]")
    expect(page.locator("#panel-devices .bar")).to_contain_text("Windows")
    page.wait_for_url("**tab=systems**")


def test_a_page_is_narrowed_from_its_menu(page: Page, box: Box) -> None:
    page.goto(f"{box.url}{page_of(box, 'rich')}?range=today")
    page.keyboard.press("f")
    expect(page.locator("#filter-field")).to_be_focused()
    page.select_option("#filter-field", "os_name")
    page.locator("#filter-value").press_sequentially("win")
    expect(page.locator("#filter-suggestions [role=option]")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#filter-value")).to_have_attribute("aria-activedescendant", "suggestion-1")
    page.keyboard.press("Enter")
    expect(page.locator("#filter-tokens")).to_contain_text("Windows")
    page.keyboard.press("Enter")
    expect(page.locator("#chip-os_name")).to_contain_text("Windows")
    expect(page.locator("#tile-clicks .tile-value")).to_have_text("2")
    page.click("#filter-button")
    page.click("#kind-bot")
    expect(page.locator("#chip-kind")).to_contain_text("Bots")
    expect(page.locator("#tile-clicks .tile-value")).to_have_text("0")
    expect(page.locator("#filter-button")).to_be_focused()
    page.click("#chip-os_name")
    expect(page.locator("#chip-os_name")).to_have_count(0)
    expect(page.locator("#chip-kind")).to_contain_text("Bots")


def test_chosen_value_stays_after_more_typing(page: Page, box: Box) -> None:
    page.goto(f"{box.url}{page_of(box, 'rich')}?range=today")
    held: list[Route] = []
    asked = re.compile(r"[?&]q=win(&|$)")
    page.route(asked, lambda route: held.append(route))  # noqa: PLW0108  Playwright marks what it calls
    page.keyboard.press("f")
    page.select_option("#filter-field", "os_name")
    page.locator("#filter-value").press_sequentially("wi")
    option = page.locator("#filter-suggestions [role=option]")
    expect(option).to_have_count(1)
    with page.expect_request(asked):
        page.keyboard.press("n")
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    for route in held:
        route.continue_()
    page.keyboard.press("Enter")
    expect(page.locator("#filter-tokens")).to_contain_text("Windows")


def test_the_preview_follows_what_is_typed(page: Page, box: Box) -> None:
    page.goto(box.url + page_of(box, "rich") + "/edit")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("50.0\N{NO-BREAK SPACE}% of visitors")
    page.fill("#as\\.country", "Austria")
    expect(page.locator("#goes")).to_have_text("https://target.example/de?utm_source=poster")
    expect(page.locator("#because")).to_have_text("Rule: Germans")
    page.fill("#rules\\.0\\.targetUrl", "https://target.example/at")
    expect(page.locator("#goes")).to_have_text("https://target.example/at?utm_source=poster")
    page.fill("#rules\\.0\\.targetUrl", "javascript:alert(1)")
    expect(preview).to_contain_text("Enter a full http or https URL")
    page.fill("#rules\\.0\\.targetUrl", "https://target.example/at")
    page.get_by_role("button", name="Add rule").click()
    expect(page.locator("#rules\\.1\\.conditions\\.0\\.property")).to_be_focused()
    page.select_option("#rules\\.1\\.conditions\\.0\\.property", "device")
    page.fill("#rules\\.1\\.conditions\\.0\\.value", "mobile")
    page.fill("#rules\\.1\\.name", "Phones")
    page.fill("#rules\\.1\\.targetUrl", "https://target.example/phone")
    page.get_by_role("button", name="Move rule 2 up").click()
    expect(page.locator("#rules\\.0\\.name")).to_have_value("Phones")
    page.select_option("#as\\.device", "mobile")
    expect(page.locator("#because")).to_have_text("Rule: Phones")
    page.get_by_role("button", name="Remove rule 1").click()
    expect(page.locator("#because")).to_have_text("Rule: Germans")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status")).to_contain_text("Link saved.")
    expect(page.locator(".link-facts")).to_contain_text(
        "Germans: Country is one of Germany, Austria → https://target.example/at"
    )


def test_values_that_are_entered_before_scripts_have_loaded_get_their_preview(page: Page, box: Box) -> None:
    held: list[Route] = []
    page.route("**/htmx.min.js*", lambda route: held.append(route))  # noqa: PLW0108  Playwright marks what it calls
    with page.expect_request("**/htmx.min.js*"):
        page.goto(f"{box.url}{page_of(box, 'rich')}/edit", wait_until="commit")
    page.fill("#as\\.country", "Austria")
    page.fill("#rules\\.0\\.targetUrl", "https://target.example/early")
    held[0].continue_()
    expect(page.locator("#goes")).to_have_text("https://target.example/early?utm_source=poster")


def test_invalid_field_gets_the_focus(tab: Page, box: Box) -> None:
    with quiet(tab, but=(REFUSED,)) as page:
        page.goto(f"{box.url}/links/new")
        page.get_by_role("button", name="Create link").click()
        expect(page.locator("#targetUrl")).to_be_focused()
        expect(page.locator("#targetUrl-error")).to_have_text("Enter a destination")


def test_a_short_address_is_copied(browser: Browser, box: Box, session: StorageState) -> None:
    context = context_of(browser, storage_state=session)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.clock.install()  # the button says so for two seconds, which are over when the test wants it
    page.goto(f"{box.url}/links?search=rich")
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    page.click(".link-line [data-copies]")
    expect(page.locator(".link-line [data-copies]")).to_contain_text("Copied")
    address = call(box, "links/paginated", search="rich")["items"][0]["shortUrl"]
    assert page.evaluate("navigator.clipboard.readText()") == address
    page.clock.run_for(2_000)
    expect(page.locator(".link-line [data-copies]")).to_have_text("")
    context.close()


def test_a_file_is_checked_and_imported(page: Page, box: Box, tmp_path: Path) -> None:
    rows = "".join(f"Row {number},https://target.example/{number},,New folder\n" for number in range(300))
    sheet = tmp_path / "links.csv"
    sheet.write_text(f"name,targetUrl,slug,folder\n{rows}Wrong,javascript:alert(1),,\n")
    page.goto(f"{box.url}/links/bulk")
    page.set_input_files("#file", sheet)
    page.click("text=Check file")
    expect(page.locator("#state")).to_have_text("Ready to import")
    expect(page.locator(".import-rows tbody tr")).to_contain_text("301")
    page.click("text=Import 300 links")
    expect(page.locator("#state")).to_have_text("Imported")
    page.goto(f"{box.url}/links/folders")
    expect(page.locator(".place", has_text="New folder")).to_contain_text("300 links")
    page.goto(f"{box.url}/links")
    page.click(".list-menu summary")
    with page.expect_download() as download:
        page.click("text=Export as CSV")
    assert "Row 299" in Path(download.value.path()).read_text()


PAGES = (
    "/links",
    "/links/countries",
    "/links?search=zzz",
    "/links/new",
    "/links/bulk",
    "/links/folders",
    "/links/domains",
)


def pages(box: Box) -> Iterator[str]:
    """The addresses of all pages."""
    own = page_of(box, "rich")
    yield from (box.url + path for path in (*PAGES, own, f"{own}/edit", f"{own}/delete"))


@pytest.mark.node
def test_every_page_is_clean_for_axe_and_none_scrolls_sideways(
    browser: Browser, box: Box, session: StorageState
) -> None:
    context = context_of(browser, storage_state=session)
    page = context.new_page()
    found = [wrong for address in pages(box) for wrong in faults(page, address)]
    assert page.evaluate("window.broken") is None
    page.goto(f"{box.url}/links/bulk")
    page.fill("#text", "name,targetUrl\nWrong,javascript:1\nRight,https://target.example/")
    page.click("text=Check text")
    expect(page.locator("#state")).to_have_text(re.compile("Ready to import"))
    found += violations_here(page)
    context.close()
    assert found == []


@pytest.mark.thorough  # the same forms and lists as with scripts
def test_a_link_is_made_and_changed_without_scripts(browser: Browser, box: Box, session: StorageState) -> None:
    context = context_of(browser, java_script_enabled=False, storage_state=session)
    page = context.new_page()
    page.goto(f"{box.url}/links/new")
    page.fill("#targetUrl", "https://target.example/plain")
    page.click("text=Advanced")
    page.get_by_role("button", name="Add rule").click()
    page.fill("#rules\\.0\\.conditions\\.0\\.value", "FR")
    page.fill("#rules\\.0\\.targetUrl", "https://target.example/fr")
    page.fill("#as\\.country", "France")
    page.get_by_role("button", name="Show destination").click()
    expect(page.locator("#goes")).to_have_text("https://target.example/fr")
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("h1")).to_have_text("target.example/plain")
    page.goto(page.url.partition("?")[0] + "?wait=all")
    expect(page.locator(".empty")).to_contain_text("No clicks yet")
    httpx.get(
        f"{box.url}/l/{page.locator('#short').inner_text().rpartition('/')[2]}", headers={"user-agent": USER_AGENT}
    )
    page.reload()
    page.click("#filter-button")
    page.fill("#filter-value", "Nowhere")
    page.click(".filter-form button")
    expect(page.locator("#chip-referrer")).to_contain_text("Nowhere")
    expect(page.locator("#tile-clicks .tile-value")).to_have_text("0")
    page.click("#chip-referrer")
    expect(page.locator("#tile-clicks .tile-value")).to_have_text("1")
    page.locator(".link-facts").get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete target.example/plain").click()
    expect(page.get_by_role("status")).to_contain_text("Link deleted")
    page.goto(f"{box.url}/links/bulk")
    page.fill("#text", "targetUrl\nhttps://target.example/pasted")
    page.click("text=Check text")
    expect(page.get_by_role("button", name="Import 1 link")).to_be_visible()
    context.close()


def test_short_url_is_copied_in_one_line_without_the_clipboard_api(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/links?search=rich")
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error()))")
    page.evaluate("addEventListener('copy', (e) => { window.copied = e.clipboardData.getData('text/plain'); })")
    page.click(".link-line [data-copies]")
    page.wait_for_function("window.copied !== undefined")
    address = call(box, "links/paginated", search="rich")["items"][0]["shortUrl"]
    assert page.evaluate("window.copied") == address
