"""Keeping status pages in a real browser: told at three in the morning, a preview that follows, clean for axe."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.test_pages import HOSTILE, context_of, sign_in
from tests.running import UNLIMITED, Box, running_box

pytestmark = pytest.mark.browser

SETTINGS = UNLIMITED | {"limit_sign_in": 0, "limit_rpc": 0, "limit_key": 0}
WEBHOOK = "https://hooks.example.com/a-path"
OPEN = {"title": "The shop does not answer", "severity": "critical", "message": "We look into *it*.\n\n- One\n- Two"}


def call(box: Box, procedure: str, **given: Any) -> dict[str, Any]:
    answer = httpx.post(f"{box.url}/{procedure}", json=given, headers={"x-api-key": box.account.api_key})
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("console") / "data", **SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def home(box: Box) -> str:
    """The path of a status page with everything on it, some of it with names that want to do harm."""
    monitor = call(box, "uptime/createSchedule", url="https://shop.invalid", granularity="day", name="Till")
    page = call(box, "statusPage/create", name="Shop", slug="shop", uptimeScheduleIds=[monitor["scheduleId"]])["id"]
    group = call(box, "statusPage/addGroup", statusPageId=page, name="A group with quite a long name of several words")
    for text in HOSTILE:
        if text.isprintable():
            call(box, "statusPage/addComponent", statusPageId=page, name=text[:120], groupId=group["id"])
    call(box, "statusPage/createIncident", statusPageId=page, **OPEN)
    call(box, "statusPage/createIncident", statusPageId=page, **OPEN, draft=True)
    call(box, "statusPage/saveTemplate", statusPageId=page, name="Slow", title="It is slow", message="Wait.")
    call(box, "statusPage/addSubscriber", statusPageId=page, address=WEBHOOK, type="webhook")
    over = call(box, "statusPage/createIncident", statusPageId=page, **OPEN)["id"]
    call(box, "statusPage/updateIncident", incidentId=over, status="resolved", message="It is over.")
    times = {"scheduledFor": "2035-01-01T10:00:00Z", "scheduledUntil": "2035-01-01T11:00:00Z"}
    call(box, "statusPage/createMaintenance", statusPageId=page, title="Upgrade", message="We upgrade.", **times)
    return f"/status-pages/{page}"


@pytest.fixture(scope="module")
def paths(box: Box, home: str) -> list[str]:
    page = home.removeprefix("/status-pages/")
    incidents = call_list(box, "statusPage/listIncidents", page) + call_list(box, "statusPage/listMaintenances", page)
    first = incidents[0]
    component = call(box, "statusPage/get", statusPageId=page)["monitors"][0]["id"]
    tabs = ("components", "maintenances", "history", "templates", "subscribers", "settings", "incidents/new")
    return [
        *("/status-pages", home),
        *(f"{home}/{tab}" for tab in (*tabs, "maintenances/new", "delete", f"components/{component}")),
        *(f"{home}/incidents/{one['id']}" for one in incidents),
        f"{home}/incidents/{first['id']}/updates/{first['updates'][0]['id']}",
        f"{home}/maintenances/{incidents[-1]['id']}/edit",
    ]


def call_list(box: Box, procedure: str, page: str) -> list[dict[str, Any]]:
    found: Any = call(box, procedure, statusPageId=page)
    return list(found)


@pytest.mark.node
def test_every_page_is_clean_for_axe_none_scrolls_sideways_and_names_do_nothing(
    browser: Browser, box: Box, paths: list[str]
) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    found = []
    for path in paths:
        found += faults(page, f"{box.url}{path}")
        assert page.evaluate("window.broken") is None, path
    context.close()
    assert found == []


def test_the_preview_follows_what_is_typed_and_the_way_back_is_one_step(page: Page, box: Box, home: str) -> None:
    page.goto(f"{box.url}{home}/settings")
    shown = page.frame_locator(".status-preview iframe:not(.status-preview-next)")
    expect(shown.locator(".brand")).to_have_text("Shop")
    steps = page.evaluate("history.length")
    page.locator("details.check-more > summary").click()
    page.fill("#name", "Corner shop")
    expect(shown.locator(".brand")).to_have_text("Corner shop")
    page.select_option("#theme", "dark")
    expect(shown.locator("html")).to_have_class("dark")
    expect(page.locator(".status-preview iframe")).to_have_count(1)
    expect(page.locator("#name")).to_be_focused()
    assert page.evaluate("history.length") == steps


def test_an_incident_is_told_with_the_keyboard_alone(page: Page, box: Box, home: str) -> None:
    page.goto(f"{box.url}{home}/incidents/new")
    expect(page.locator("#message")).to_be_focused()
    page.keyboard.type("The till is being repaired.")
    while not page.evaluate("document.activeElement.value === 'publish'"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**?done=published")
    page.goto(f"{box.url}/status/shop")
    expect(page.locator("main")).to_contain_text("The till is being repaired.")


def test_subscriber_count_follows_the_form(page: Page, box: Box, home: str) -> None:
    page.goto(f"{box.url}{home}/incidents/new")
    expect(page.locator("#told")).to_contain_text("none follow these components")
    page.uncheck("[name=notify]")
    expect(page.locator("#told")).to_contain_text("No subscribers are notified.")


def test_a_component_goes_up_and_keeps_the_focus_of_the_keyboard(page: Page, box: Box, home: str) -> None:
    page.goto(f"{box.url}{home}/components")
    names = page.locator(".status-order > li:not(.status-order-inner) strong")
    before = names.all_inner_texts()
    button = page.locator(".status-order-group button[name]:not([aria-disabled])")
    button.first.focus()
    page.keyboard.press("Enter")
    expect(names.first).not_to_have_text(before[0])
    assert sorted(names.all_inner_texts()) == sorted(before)
    assert page.evaluate("document.activeElement.closest('.status-order-group') !== null")
