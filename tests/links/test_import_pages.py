"""Importing links on pages: a file or a text is checked, then kept but for what is wrong."""

import re

import pytest

from analytics_box.links.import_jobs import MOST
from tests.keys.people import cookie_of
from tests.links.page_world import SHEET, PageWorld


def test_a_sheet_is_checked_and_then_imported_but_for_what_is_wrong(pages: PageWorld) -> None:
    path = pages.imported(SHEET)
    page = pages.over(path)
    assert "Import 1 link, leave out what is wrong" in page
    assert re.search(r">2</th><td><code>targetUrl</code></td><td><bdi>A link leads to an http or https", page)
    assert re.search(r">3</th><td><code>slug</code></td><td><bdi>This slug is already taken", page)
    assert pages.follow("one1").status == 404
    assert pages.sent(path, {}).status == 303
    page = pages.over(path)
    assert "Imported" in page
    assert pages.follow("one1").headers["location"] == "https://example.com/1"
    assert "Sheet" in pages.seen("/links/folders")
    assert pages.sent(path, {}).status == 303  # nothing is imported twice
    assert len(re.findall("/l/one1<", pages.seen("/links?search=one1"))) == 1


def test_a_file_is_imported_as_it_is(pages: PageWorld) -> None:
    body = (
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="links.json"\r\n\r\n'
        b'[{"targetUrl": "https://example.com/json", "slug": "from-json"}]\r\n--b--\r\n'
    )
    headers = {
        "content_type": "multipart/form-data; boundary=b",
        "cookie": pages.box.cookie,
        "sec_fetch_site": "same-origin",
    }
    answer = pages.box.ask("POST", "/links/bulk/file", headers=headers, body=body)
    assert answer.status == 303
    assert "Import 1 link<" in pages.over(answer.headers["location"])


@pytest.mark.parametrize(("content", "says"), [("", "Choose a file"), (" \n", "Choose a file")])
def test_nothing_is_not_imported(pages: PageWorld, content: str, says: str) -> None:
    answer = pages.sent("/links/bulk/text", {"text": content})
    assert (answer.status, says in answer.body.decode()) == (400, True)


def test_what_is_no_sheet_of_links_says_so(pages: PageWorld) -> None:
    assert "targetUrl has to be one of them" in pages.over(pages.imported("a,b\n1,2"))
    assert "A JSON file of links is a list of objects" in pages.over(pages.imported('{"a": 1}'))


def test_an_import_is_seen_by_who_began_it(pages: PageWorld) -> None:
    path = pages.imported(SHEET)
    pages.over(path)
    member = cookie_of(pages.box, "member")
    assert pages.page(path, member).status == 404
    assert pages.sent(path, {}, member).status == 404
    pages.box.clock.advance(seconds=16 * 60)
    assert pages.page(path).status == 404


def test_what_was_checked_for_one_organization_is_not_imported_into_another(pages: PageWorld) -> None:
    both = cookie_of(pages.box, "member", also_in=pages.box.foreign_organization_id)
    path = pages.imported(SHEET, both)
    pages.over(path, both)
    assert pages.sent("/organizations/switch", {"organization": pages.box.foreign_organization_id}, both).status == 303
    assert pages.sent(path, {}, both).status == 404


def test_only_so_many_files_wait_at_once(pages: PageWorld) -> None:
    pages.box.clock.advance(seconds=16 * 60)
    for _ in range(MOST):
        pages.imported(SHEET, cookie_of(pages.box, "member"))
    answer = pages.sent("/links/bulk/text", {"text": SHEET})
    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    pages.box.clock.advance(seconds=16 * 60)
    pages.imported(SHEET)
