"""Names that strangers chose, on a shared dashboard, its embed, its tables and files, and in a report: always text."""

import csv
import io
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.inprocess import WholeBox
from tests.products.overview.filtered import box_of_visitors
from tests.products.shares.test_dashboards import call, open_link, seen, share

CORPUS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></td></table><svg onload=alert(1)>",
    "{{7*7}}${7*7}{% raw %}",
    "javascript:alert(1)",
    "=HYPERLINK(1,2)",
    "@SUM(1)",
    "\u202egnp.exe\u2066",
    "a\r\nBcc: eve@evil.example",
    "\x00\x1b[31m",
    "x" * 600,
)


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("hostile")) as made:
        origin, client = "https://shop.example", f"client_id={made.sites['shop']}"
        for number, text in enumerate(CORPUS):
            who = {"anonymousId": f"hostile-{number}", "path": f"{origin}/{text}", "title": text}
            who |= {"utm_source": text, "referrer": f"https://evil.example/{text}"}
            for name in ("screen_view", text[:100]):
                made.post(f"/?{client}", {"name": name, **who}, origin=origin)
            error = {"anonymousId": f"hostile-{number}", "path": f"{origin}/{text}", "message": text}
            made.post(f"/errors?{client}", [error], origin=origin)
        made.clock.advance(seconds=60)
        yield made


class Elements(HTMLParser):
    """The attributes of all elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(name, value or "") for name, value in attrs]


def check_page(text: str) -> None:
    """Check that no name became an element, a handler, an address that runs, or a template."""
    found = Elements(text)
    assert not [name for name, _value in found.attributes if name.startswith("on") or name == "style"]
    assert not [
        value for name, value in found.attributes if name in {"href", "src"} and "script:" in value.lower()[:20]
    ]
    assert "alert(1)</script>" not in text
    assert "\u202e" not in text
    assert "49${" not in text


@pytest.fixture(scope="module")
def link(box: WholeBox) -> Any:
    everything = ["sources", "pages", "places", "devices", "events", "goals"]
    return share(box, panels=everything, embedHosts=["www.example.com"], hasBadge=True, title="<i>Board</i>")


def test_hostile_names_are_text_on_the_dashboard_and_its_embed(box: WholeBox, link: Any) -> None:
    page = seen(box, link["url"])
    assert "&lt;script&gt;alert(1)" in page
    check_page(page)
    embedded = box.get(f"/embed/{link['slug']}?range=today&wait=all", accept="text/html")
    assert embedded.status == 200
    assert "&lt;script&gt;alert(1)" in embedded.body.decode()
    check_page(embedded.body.decode())


@pytest.mark.parametrize("name", ["pages", "sources", "utm_source", "events"])
def test_hostile_names_are_text_in_tables_and_no_formulas_in_files(box: WholeBox, link: Any, name: str) -> None:
    table = open_link(box, link["url"], "?range=today", f"/details/{name}")
    assert table.status == 200
    check_page(table.body.decode())
    rows = open_link(box, link["url"], "?range=today", f"/details/{name}/csv").body.decode("utf-8-sig")
    assert not [cell for row in csv.reader(io.StringIO(rows)) for cell in row if cell[:1] in {*"=+@\t\r\n"}]


def test_hostile_names_are_text_in_a_report_and_no_formulas_in_its_files(box: WholeBox) -> None:
    sections = ["figures", "sources", "pages", "events", "errors", "links", "flags"]
    given = {"websiteId": box.sites["shop"], "name": CORPUS[1][:90], "sections": sections}
    made = call(box, "reports.create", **given, frequency="daily", hour=0)
    box.clock.advance(seconds=86_400)
    preview = call(box, "reports.preview", id=made["id"])
    assert "&lt;script&gt;alert(1)" in preview["html"]
    check_page(preview["html"])
    assert preview["subject"].isprintable()
    assert not [line for line in preview["text"].splitlines() if line.startswith("Bcc:")]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_files_of_a_hostile_dashboard_can_be_read(box: WholeBox, link: Any, form: str) -> None:
    answer = open_link(box, link["url"], "?range=last_7d", f"/export/{form}")
    assert answer.status == 200
    assert answer.headers["content-disposition"].startswith("attachment")
    if form == "json":
        assert answer.json["pages"]
    else:
        assert zipfile.ZipFile(io.BytesIO(answer.body)).testzip() is None
