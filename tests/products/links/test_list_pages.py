"""The list of short links, and who may see and do what: pages without scripts, and what their HTML never holds."""

import re
from urllib.parse import quote

import pytest

from analytics_box.base.store.strings import Strings
from analytics_box.products.links.clicks.rows import append
from analytics_box.products.links.listing.pages import SEARCHED
from tests.products.links.world import GOOGLEBOT, HOSTILE, TARGET, PageWorld
from tests.query.clicks_of_all_kinds import click
from tests.tenants.keys.world import cookie_of


def test_a_link_is_made_found_and_shown(pages: PageWorld) -> None:
    link_id = pages.made(name="Spring sale", slug="spring", tags="sale, print", utm__source="poster")
    page = pages.seen("/links?search=spring")
    assert "Spring sale" in page
    assert "/l/spring" in page
    assert 'href="/links?search=spring&amp;tag=print"' in page
    pages.follow("spring")
    pages.follow("spring", user_agent=GOOGLEBOT)
    own = pages.seen(f"/links/{link_id}?wait=all")
    assert re.search(r'id="tile-clicks".*?tile-value number">1<', own, re.DOTALL)
    assert re.search(r'id="tile-others".*?tile-value number">1<', own, re.DOTALL)
    assert "utm_source=poster" in own


def test_a_link_is_deleted_after_a_question(pages: PageWorld) -> None:
    link_id = pages.made(name=HOSTILE, slug="goes-away")
    page = pages.seen(f"/links/{link_id}/delete")
    assert "/l/goes-away stops working immediately" in page
    assert pages.sent(f"/links/{link_id}/delete", {}).headers["location"] == "/links?done=deleted"
    assert pages.follow("goes-away").status == 404
    assert pages.page(f"/links/{link_id}").status == 404


PLACES = ("", "/edit", "/delete", "/parts/figures", "/parts/sources", "/details/sources", "/export/json")


@pytest.mark.parametrize("rest", PLACES)
def test_links_of_others_are_not_there(pages: PageWorld, rest: str) -> None:
    pages.box.box.box_db.write_now(
        lambda db: (
            db.execute(
                "insert or ignore into links (id, organization_id, created_by, domain, slug, name, target_url,"
                " target_domain, created_at, updated_at)"
                " values ('foreign1', ?, 'x', '', 'foreign1', 'Secret plan', 'https://e.example/', 'e.example', 1, 1)",
                (pages.box.foreign_organization_id,),
            )
            and None
        )
    )
    for link_id in ("foreign1", "nowhere1"):
        answer = pages.page(f"/links/{link_id}{rest}")
        assert answer.status == 404
        assert b"Secret plan" not in answer.body
    assert "Secret plan" not in pages.seen("/links")


def test_typed_text_is_escaped_on_every_page(pages: PageWorld) -> None:
    link_id = pages.made(name=HOSTILE, tags=HOSTILE, externalId=HOSTILE, ogTitle=HOSTILE)
    for path in ("/links", f"/links/{link_id}?wait=all", f"/links/{link_id}/edit", f"/links/{link_id}/delete"):
        assert "<script>alert" not in pages.seen(path)
    pages.follow("never-was-this")
    assert "<script>alert" not in pages.seen(f"/links?search={quote(HOSTILE)}&tag={quote(HOSTILE)}&folder=x")


def test_viewers_read_and_members_write_but_not_domains(pages: PageWorld) -> None:
    link_id = pages.link(slug="for-all")["id"]
    viewer, member = cookie_of(pages.box, "viewer"), cookie_of(pages.box, "member")
    for path in ("/links", f"/links/{link_id}", "/links/folders", "/links/domains", f"/links/{link_id}/qr/svg"):
        assert pages.page(path, viewer).status == 200, path
    assert "/links/new" not in pages.seen("/links", viewer)
    assert "/edit" not in pages.seen(f"/links/{link_id}", viewer)
    for path in ("/links/new", f"/links/{link_id}/edit", f"/links/{link_id}/delete", "/links/bulk"):
        assert pages.page(path, viewer).status == 403, path
        assert pages.page(path, member).status == 200, path
    for path in (
        "/links/new",
        f"/links/{link_id}/edit",
        f"/links/{link_id}/delete",
        "/links/folders",
        "/links/bulk/text",
    ):
        assert pages.sent(path, {"targetUrl": TARGET, "name": "x", "text": "x"}, viewer).status == 403, path
    for path in ("/links/domains", "/links/domains/save", "/links/domains/remove"):
        assert pages.sent(path, {"domain": "x.example"}, member).status == 403, path
    assert pages.follow("for-all").status == 302


