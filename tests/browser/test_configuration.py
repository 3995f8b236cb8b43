"""Integrations, domains and defaults in a real browser: clean for axe, not too wide, usable without scripts."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.axe import NARROW, faults
from tests.browser.test_pages import SETTINGS, context_of, sign_in
from tests.examples import is_thorough
from tests.running import Box, running_box

pytestmark = pytest.mark.browser

HOST = "127.0.0.97"
LONG = "a-very-long-name-without-a-place-to-break-" * 2
PAGES = (
    "/settings/integrations",
    "/settings/integrations/new",
    "/settings/integrations/new?type=webhook",
    "/settings/integrations/new?type=http",
    "/settings/domains",
    "/settings/defaults",
    "/alerts",
    "/alerts/new",
    "/alerts/new?type=traffic_drop",
)
VARIANTS = (  # of pages above, for thorough runs
    "/settings/integrations/new?type=telegram",
    "/settings/integrations/new?type=email",
    "/settings/integrations/new?type=twilio",
    "/alerts/new?type=first_event",
)


class Receiver:
    """A program of somebody's that takes webhooks. `bodies` are what it got."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                receiver.bodies.append(json.loads(content))
                self.send_response(404 if self.path == "/gone" else 204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer((HOST, 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server.server_address[1]}"


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture(scope="module")
def box(receiver: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box with channels and domains whose names are as long as they may be."""
    mail = {"smtp_host": "mail.example", "smtp_from": f"{LONG[:60]}@{LONG[:60]}.example"}
    settings = SETTINGS | mail | {"allowed_private_targets": f"{HOST}/32"}
    with running_box(tmp_path_factory.mktemp("configuration") / "data", **settings) as running:

        def call(procedure: str, **given: object) -> Any:
            headers = {"x-api-key": running.account.api_key}
            path = procedure if "/" in procedure else f"config/{procedure}"
            answer = httpx.post(f"{running.url}/{path}", json=given, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.json()

        destinations = []
        for path, name in (("/ok", "Hook"), ("/gone", LONG)):
            made = call("createChannel", type="webhook", name=name, config={"url": receiver.url + path})
            call("testChannel", channelId=made["channel"]["id"])
            destinations.append({"type": "channel", "identifier": made["channel"]["id"]})
        call("alarms/create", name=LONG, triggerType="uptime", description=LONG * 5, destinations=destinations)
        call("addDomain", domain=f"{LONG[:50]}.{LONG[:50]}.{LONG[:50]}.example")
        yield running


@pytest.mark.node
def test_the_pages_are_clean_for_axe_and_fit(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)
    found = []
    page.goto(f"{box.url}/settings/integrations")
    log = page.get_by_role("link", name="Deliveries").first.get_attribute("href")
    page.goto(f"{box.url}/alerts")
    alarm = page.get_by_role("link", name="Edit").last.get_attribute("href")
    for path in (*PAGES, *(VARIANTS if is_thorough() else ()), str(log), str(alarm)):
        found += faults(page, box.url + path)
    context.close()
    assert found == []


@pytest.mark.thorough
def test_a_webhook_is_added_tried_and_deleted_without_scripts(browser: Browser, box: Box, receiver: Receiver) -> None:
    context = context_of(browser, NARROW, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, box)
    page.goto(f"{box.url}/settings/integrations")
    page.get_by_role("link", name="Add a channel").click()
    page.get_by_role("link", name="Webhook A signed").click()
    page.fill("#name", "Night shift")
    page.fill("#url", f"{receiver.url}/night")
    page.get_by_role("button", name="Add channel").click()
    expect(page.locator("#secret")).to_contain_text("whsec_")
    page.get_by_role("link", name="Back to integrations").click()
    before = len(receiver.bodies)
    page.get_by_role("button", name="Send a test Night shift").click()
    expect(page.get_by_text("The test arrived at Night shift.")).to_be_visible()
    assert [body["type"] for body in receiver.bodies[before:]] == ["channel.test"]
    page.get_by_role("link", name="Delete Night shift").click()
    page.get_by_role("button", name="Yes, continue").click()
    expect(page.get_by_text("Channel deleted.")).to_be_visible()
    expect(page.get_by_text("Night shift")).to_have_count(0)
    context.close()


def test_a_record_is_copied_with_one_click(browser: Browser, box: Box) -> None:
    context = context_of(browser, permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    sign_in(page, box)
    page.goto(f"{box.url}/settings/domains")
    value = page.locator(".record pre").last.inner_text()
    page.locator(".record .button").last.click()
    expect(page.locator(".record .button").last).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == value.strip()
    assert said == []
    context.close()


def test_an_alarm_is_made_tried_and_deleted_without_scripts(browser: Browser, box: Box, receiver: Receiver) -> None:
    context = context_of(browser, NARROW, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, box)
    page.goto(f"{box.url}/alerts")
    page.get_by_role("link", name="New alert rule").click()
    monitors = page.get_by_text("All monitors unless you select some.")
    expect(monitors).to_be_visible()
    page.get_by_label("Trigger").select_option("Traffic drop")
    expect(monitors).to_be_hidden()
    page.get_by_text("Advanced").click()
    page.fill("#name", "Fewer visitors")
    page.fill("#threshold", "40")
    page.locator(".alert-form button[type=submit]").click()
    expect(page.locator("#destinations-error")).to_be_visible()
    page.get_by_label("Hook").select_option("Immediately")
    page.locator(".alert-form button[type=submit]").click()
    expect(page.get_by_text("All websites, 40 % less than usual in 1 h")).to_be_visible()
    before = len(receiver.bodies)
    page.get_by_role("button", name="Send a test Fewer visitors").click()
    expect(page.get_by_text("The test arrived: Hook.")).to_be_visible()
    assert [body["type"] for body in receiver.bodies[before:]] == ["alarm.test"]
    page.get_by_role("link", name="Delete Fewer visitors").click()
    page.get_by_role("button", name="Yes, continue").click()
    expect(page.get_by_text(re.compile("deleted"))).to_be_visible()
    context.close()
