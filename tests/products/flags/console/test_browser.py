"""Flags in a browser: the form with its live preview, and the accessibility of its pages."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import to_builtins
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import faults
from tests.browser.chromium import launch
from tests.browser.tab import quiet, tab_of
from tests.browser.test_pages import context_of, sign_in
from tests.products.flags.definitions import WRITTEN
from tests.running import UNLIMITED, Box, running_box

pytestmark = pytest.mark.browser

PARTS = ("/rollout", "/test?userId=anna", "/history", "/code")
SETTINGS = UNLIMITED | {"limit_sign_in": 0, "limit_rpc": 0}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    with running_box(tmp_path_factory.mktemp("flags") / "data", **SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launch(light=True) as found:
        yield found


@pytest.fixture(scope="module")
def tab(browser: Browser, box: Box) -> Iterator[Page]:
    """The tab of somebody who is signed in."""
    with tab_of(context_of(browser, bypass_csp=False)) as page:
        sign_in(page, box)
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The same, in which nothing may be said on the console."""
    with quiet(tab) as page:
        yield page


@pytest.mark.node
def test_form_of_a_flag_shows_its_sentences_while_the_user_types(page: Page, box: Box) -> None:
    page.goto(f"{box.url}/flags/new")
    page.fill("#name", "Checkout page")
    expect(page.locator("#reads")).to_contain_text("checkout-page")
    page.fill("#key", "checkout")
    page.check("#type-multivariant", force=True)
    expect(page.locator("#rolloutPercentage")).to_be_hidden()
    page.click("#add-variant")
    expect(page.locator("[name='variants.0.value']")).to_be_focused()
    page.fill("[name='variants.0.weight']", "60")
    expect(page.locator("#sum")).to_contain_text("40\N{NO-BREAK SPACE}% missing")
    page.click("#add-variant")
    expect(page.locator("[name='variants.1.value']")).to_be_focused()  # the new fields are listened to by now
    page.fill("[name='variants.1.weight']", "40")
    expect(page.locator("#sum")).to_contain_text("add up to 100")
    page.click("#add-rule")
    expect(page.locator("[name='rules.0.if.0.attribute']")).to_be_focused()
    page.fill("[name='rules.0.if.0.values']", "anna\nben")
    page.select_option("[name='rules.0.gives']", "variant:treatment")
    sentence = "User ID is one of anna, ben → variant treatment"
    expect(page.locator("#said-0")).to_have_text(sentence)
    expect(page.locator("#reads li").first).to_have_text(sentence)
    page.click("#add-conditions-0")
    page.select_option("[name='rules.0.if.1.0.attribute']", "property")
    page.fill("[name='rules.0.if.1.0.property']", "plan")
    page.fill("[name='rules.0.if.1.0.values']", "pro")
    page.click("#remove-condition-0-1-1")
    expect(page.locator("#said-0")).to_contain_text("and plan is pro")
    page.click("form .form-foot button[value=save]")
    page.wait_for_url("**/flags/*?done=created")
    expect(page.locator("main")).to_contain_text("All other users → control")


@pytest.mark.node
def test_a_form_with_all_that_it_can_have_is_clean_for_axe(browser: Browser, box: Box) -> None:
    context = context_of(browser)
    page = context.new_page()
    sign_in(page, box)

    def make(procedure: str, **fields: Any) -> str:
        answer = context.request.post(f"{box.url}/{procedure}", data=fields, headers={"sec-fetch-site": "same-origin"})
        assert answer.ok, answer.text()
        made: str = answer.json()["id"]
        return made

    rules = to_builtins(WRITTEN[:2])
    group = make("targetGroups/create", name="Testers", color="#16a34a", rules=rules)
    make("flags/create", key="login")
    flag = make(
        "flags/create",
        key="whole",
        type="multivariant",
        rules=[*rules, to_builtins(WRITTEN[9])],
        variants=[{"key": "control", "value": "x", "weight": 100}],
        prerequisites=[{"key": "login", "gives": ["true"]}],
        targetGroupIds=[group],
        payload={"a": 1},
    )
    found = [
        each
        for path in ("", "/edit", "/copy", "/delete", *PARTS)
        for each in faults(page, f"{box.url}/flags/{flag}{path}")
    ]
    context.close()
    assert found == []
