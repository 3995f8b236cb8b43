"""Embedded dashboards, badges and live counters: by whom they can be shown, and what they say."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.web.page.assets import join_files
from tests.inprocess import Answer, WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, visitors
from tests.products.shares.test_dashboards import call, open_link, seen, segment, share

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("embeds")) as made:
        yield made


@pytest.fixture(autouse=True)
def _rested(box: WholeBox) -> None:
    box.clock.advance(seconds=60)


def embed(box: WholeBox, made: Any, query: str = "?range=today&wait=all", part: str = "") -> Answer:
    return box.get(f"/embed/{made['slug']}{part}{query}", accept="text/html")


def ancestors(answer: Answer) -> str:
    found = re.search(r"frame-ancestors ([^;]*)", answer.headers["content-security-policy"])
    assert found is not None
    return found[1].strip()


def test_dashboard_can_be_embedded_by_the_chosen_hosts_only(box: WholeBox) -> None:
    made = share(box, embedHosts=["https://www.example.com/page", "*.Example.ORG:8443"])
    answer = embed(box, made)
    assert answer.status == 200
    assert visitors(answer.body.decode()) == len(PEOPLE)
    assert ancestors(answer) == "'self' www.example.com *.example.org:8443"
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in answer.headers["content-security-policy"]
    assert ancestors(embed(box, made, "?range=today", "/details/pages")) == ancestors(answer)
    assert ancestors(open_link(box, made["url"])) == "'none'"


@pytest.mark.parametrize("given", [{}, {"embedHosts": ["example.com"], "password": "open sesame"}])
def test_link_without_hosts_or_with_a_password_is_not_embedded(box: WholeBox, given: dict[str, Any]) -> None:
    made = share(box, **given)
    for part in ("", "/parts/pages", "/details/pages", "/details/pages/csv", "/export/json"):
        assert embed(box, made, part=part).status == 404, part


def test_public_website_is_not_embedded_by_its_id(box: WholeBox) -> None:
    site = box.sites["shop"]
    call(box, "websites.togglePublic", id=site, isPublic=True)
    assert embed(box, {"slug": site}).status == 404
    call(box, "websites.togglePublic", id=site, isPublic=False)


def test_embedded_dashboard_links_to_itself_and_keeps_its_theme(box: WholeBox) -> None:
    made = share(box, embedHosts=["example.com"], isIndexed=True)
    page = embed(box, made, "?range=today&wait=all&theme=dark").body.decode()
    assert '<html lang="en" data-theme="dark">' in page
    assert f'href="/share/{made["slug"]}' not in page
    links = re.findall(rf'href="(/embed/{made["slug"]}[^"]*)"', page)
    assert links
    assert all("theme=dark" in link for link in links)
    assert 'name="robots" content="noindex"' in page
    assert 'data-theme="' not in embed(box, made, "?range=today&wait=all&theme=%22%3E%3Cscript%3E").body.decode()


def test_pages_of_a_link_and_of_its_embed_are_never_mixed(box: WholeBox) -> None:
    made = share(box, embedHosts=["example.com"])
    for _again in range(2):
        assert "/embed/" not in seen(box, made["url"], "?range=today")
        assert f'"/share/{made["slug"]}' not in embed(box, made, "?range=today").body.decode()


def count(box: WholeBox, made: Any) -> Answer:
    return box.get(f"/share/{made['slug']}/count.json", origin="https://www.example.com")


def badge(box: WholeBox, made: Any) -> Answer:
    return box.get(f"/share/{made['slug']}/badge.svg")


def test_badge_and_counter_say_how_many_visitors_there_are(box: WholeBox) -> None:
    made = share(box, hasBadge=True)
    answer = count(box, made)
    assert answer.json["visitors"] == len(PEOPLE)
    assert isinstance(answer.json["online"], int)
    assert answer.headers["access-control-allow-origin"] == "*"
    picture = badge(box, made)
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert f"visitors this month: {len(PEOPLE)}" in picture.body.decode()


def test_counter_of_a_filtered_link_counts_its_visits_only(box: WholeBox) -> None:
    made = share(box, hasBadge=True, segmentId=segment(box, "Germany"))
    assert count(box, made).json == {"visitors": 1, "online": None}
    assert 'class="online"' not in seen(box, made["url"])
    assert 'class="online"' in seen(box, share(box)["url"])


def test_badge_counts_nothing_from_before_the_earliest_date(box: WholeBox) -> None:
    assert count(box, share(box, hasBadge=True, earliestDate="2100-01-01")).json["visitors"] == 0


@pytest.mark.parametrize("given", [{}, {"hasBadge": True, "password": "open sesame"}])
def test_link_without_a_badge_or_with_a_password_says_no_number(box: WholeBox, given: dict[str, Any]) -> None:
    made = share(box, **given)
    assert count(box, made).status == 404
    assert badge(box, made).status == 404


def test_badge_ends_with_its_link(box: WholeBox) -> None:
    made = share(box, hasBadge=True)
    assert count(box, made).status == 200
    call(box, "shares.update", id=made["id"], hasBadge=False)
    assert count(box, made).status == 404
    call(box, "shares.update", id=made["id"], hasBadge=True)
    call(box, "shares.delete", id=made["id"])
    assert count(box, made).status == 404


@pytest.mark.parametrize("name", ["js/visitors.js", "js/embed_height.js", "js/embed.js"])
def test_scripts_for_other_websites_are_small(name: str) -> None:
    folder = REPOSITORY / "web/static"
    files = {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    assert len(join_files(files)[name]) <= 700
