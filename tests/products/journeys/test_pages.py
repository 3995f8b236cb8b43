"""The page of journeys: the drawing, its list, the way into a funnel, and its file."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape

import pytest

from analytics_box.base.clock import MINUTE
from analytics_box.products.journeys.flow import HEIGHT, draw
from tests.cases import each
from tests.inprocess import WholeBox, whole_box

WAYS = (("/", "/pricing", "/signup"), ("/", "/pricing"), ("/", "/blog/a", "/blog/b", "/signup"), ("/pricing",))


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with whole_box(tmp_path_factory.mktemp("journeys") / "data") as inside:
        for visitor, way in enumerate(WAYS):
            for number, path in enumerate(way):
                at = inside.clock.now() - 60 * MINUTE + number * MINUTE
                content = {"anonymousId": f"v{visitor}", "timestamp": at, "websiteId": inside.sites["shop"]}
                content |= {"name": "screen_view", "path": f"https://shop.example{path}"}
                assert inside.post("/track", content, key="all").status == 200
        yield inside


def get(box: WholeBox, address: str = "", page: str = "journeys") -> str:
    answer = box.get(f"/sites/{box.sites['shop']}/{page}{address}", cookie=box.cookie, accept="text/html")
    assert answer.status == 200, answer.body[:500]
    return unescape(answer.body.decode())


def listed(shown: str) -> list[list[tuple[str, str]]]:
    """The nodes of each column of the list, with their sessions."""
    found = re.search(r'<ol class="flow-list">(.*?)</ol>', shown, re.DOTALL)
    assert found is not None
    columns = found.group(1).split("<h3>")[1:]
    return [re.findall(r'<bdi>([^<]*)</bdi>(?:</a>)? <span class="number">(\d+)<', column) for column in columns]


@each(
    ("address", "wanted"),
    [
        ("?steps=3", [[("/", "3"), ("/pricing", "1")], [("/pricing", "2"), ("/blog/a", "1")]]),
        ("?steps=3&collapse=/blog/*", [[("/", "3"), ("/pricing", "1")], [("/pricing", "2"), ("/blog/*", "1")]]),
        ("?way=from&anchor=page&name=/pricing&steps=3", [[("/pricing", "3")], [("/signup", "1")]]),
        (
            "?way=to&anchor=page&name=/signup&steps=3&collapse=/blog/*",
            [[("/", "2")], [("/pricing", "1"), ("/blog/*", "1")], [("/signup", "2")]],
        ),
    ],
)
def test_list_has_the_pages_of_each_step(box: WholeBox, address: str, wanted: list[list[tuple[str, str]]]) -> None:
    assert listed(get(box, address))[: len(wanted)] == wanted


def test_node_opens_a_funnel_of_the_way_to_it(box: WholeBox) -> None:
    shown = get(box, "?steps=3")
    link = re.search(r'href="(/sites/[^"]*/funnels/new[^"]*signup[^"]*)"', shown)
    assert link is not None
    form = get(box, "?" + link.group(1).partition("?")[2], page="funnels/new")
    assert all(f'value="{path}"' in form for path in ("/", "/pricing", "/signup"))


def test_node_filters_the_page_to_the_sessions_with_it(box: WholeBox) -> None:
    nodes = get(box).split('<li><p><a href="')[1:]
    links = {node.partition("<bdi>")[2].partition("<")[0]: re.findall(r'href="([^"]+)">Only', node) for node in nodes}
    shown = get(box, "?" + links["/blog/a"][0].partition("?")[2])
    assert listed(shown)[0] == [("/", "1")]


def test_nodes_are_compared_with_those_of_another_range(box: WholeBox) -> None:
    today = datetime.fromtimestamp(box.clock.now() / 1000, UTC).date().isoformat()
    shown = get(box, f"?range=today&steps=3&compare=own&cfrom={today}&cto={today}").replace("\N{NO-BREAK SPACE}", " ")
    assert shown.count("75 %, before: 75 %") == 1
    assert "before:" not in get(box, "?range=today&steps=3&compare=off")


def test_range_without_sessions_says_so(box: WholeBox) -> None:
    assert "No journeys in this range" in get(box, "?from=2025-01-01&to=2025-01-31&range=custom")


def test_file_has_the_steps(box: WholeBox) -> None:
    answer = box.get(f"/sites/{box.sites['shop']}/journeys/export/json", cookie=box.cookie)
    assert answer.status == 200
    assert b'"/pricing"' in answer.body


def test_nodes_and_bands_stay_in_the_drawing() -> None:
    rows = [
        {"step": 1, "node_type": "page", "node": f"/{n}", "next_type": kind, "next": name, "sessions": 1 + n}
        for n in range(8)
        for kind, name in (("page", f"/{n}"), ("other", ""), ("end", ""))
    ]
    for backwards in (False, True):
        drawn = draw(rows, backwards=backwards)
        assert all(node.y + node.height <= HEIGHT + 1 for column in drawn.columns for node in column)
        assert len(drawn.bands) == 16
        assert sum(node.sessions for node in drawn.columns[-1 if backwards else 0]) == 3 * 36
