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
