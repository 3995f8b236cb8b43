"""Pages of websites over the whole box: who may see them, what forms do, and what their HTML never holds."""

import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest

from analytics_box.app.parts import web_dir
from analytics_box.figures import panels
from analytics_box.figures.page import Dashboard
from analytics_box.figures.pickers import chart_choices, comparison_shown, range_shown
from analytics_box.figures.view import read_view
from analytics_box.products.overview.board import PANELS, WEBSITE
from analytics_box.query.catalog.types import Record
from analytics_box.query.ranges import DayRange
from analytics_box.web.page import assets
from analytics_box.web.page.dates import USUAL
from analytics_box.web.page.templates import Pages
from tests.inprocess import Answer, SiteName, WholeBox, whole_box

FORM = {"content_type": "application/x-www-form-urlencoded", "sec_fetch_site": "same-origin"}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("pages") / "data") as inside:
        view_page(inside, "shop", "/welcome")
        yield inside


def view_page(box: WholeBox, site: SiteName, path: str) -> None:
    page = {"name": "screen_view", "path": f"https://{site}.example{path}", "anonymousId": "a1"}
    answer = box.post(f"/?client_id={box.sites[site]}", page, accept_language="en")
    assert answer.status == 200, answer.body


def seen(box: WholeBox, target: str, **headers: str) -> Answer:
    """What the signed-in owner gets."""
    return box.get(target, cookie=box.cookie, accept="text/html", **headers)


def sent(box: WholeBox, target: str, fields: dict[str, str], **headers: str) -> Answer:
    """What the signed-in owner's form is answered with."""
    return box.ask("POST", target, headers={"cookie": box.cookie, **FORM, **headers}, body=urlencode(fields).encode())


def site(box: WholeBox, name: SiteName, rest: str = "") -> str:
    return f"/sites/{box.sites[name]}{rest}"


def test_a_stranger_is_sent_to_sign_in_and_comes_back(box: WholeBox) -> None:
    answer = box.get(site(box, "shop", "?range=today"), accept="text/html")
    assert answer.status == 303
    assert answer.headers["location"] == f"/sign-in?next=/sites/{box.sites['shop']}%3Frange%3Dtoday"


def test_a_part_of_a_page_sends_the_whole_page_to_sign_in(box: WholeBox) -> None:
    page = f"http://localhost:8000{site(box, 'shop')}"
    answer = box.get(site(box, "shop", "/live"), hx_request="true", hx_current_url=page)
    assert answer.status == 401
    assert answer.headers["hx-redirect"] == f"/sign-in?next={site(box, 'shop')}"
    assert answer.body == b""


def test_a_part_never_leads_to_another_host(box: WholeBox) -> None:
    answer = box.get(
        site(box, "shop", "/live"), hx_request="true", hx_current_url="https://evil.example//evil.example/"
    )
    assert answer.headers["hx-redirect"] == "/sign-in"


FILTERED = "?range=today&country=Germany"


def test_signing_in_again_leads_back_to_the_same_filters(box: WholeBox) -> None:
    shop, host = site(box, "shop"), "http://localhost"
    back = f"/sign-in?next={shop}%3Frange%3Dtoday%26country%3DGermany"
    chosen = box.get(f"{shop}{FILTERED}", hx_request="true", hx_boosted="true", hx_current_url=f"{host}{shop}")
    assert chosen.headers["hx-redirect"] == back, "a filter that was just chosen"
    part = box.get(f"{shop}/parts/pages", hx_request="true", hx_current_url=f"{host}{shop}{FILTERED}")
    assert part.headers["hx-redirect"] == back
    sent = box.ask("POST", f"{shop}/monitor", headers={**FORM, "referer": f"{host}{shop}{FILTERED}"})
    assert sent.headers["location"] == back, "the page on which a form stood"
    elsewhere = box.ask("POST", f"{shop}/monitor", headers={**FORM, "referer": f"https://evil.example{shop}"})
    assert elsewhere.headers["location"] == "/sign-in"


@pytest.mark.parametrize(
    "rest", ["", "/live", "/parts/pages", "/parts/figures", "/details/pages", "/details/pages/csv"]
)
def test_a_website_of_others_is_not_there(box: WholeBox, rest: str) -> None:
    answer = seen(box, site(box, "foreign", rest))
    assert answer.status == 404
    assert b"foreign.example" not in answer.body
    assert seen(box, f"/sites/nowhere{rest}").status == 404


def test_an_api_key_is_no_person(box: WholeBox) -> None:
    assert box.get("/sites", x_api_key=box.keys["all"]).status == 403


def test_the_list_shows_the_own_websites_only(box: WholeBox) -> None:
    page = seen(box, "/sites").body.decode()
    assert "shop.example" in page
    assert "Waiting for the first event" in page
    assert "foreign.example" not in page


def test_the_overview_shows_what_arrived(box: WholeBox) -> None:
    page = seen(box, site(box, "shop", "?wait=all")).body.decode()
    assert "/welcome" in page
    assert "data-chart=" in page


def test_a_website_without_events_shows_its_snippet(box: WholeBox) -> None:
    page = seen(box, site(box, "local")).body.decode()
    assert "data-track-localhost" in page
    assert "data-chart=" not in page
    assert 'data-reload="first-event"' in page


def test_page_without_a_stream_can_poll_the_same_figures(box: WholeBox) -> None:
    assert seen(box, site(box, "local", "/live")).json["begun"] is False
    told = seen(box, site(box, "shop", "/live")).json
    assert told == {"online": 1, "text": "1 online now", "begun": True, "stored": told["stored"], "missed": 0}
    nobody = box.get(site(box, "shop", "/live"), accept="application/json")
    assert nobody.status == 401, "which a page says, and goes nowhere by itself"


