"""The pages of short links: who may do what, forms without scripts, and what their HTML never holds."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.inprocess import Answer, whole_box
from tests.links.conftest import unlimited
from tests.links.world import GOOGLEBOT, TARGET, World

HOSTILE = '"><script>alert(1)</script>\u202e'


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    path: Path = tmp_path_factory.mktemp("link-pages") / "data"
    with whole_box(path, adjust=unlimited) as box:
        yield World(box)


@pytest.fixture(scope="module")
def cookie(world: World) -> str:
    return world.box.cookie


def seen(world: World, path: str, cookie: str) -> str:
    answer = world.box.get(path, cookie=cookie, accept="text/html")
    assert answer.status == 200, answer.body
    return answer.body.decode()


def sent(world: World, path: str, fields: dict[str, str], cookie: str) -> Answer:
    form = {"content_type": "application/x-www-form-urlencoded", "cookie": cookie, "sec_fetch_site": "same-origin"}
    return world.box.ask("POST", path, headers=form, body=urlencode(fields).encode())


def made(world: World, cookie: str, **fields: str) -> str:
    """The id of a link that the form has made; names have _ for a dot."""
    form = {"targetUrl": TARGET, "do": "save"} | {name.replace("__", "."): value for name, value in fields.items()}
    answer = sent(world, "/links/new", form, cookie)
    assert answer.status == 303, answer.body.decode()
    return answer.headers["location"].removeprefix("/links/").partition("?")[0]


def test_a_link_is_made_found_and_shown(world: World, cookie: str) -> None:
    link_id = made(world, cookie, name="Spring sale", slug="spring", tags="sale, print", utm__source="poster")
    page = seen(world, "/links?search=spring", cookie)
    assert "Spring sale" in page
    assert "/l/spring" in page
    assert 'href="/links?search=spring&amp;tag=print"' in page
    world.follow("spring")
    world.follow("spring", user_agent=GOOGLEBOT)
    own = seen(world, f"/links/{link_id}?wait=all", cookie)
    assert re.search(r'id="tile-clicks".*?tile-value number">1<', own, re.DOTALL)
    assert re.search(r'id="tile-others".*?tile-value number">1<', own, re.DOTALL)
    assert "utm_source=poster" in own


def test_without_a_name_it_is_called_like_its_target(world: World, cookie: str) -> None:
    link_id = made(world, cookie, targetUrl="https://example.com/unnamed")
    assert "<bdi>example.com/unnamed</bdi>" in seen(world, f"/links/{link_id}", cookie)


def test_the_folders_are_made_renamed_and_deleted(world: World, cookie: str) -> None:
    assert sent(world, "/links/folders", {"name": "Print"}, cookie).status == 303
    page = seen(world, "/links/folders?done=folder-made", cookie)
    folder = re.findall(r'/links\?folder=([^"]+)"><bdi>Print', page)[0]
    again = sent(world, "/links/folders", {"name": "print"}, cookie)
    assert (again.status, b"There is a folder with this name already" in again.body) == (409, True)
    assert sent(world, "/links/folders/rename", {"id": folder, "name": "Posters"}, cookie).status == 303
    link_id = made(world, cookie, name="In a folder", folderId=folder)
    assert "In a folder" in seen(world, f"/links?folder={folder}", cookie)
    assert "In a folder" not in seen(world, "/links?folder=none", cookie)
    assert "Delete the folder Posters?" in seen(world, f"/links/folders/delete?id={folder}", cookie)
    assert sent(world, "/links/folders/delete", {"id": folder}, cookie).status == 303
    assert "Posters" not in seen(world, "/links/folders", cookie)
    assert "In a folder" in seen(world, f"/links/{link_id}", cookie)


def test_domains_of_short_links_are_served_changed_and_given_up(world: World, cookie: str) -> None:
    world.link_domain()
    assert "go.example.org" in seen(world, "/links/domains", cookie)
    saved = {"domain": "go.example.org", "homeUrl": "https://example.com/home", "notFoundUrl": ""}
    assert sent(world, "/links/domains/save", saved, cookie).status == 303
    assert world.follow("", host="go.example.org").headers["location"] == "https://example.com/home"
    wrong = sent(world, "/links/domains/save", saved | {"homeUrl": "javascript:alert(1)"}, cookie)
    assert wrong.status == 400
    assert b'id="homeUrl-go.example.org-error"' in wrong.body
    assert "Stop serving links on go.example.org?" in seen(world, "/links/domains/remove?domain=go.example.org", cookie)
    assert sent(world, "/links/domains/remove", {"domain": "go.example.org"}, cookie).status == 303
    page = seen(world, "/links/domains", cookie)
    assert "<option>go.example.org</option>" in page
    assert sent(world, "/links/domains", {"domain": "go.example.org"}, cookie).status == 303
    assert sent(world, "/links/domains/remove", {"domain": "go.example.org"}, cookie).status == 303


def test_what_was_asked_for_and_leads_nowhere_can_be_made(world: World, cookie: str) -> None:
    world.follow("never-was")
    world.follow("only-a-bot", user_agent=GOOGLEBOT)
    page = seen(world, "/links/domains", cookie)
    assert 'href="/links/new?slug=never-was"' in page
    assert "only-a-bot" not in page
    assert 'value="never-was"' in seen(world, "/links/new?slug=never-was", cookie)


SHEET = "name,targetUrl,slug,folder\nOne,https://example.com/1,one1,Sheet\nTwo,javascript:alert(1),two2,\n,https://example.com/3,one1,\n"


def imported(world: World, cookie: str, content: str) -> str:
    """The path of an import whose check is over."""
    answer = sent(world, "/links/bulk/text", {"content": content}, cookie)
    assert answer.status == 303, answer.body.decode()
    return answer.headers["location"]


def over(world: World, path: str, cookie: str) -> str:
    """The page of an import once nothing is at work."""
    for _ in range(200):
        page = seen(world, path, cookie)
        if "<progress" not in page:
            return page
    raise AssertionError(page)


def test_a_sheet_is_checked_and_then_imported_but_for_what_is_wrong(world: World, cookie: str) -> None:
    path = imported(world, cookie, SHEET)
    page = over(world, path, cookie)
    assert "Import 1 link, leave out what is wrong" in page
    assert re.search(r">2</th><td><code>targetUrl</code></td><td><bdi>A link leads to an http or https", page)
    assert re.search(r">3</th><td><code>slug</code></td><td><bdi>This slug is already taken", page)
    assert world.follow("one1").status == 404
    assert sent(world, path, {}, cookie).status == 303
    page = over(world, path, cookie)
    assert "Imported" in page
    assert world.follow("one1").headers["location"] == "https://example.com/1"
    assert "Sheet" in seen(world, "/links/folders", cookie)
    assert sent(world, path, {}, cookie).status == 303  # nothing is imported twice
    assert len(re.findall("/l/one1<", seen(world, "/links?search=one1", cookie))) == 1


def test_a_file_is_imported_as_it_is(world: World, cookie: str) -> None:
    body = (
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="links.json"\r\n\r\n'
        b'[{"targetUrl": "https://example.com/json", "slug": "from-json"}]\r\n--b--\r\n'
    )
    headers = {"content_type": "multipart/form-data; boundary=b", "cookie": cookie, "sec_fetch_site": "same-origin"}
    answer = world.box.ask("POST", "/links/bulk/file", headers=headers, body=body)
    assert answer.status == 303
    assert "Import 1 link<" in over(world, answer.headers["location"], cookie)


@pytest.mark.parametrize(("content", "says"), [("", "Choose a file"), (" \n", "Choose a file")])
def test_nothing_is_not_imported(world: World, cookie: str, content: str, says: str) -> None:
    answer = sent(world, "/links/bulk/text", {"content": content}, cookie)
    assert (answer.status, says in answer.body.decode()) == (400, True)


def test_what_is_no_sheet_of_links_says_so(world: World, cookie: str) -> None:
    assert "targetUrl has to be one of them" in over(world, imported(world, cookie, "a,b\n1,2"), cookie)
    assert "A JSON file of links is a list of objects" in over(world, imported(world, cookie, '{"a": 1}'), cookie)
