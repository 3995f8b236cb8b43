"""A form that comes after the session has ended: its owner gets it again with what was typed, and nobody else."""

import inspect
from typing import NoReturn

import pytest

from analytics_box.app.routes import PAGES_AND_API
from analytics_box.tenants.accounts.tries import Tries
from analytics_box.web.call import Call
from analytics_box.web.page import kept_forms
from analytics_box.web.page.kept_forms import LIFE, MOST_TYPED
from tests.inprocess import EMAIL, PASSWORD, Answer, WholeBox
from tests.tenants.accounts.world import cookie_of, send

TYPED = {"name": "A <b>long</b> name", "domain": "https://shop.example/odd"}
KEPT = "/forms/kept"


def browser_of(box: WholeBox, email: str = EMAIL) -> str:
    """The cookie of a browser in which somebody was signed in."""
    return f"known={box.box.parts[Tries].mark(email)}"


def kept(box: WholeBox, path: str, browser: str = "", **typed: str) -> str:
    """Send a form without a session; the cookies of the browser then."""
    browser = browser or browser_of(box)
    answer = send(box, path, browser, **typed)
    assert (answer.status, answer.headers["location"]) == (303, f"/sign-in?next={KEPT}"), path
    return f"{browser}; {cookie_of(answer)}"


def shown(box: WholeBox, browser: str) -> Answer:
    """What the owner gets who has signed in again in this browser."""
    return box.get(KEPT, cookie=f"{box.cookie}; {browser}")


def test_form_is_restored_unsaved_after_the_same_user_signs_in(box: WholeBox) -> None:
    sites = box.get("/sites", cookie=box.cookie).body
    browser = kept(box, "/sites/new", **TYPED)
    page = box.get(f"/sign-in?next={KEPT}", cookie=browser).body.decode()
    assert "Your session has expired. Sign in to continue. Your form is kept for 30 minutes." in page
    assert TYPED["domain"] not in page, "whoever is not signed in sees nothing of it"
    done = send(box, "/sign-in", browser, email=EMAIL, password=PASSWORD, next=KEPT)
    assert done.headers["location"] == KEPT
    for _ in range(2):  # it can be loaded again
        form = box.get(KEPT, cookie=f"{browser}; {cookie_of(done)}")
        text = form.body.decode()
        assert form.status == 200
        assert (
            "You were signed out before this was saved. Your changes are still here: review them, then save."
        ) in text
        assert 'value="A &lt;b&gt;long&lt;/b&gt; name"' in text
        assert 'value="https://shop.example/odd"' in text
        assert 'action="/sites/new"' in text
    assert box.get("/sites", cookie=box.cookie).body == sites


def test_form_is_hidden_from_another_user_in_the_same_browser(box: WholeBox) -> None:
    browser = kept(box, "/sites/new", browser=browser_of(box, "eve@example.com"), **TYPED)
    answer = shown(box, browser)
    assert (answer.status, answer.headers["location"]) == (303, "/sites")
    assert shown(box, browser).status == 303
    assert box.get(KEPT, cookie=f"{box.cookie}; {browser_of(box)}").status == 303, "nor does another browser"


@pytest.mark.parametrize(
    ("path", "typed"),
    [("/sites/new", {"name": "x" * (MOST_TYPED + 1)}), ("/sites/new", {}), ("/settings/organization/leave", TYPED)],
    ids=["too large", "nobody known", "not kept"],
)
def test_form_that_cannot_be_kept_returns_to_its_page(box: WholeBox, path: str, typed: dict[str, str]) -> None:
    answer = send(box, path, browser_of(box) if typed else "known=x", **typed)
    assert answer.status == 303
    if typed:
        assert "set-cookie" not in answer.headers
        assert KEPT not in answer.headers["location"]


def test_secrets_are_not_kept_and_the_rest_only_for_a_while(box: WholeBox) -> None:
    browser = kept(box, "/sites/new", **TYPED, password="hush", apiToken="hush", code="hush", keyword="shoes")
    held = box.box.parts[kept_forms.KeptForms]._kept.items()[0][1].typed
    assert held == {**TYPED, "keyword": "shoes"}
    box.clock.advance(seconds=LIFE - 1)
    assert shown(box, browser).status == 200
    box.clock.advance(seconds=2)
    assert shown(box, browser).status == 303


def test_few_are_kept_and_those_of_others_are_not_pushed_out_from_one_address(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_forms, "MOST_OF_NETWORK", 2)
    headers = {"content_type": "application/x-www-form-urlencoded", "cookie": browser_of(box)}
    first = box.ask("POST", "/sites/new", headers=headers, body=b"name=First", address="198.51.100.9")
    for _ in range(5):
        kept(box, "/sites/new", **TYPED)
    assert len(box.box.parts[kept_forms.KeptForms]._kept) == 3
    assert b"First" in shown(box, f"{browser_of(box)}; {cookie_of(first)}").body
    monkeypatch.setattr(box.box.parts[kept_forms.KeptForms]._kept, "_most", 1)
    kept(box, "/sites/new", **TYPED)
    assert len(box.box.parts[kept_forms.KeptForms]._kept) == 1


def test_every_form_that_is_kept_is_shown_again_and_writes_nothing(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = f"/sites/{box.sites['shop']}"
    asked = [
        (route.path.replace("/sites/{website_id:str}", site), route.path)
        for route in PAGES_AND_API
        if route.kept and route.path.replace("/sites/{website_id:str}", "").count("{") == 0
    ]
    session = box.cookie

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a form that is only shown writes nothing")

    monkeypatch.setattr(Call, "write", refuse)
    for path, template in asked:
        browser = kept(box, path, name="Kept words", text="Kept words", question="type=top_pages", of=site[7:])
        answer = box.get(KEPT, cookie=f"{session}; {browser}")
        assert answer.status in {200, 400}, template
        assert (
            "You were signed out before this was saved. Your changes are still here: review them, then save."
        ) in answer.body.decode(), template
    assert len(asked) > 22


NOT_KEPT = {
    "rotate": "nothing is typed",
    "delete": "deleting is begun anew",
    "transfer": "giving away is begun anew",
    "save_channel": "addresses of channels are secrets",
    "upload": "a file is chosen again",
    "upload_logo": "a file is chosen again",
}


def test_every_handler_that_submits_what_was_typed_has_its_form_kept() -> None:
    for route in PAGES_AND_API:
        source = inspect.getsource(route.handler)
        submits = "visit.submit(" in source and "values=" in source
        submits |= any(
            call in source for call in (".saves()", " _save(", " _save_change(", " _answer_form(", "visit.typed")
        )
        assert route.kept == (submits and route.handler.__name__ not in NOT_KEPT), route.path