@pytest.mark.parametrize("name", ["figures", *PANELS, "errors", "vitals"])
def test_every_part_can_be_had_alone(box: WholeBox, name: str) -> None:
    answer = seen(box, site(box, "shop", f"/parts/{name}"))
    assert answer.status == 200
    wanted = "figures" if name == "figures" else f"panel-{name}"
    assert re.findall(r'<section[^>]* id="([^"]+)"', answer.body.decode())[0] == wanted
    assert b"<html" not in answer.body


def test_a_part_that_does_not_exist_is_not_there(box: WholeBox) -> None:
    assert seen(box, site(box, "shop", "/parts/secrets")).status == 404


def test_a_new_website_is_made_and_leads_to_its_snippet(box: WholeBox) -> None:
    answer = sent(box, "/sites/new", {"name": "Notes", "domain": "https://www.notes.example/start"})
    assert answer.status == 303
    page = seen(box, answer.headers["location"]).body.decode()
    assert "notes.example" in page
    assert "Waiting for the first visit" in page


WRONG = [
    ({"name": "Notes", "domain": "not a domain"}, 400, "Enter a domain, such as"),
    ({"name": "", "domain": "other.example"}, 400, "Enter a name of 1 to 100 characters"),
    ({"name": "Shop again", "domain": "shop.example"}, 409, "already"),
    ({}, 400, "field-error"),
]


@pytest.mark.parametrize(("fields", "status", "words"), WRONG)
def test_a_form_that_is_wrong_comes_back_with_what_was_typed(
    box: WholeBox, fields: dict[str, str], status: int, words: str
) -> None:
    answer = sent(box, "/sites/new", fields)
    page = answer.body.decode()
    assert answer.status == status
    assert words in page
    assert all(f'value="{value}"' in page for value in fields.values())


def test_typed_text_comes_back_escaped(box: WholeBox) -> None:
    page = sent(box, "/sites/new", {"name": '"><script>x', "domain": "x"}).body.decode()
    assert "<script>x" not in page


@pytest.mark.parametrize(
    "headers", [{"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "", "origin": "https://evil.example"}]
)
def test_a_form_of_another_site_makes_nothing(box: WholeBox, headers: dict[str, str]) -> None:
    assert sent(box, "/sites/new", {"name": "Evil", "domain": "evil.example"}, **headers).status == 403
    assert b"evil.example" not in seen(box, "/sites").body


@pytest.mark.parametrize("rest", ["", "?range=today&show=table&tab=systems&zone=Asia/Kathmandu", "?range=x&zone=%00"])
def test_no_page_has_inline_scripts_styles_or_handlers(box: WholeBox, rest: str) -> None:
    for target in ("/sites", "/sites/new", site(box, "shop", rest), site(box, "local")):
        page = seen(box, target).body.decode()
        assert not re.search(r"<script(?![^>]* src=)", page)
        assert not re.search(r"<[^>]*\s(style|on\w+)=", page)
        assert "<style" not in page
        assert "http://" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)  # nothing from elsewhere


def test_pages_are_not_kept_by_caches(box: WholeBox) -> None:
    assert seen(box, site(box, "shop")).headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def pages() -> Pages:
    web = web_dir()
    return Pages(web / "templates", assets.Assets(web / "static"))


def rendered(pages: Pages, name: str, *, rows: list[Record] | None, failed: bool) -> str:
    view = read_view("/sites/w1", {"range": "today"}, WEBSITE)
    days = DayRange(date(2026, 11, 20), date(2026, 11, 20))
    shown = Dashboard(
        view=view,
        zone="UTC",
        range=range_shown(view, days, days.last, USUAL),
        comparison=comparison_shown(view, days, None, USUAL),
        drawing=chart_choices(view, days, "hour"),
        figures=None,
        lists=(panels.panel(view, name, rows, failed=failed),) if name in PANELS else (),
        names=(),
        filters={},
        figures_failed=failed,
        late=() if failed else (name,),
    )
    return str(pages.show("part.html", board=shown).content)


def test_a_part_that_is_late_keeps_its_place_and_is_fetched(pages: Pages) -> None:
    part = rendered(pages, "pages", rows=None, failed=False)
    assert 'data-late="/sites/w1/parts/pages?range=today"' in part
    assert 'aria-busy="true"' in part


@pytest.mark.parametrize("name", ["figures", "pages"])
def test_a_part_that_failed_says_so_and_does_not_fetch_itself_for_ever(pages: Pages, name: str) -> None:
    part = rendered(pages, name, rows=None, failed=True)
    assert "could not be loaded" in part
    assert "data-late" not in part


class Tags(HTMLParser):
    """What a browser makes of some HTML: its tags, their attributes, its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x>', "' onclick='x"])
def test_strangers_texts_are_text(pages: Pages, text: str) -> None:
    page = rendered(pages, "pages", rows=[{"path": text, "visitors": 1}], failed=False)
    tags = Tags(page)
    assert tags.names.isdisjoint({"script", "img"})
    assert tags.attributes.isdisjoint({"onclick", "src"})
    assert text in tags.text


def test_every_file_that_templates_name_exists(pages: Pages) -> None:
    folder = Path(web_dir())
    named = {
        name
        for template in (folder / "templates").rglob("*.html")
        for name in re.findall(r'static\("([^"]+)"\)', template.read_text())
    }
    assert named <= set(assets.Assets(folder / "static").files)


def test_every_icon_that_templates_name_exists() -> None:
    folder = Path(web_dir())
    sprite = set(re.findall(r'<symbol id="([^"]+)"', (folder / "static" / "icons.svg").read_text()))
    named = {
        name
        for template in (folder / "templates").rglob("*.html")
        for name in re.findall(r'icon\("([^"]+)"', template.read_text())
    }
    assert named <= sprite
