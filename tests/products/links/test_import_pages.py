"""Importing links on pages: a file or a text is checked, then kept but for what is wrong."""

import re

import pytest

from analytics_box.products.links.bulk.jobs import MOST
from tests.inprocess import Answer
from tests.products.links.world import SHEET, PageWorld
from tests.tenants.keys.world import cookie_of


def test_a_sheet_is_checked_and_then_imported_but_for_what_is_wrong(pages: PageWorld) -> None:
    path = pages.imported(SHEET)
    page = pages.over(path)
    assert "Import 1 link, skip errors" in page
    assert re.search(r">2</th><td><code>targetUrl</code></td><td><bdi>Enter a full http or https", page)
    assert re.search(r">3</th><td><code>slug</code></td><td><bdi>This slug is already taken", page)
    assert pages.follow("one1").status == 404
    assert pages.sent(path, {}).status == 303
    page = pages.over(path)
    assert "Imported" in page
    assert pages.follow("one1").headers["location"] == "https://example.com/1"
    assert "Sheet" in pages.seen("/links/folders")
    assert pages.sent(path, {}).status == 303  # nothing is imported twice
    assert len(re.findall("/l/one1<", pages.seen("/links?search=one1"))) == 1


def uploaded(pages: PageWorld, content: bytes) -> Answer:
    """The answer to a file."""
    body = b'--b\r\ncontent-disposition: form-data; name="file"; filename="links"\r\n\r\n' + content + b"\r\n--b--\r\n"
    headers = {
        "content_type": "multipart/form-data; boundary=b",
        "cookie": pages.box.cookie,
        "sec_fetch_site": "same-origin",
    }
    return pages.box.ask("POST", "/links/bulk/file", headers=headers, body=body)


@pytest.mark.parametrize(
    "content",
    [
        b'[{"targetUrl": "https://example.com/json", "slug": "from-json"}]',
        "\ufefftargetUrl;name\r\nhttps://example.com/;Käse\r\n".encode(),
        "\ufefftargetUrl\tname\r\nhttps://example.com/\tKäse\r\n".encode("utf-16-le"),
    ],
)
def test_a_file_is_imported_as_it_is(pages: PageWorld, content: bytes) -> None:
    answer = uploaded(pages, content)
    assert answer.status == 303
    page = pages.over(answer.headers["location"])
    assert "1 row checked" in page
    assert "Import 1 link<" in page


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b"", 400, "Choose a file"),
        ("targetUrl,name\nhttps://example.com/,Käse\n".encode("latin-1"), 400, "Line 2 is not"),
        (b"PK\x03\x04\x14\0\x06\0", 400, "This is a spreadsheet"),
        (b"targetUrl\n" + b"x" * 8_000_000, 413, "larger than 8 MB"),
        (b"x" * 9_000_000, 413, "larger than 8 MB"),
    ],
    ids=["empty", "latin-1", "workbook", "a little too large", "too large"],
)
def test_a_file_that_cannot_be_read_says_so_beside_its_field(
    pages: PageWorld, content: bytes, status: int, says: str
) -> None:
    answer = uploaded(pages, content)
    assert answer.status == status
    wrong = re.search(r'id="file-error">.*?<span>(.*?)</span>', answer.body.decode())
    assert wrong is not None
    assert says in wrong[1]


def test_columns_that_mean_nothing_are_named(pages: PageWorld) -> None:
    page = pages.over(pages.imported("targetUrl,<b>Colour,utm source\nhttps://example.com/,red,s\n"))
    assert "Ignored columns: <bdi>&lt;b&gt;Colour</bdi>" in page
    assert "utm source" not in page


@pytest.mark.parametrize(("content", "says"), [("", "Choose a file"), (" \n", "Choose a file")])
def test_nothing_is_not_imported(pages: PageWorld, content: str, says: str) -> None:
    answer = pages.sent("/links/bulk/text", {"text": content})
    assert (answer.status, says in answer.body.decode()) == (400, True)


def test_file_without_links_is_refused(pages: PageWorld) -> None:
    assert "including targetUrl" in pages.over(pages.imported("a,b\n1,2"))
    assert "A JSON file of links is a list of objects" in pages.over(pages.imported('{"a": 1}'))


def test_an_import_is_seen_by_who_began_it(pages: PageWorld) -> None:
    path = pages.imported(SHEET)
    pages.over(path)
    member = cookie_of(pages.box, "member")
    assert pages.page(path, member).status == 404
    assert pages.sent(path, {}, member).status == 404
    pages.box.clock.advance(seconds=16 * 60)
    assert pages.page(path).status == 404


def test_file_checked_for_one_organization_is_not_imported_into_another(pages: PageWorld) -> None:
    both = cookie_of(pages.box, "member", also_in=pages.box.foreign_organization_id)
    path = pages.imported(SHEET, both)
    pages.over(path, both)
    assert pages.sent("/organizations/switch", {"organization": pages.box.foreign_organization_id}, both).status == 303
    assert pages.sent(path, {}, both).status == 404


def test_only_so_many_files_wait_at_once(pages: PageWorld) -> None:
    pages.box.clock.advance(seconds=16 * 60)
    for _ in range(MOST):
        cookie = cookie_of(pages.box, "member")
        pages.over(pages.imported(SHEET, cookie), cookie)  # what is at work keeps its place for longer
    answer = pages.sent("/links/bulk/text", {"text": SHEET})
    assert (answer.status, answer.headers["retry-after"]) == (503, "60")
    pages.box.clock.advance(seconds=16 * 60)
    pages.over(pages.imported(SHEET))


def test_files_held_in_several_organizations_make_room_for_others(pages: PageWorld) -> None:
    pages.box.clock.advance(seconds=16 * 60)
    both = cookie_of(pages.box, "member", also_in=pages.box.foreign_organization_id)
    first = pages.imported(SHEET, both)
    pages.over(first, both)
    assert pages.sent("/organizations/switch", {"organization": pages.box.foreign_organization_id}, both).status == 303
    pages.over(pages.imported(SHEET, both), both)
    for _ in range(MOST - 2):
        own = cookie_of(pages.box, "member")
        pages.over(pages.imported(SHEET, own), own)
    pages.over(pages.imported(SHEET))
    assert pages.sent("/organizations/switch", {"organization": pages.box.organization_id}, both).status == 303
    assert pages.sent(first, {}, both).status == 404
