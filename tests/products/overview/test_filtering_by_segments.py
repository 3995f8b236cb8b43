"""Filters of an overview are saved as a segment, and chosen by its name."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urlencode

import pytest

from tests.inprocess import Answer, WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, overview, seen, visitors
from tests.tenants.keys.world import cookie_of


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("filters")) as made:
        yield made


def send(box: WholeBox, path: str, cookie: str = "", **fields: str) -> Answer:
    headers = {"content_type": "application/x-www-form-urlencoded", "origin": "http://localhost"}
    given = {"cookie": cookie or box.cookie, **headers}
    return box.ask("POST", f"/sites/{box.sites['shop']}/segments{path}", headers=given, body=urlencode(fields).encode())


def saved(box: WholeBox, name: str, query: str, **fields: str) -> str:
    """The address of the overview with a new segment."""
    answer = send(box, "", name=name, query=query, **fields)
    assert answer.status == 303, answer.body
    return answer.headers["location"]


def test_filters_are_saved_as_a_segment_and_chosen_by_name(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}"
    page = overview(box, "&1.country=Germany&1.city=Tbilisi")
    assert 'name="query" value="1.city=Tbilisi&amp;1.country=Germany"' in page
    back = unescape(re.findall(r'name="back" value="([^"]+)"', page)[0])
    address = saved(box, "<Near> & far", "1.city=Tbilisi&1.country=Germany", back=back)
    assert address.startswith(f"{home}?range=today&wait=all&segment=")
    narrowed = seen(box, address)
    assert visitors(narrowed) == 2
    assert "<span>Segment</span> <strong><bdi>&lt;Near&gt; &amp; far</bdi></strong>" in narrowed
    assert visitors(seen(box, f"{address}&city=Tbilisi")) == 1
    assert "<bdi>&lt;Near&gt; &amp; far</bdi>" in overview(box)
    segment = address.partition("segment=")[2]
    listed = seen(box, f"{home}/segments")
    assert '<bdi>City: Tbilisi</bdi> <span class="chip-word">or</span> <bdi>Country: Germany</bdi>' in listed
    changed = send(box, f"/{segment}", name="Far", query="?city=Tbilisi", shared="on")
    assert (changed.status, visitors(seen(box, address))) == (303, 1)
    assert "Delete the segment Far?" in seen(box, f"{home}/segments/{segment}/delete")
    assert send(box, f"/{segment}/delete").status == 303
    gone = seen(box, address)
    assert "this segment no longer exists" in gone
    assert visitors(gone) == len(PEOPLE)


def test_a_segment_names_its_goals_as_people_call_them(box: WholeBox) -> None:
    home = f"/sites/{box.sites['shop']}/segments"
    given = {"websiteId": box.sites["shop"], "type": "PAGE_VIEW", "target": "/", "name": "Seen & read"}
    goal = box.post("/rpc/goals/create", {"json": given}, key="all").json["json"]["id"]
    saved(box, "Readers", "reached_goal=seen+%26+READ")
    listed = seen(box, home)
    assert 'value="reached_goal=Seen+%26+read"' in listed
    assert f"reached_goal={goal}" not in listed


@pytest.mark.parametrize(
    ("query", "wrong"), [("secrets=1", "Enter at least one filter"), ("path.matches=(", "invalid pattern")]
)
def test_invalid_segment_returns_the_form_with_its_input(box: WholeBox, query: str, wrong: str) -> None:
    answer = send(box, "", name="Mine", query=query)
    page = answer.body.decode()
    assert (answer.status, wrong in page, 'value="Mine"' in page) == (400, True, True)


def test_private_segment_of_another_user_is_ignored(box: WholeBox) -> None:
    mine = saved(box, "Mine", "country=Germany")
    others = cookie_of(box, "viewer")
    answer = box.get(f"{mine}&wait=all&range=today", cookie=others, accept="text/html").body.decode()
    assert "this segment no longer exists" in answer
    assert ">Mine<" not in answer
    assert 'id="segment-save"' not in answer
    assert send(box, "", others, name="Theirs", query="country=Germany").status == 403