def test_the_list_is_paged_sorted_and_forgiving(pages: PageWorld) -> None:
    rows = "\n".join(f"P{number:03},https://example.com/p{number},,Paged" for number in range(60))
    path = pages.imported(f"name,targetUrl,slug,folder\n{rows}")
    pages.over(path)
    pages.sent(path, {})
    pages.over(path)
    folder = re.findall(r'/links\?folder=([^"]+)"><bdi>Paged', pages.seen("/links/folders"))[0]
    first = pages.seen(f"/links?folder={folder}&sort=name-asc")
    assert "1–50 of 60" in first
    assert ("P000" in first, "P050" in first) == (True, False)
    second = pages.seen(f"/links?folder={folder}&sort=name-asc&page=2")
    assert "51–60 of 60" in second
    assert ("P000" in second, "P050" in second) == (False, True)
    for query in ("page=0", "page=-1", "page=x", "page=99999999", "sort=x", "page=\u0663", "folder=%00"):
        assert pages.page(f"/links?{query}").status == 200, query


def test_the_list_is_sorted_by_clicks(pages: PageWorld) -> None:
    for slug, clicks in (("sort-a", 1), ("sort-b", 3), ("sort-c", 0), ("sort-d", 2)):
        pages.made(name=slug, slug=slug, tags="sorted")
        for _ in range(clicks):
            pages.follow(slug)
            pages.box.clock.advance(seconds=1)

    def order(sort: str) -> list[str]:
        return re.findall(r"<bdi>(sort-\w)</bdi>", pages.seen(f"/links?tag=sorted&sort={sort}"))

    assert order("clicks") == ["sort-b", "sort-d", "sort-a", "sort-c"]
    assert order("last-click") == ["sort-d", "sort-b", "sort-a", "sort-c"]
    assert 'href="/links?search=sort-a&amp;tag=sorted&amp;sort=clicks"' in pages.seen(
        "/links?search=sort-a&sort=clicks"
    )


def test_list_of_few_links_has_no_search_until_twelve_exist_or_a_filter_is_set(pages: PageWorld) -> None:
    pages.box.box.box_db.write_now(lambda db: db.execute("delete from links") and None)
    for number in range(SEARCHED - 1):
        pages.link(slug=f"few-{number}")
    assert 'role="search"' not in pages.seen("/links")
    assert 'role="search"' in pages.seen("/links?search=few")
    pages.link(slug="one-more")
    assert 'role="search"' in pages.seen("/links")


def test_column_names_of_the_list_sort_it_and_a_second_click_returns_to_newest_first(pages: PageWorld) -> None:
    pages.link(slug="sortable")
    assert 'href="/links?sort=clicks" title="Sort by clicks"' in pages.seen("/links")
    assert 'href="/links" title="Sort by clicks" aria-current="true"' in pages.seen("/links?sort=clicks")


def test_most_clicked_links_are_listed_by_country(pages: PageWorld) -> None:
    made = [pages.link(slug=slug, name=slug)["id"] for slug in ("abroad-a", "abroad-b")]
    find = "select number from links where id = ?"
    first, second = pages.box.box.box_db.read_now(
        lambda db: [db.execute(find, (one,)).fetchall()[0][0] for one in made]
    )
    visits = ((first, "DE"), (second, "DE"), (second, "DE"), (first, "GB"))
    clicks = [click(int(str(link)), pages.box.clock.now(), country=country) for link, country in visits]
    pages.box.box.events.db.write_now(lambda db: append(db, strings=Strings(), clicks=clicks, orphans={}))
    page = pages.seen("/links/countries")
    lines = {
        country: re.findall(r"<bdi>(abroad-\w)</bdi></a> <span class=\"number\">(\d)<", links)
        for country, links in re.findall(
            r"<h2><bdi>(.*?)</bdi></h2>(.*?)</li>\s*(?=<li class=\"country|</ul>)", page, re.DOTALL
        )
    }
    assert lines["Germany"][:2] == [("abroad-b", "2"), ("abroad-a", "1")]
    assert lines["United Kingdom"] == [("abroad-a", "1")]
    pages.box.clock.advance(seconds=8 * 86_400)
    assert "No clicks in this range" in pages.seen("/links/countries?range=last_7d")
    assert "Germany" in pages.seen("/links/countries?range=last_30d")
