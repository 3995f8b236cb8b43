"""Share links: what people without an account see of a website, and when a link ends."""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest

from analytics_box.products.shares import pages
from tests.inprocess import Answer, WholeBox
from tests.products.overview.filtered import PEOPLE, box_of_visitors, visitors

NUMBERS = count()


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WholeBox]:
    with box_of_visitors(tmp_path_factory.mktemp("shares")) as made:
        yield made


def call(box: WholeBox, procedure: str, **given: Any) -> Any:
    answer = box.post(f"/{procedure.replace('.', '/')}", given, key="all")
    assert answer.status == 200, answer.body
    return answer.json


def share(box: WholeBox, **given: Any) -> Any:
    return call(box, "shares.create", websiteId=box.sites["shop"], **{"name": "Board", **given})


def open_link(box: WholeBox, url: str, query: str = "?range=today&wait=all", part: str = "") -> Answer:
    """The page of a link, as a stranger gets it."""
    return box.get(f"{urlsplit(url).path}{part}{query}", accept="text/html")


def seen(box: WholeBox, url: str, query: str = "?range=today&wait=all", part: str = "") -> str:
    answer = open_link(box, url, query, part)
    assert answer.status == 200, answer.body
    return answer.body.decode()


def segment(box: WholeBox, country: str) -> str:
    filters = [{"field": "country", "op": "eq", "value": country}]
    given = {"websiteId": box.sites["shop"], "name": f"{country} {next(NUMBERS)}", "filters": filters, "isShared": True}
    return str(call(box, "segments.create", **given)["id"])


def test_stranger_with_a_link_sees_figures_and_nothing_about_single_visits(box: WholeBox) -> None:
    page = seen(box, share(box)["url"])
    assert visitors(page) == len(PEOPLE)
    assert "/docs" in page
    for hidden in (
        "Anna failed",
        "greeted",
        "anna.example",
        "$flag_evaluated",
        "/sites/",
    ):
        assert hidden not in page, hidden
    assert 'name="robots" content="noindex"' in page


@pytest.mark.parametrize(
    "query", ["&error=Anna+failed", "&event_property=plan", "&viewed_page=/pricing", "&goal=x", "&segment=x"]
)
def test_address_of_a_shared_page_cannot_ask_about_what_it_does_not_show(box: WholeBox, query: str) -> None:
    assert visitors(seen(box, share(box)["url"], f"?range=today&wait=all{query}")) == len(PEOPLE)


def test_link_of_a_segment_shows_its_visits_only_whatever_the_address_says(box: WholeBox) -> None:
    url = share(box, segmentId=segment(box, "Germany"))["url"]
    assert visitors(seen(box, url)) == 1
    assert visitors(seen(box, url, "?range=today&wait=all&country=Germany")) == 1
    for query in (
        "&country=Georgia",
        "&country.not=Germany",
        "&match=any&country=Georgia&browser_name=Chrome",
        "&segment=",
    ):
        page = seen(box, url, f"?range=today&wait=all{query}")
        assert "Tbilisi" not in page
        assert "Atlanta" not in page
    parts = seen(box, url, "?range=today", "/parts/sources,pages,countries,browsers")
    assert "Germany" in parts
    assert "Georgia" not in parts


def test_pages_of_two_links_are_never_mixed(box: WholeBox) -> None:
    urls = {country: share(box, segmentId=segment(box, country))["url"] for country in ("Germany", "Georgia")}
    for _again in range(2):
        for country, url in urls.items():
            page = seen(box, url, "?range=today")
            other = next(name for name in urls if name != country)
            assert f"<bdi>{other}</bdi>" not in page


def test_changed_segment_leaves_its_links_alone(box: WholeBox) -> None:
    chosen = segment(box, "United States")
    url = share(box, segmentId=chosen)["url"]
    call(box, "segments.delete", id=chosen)
    assert visitors(seen(box, url)) == 1


def test_deleted_link_ends_at_its_next_request(box: WholeBox) -> None:
    made = share(box)
    assert open_link(box, made["url"], "?range=today").status == 200
    call(box, "shares.delete", id=made["id"])
    for part in ("", "/parts/pages"):
        assert open_link(box, made["url"], "?range=today", part).status == 404


def test_expired_link_ends_and_works_again_with_a_later_time(box: WholeBox) -> None:
    made = share(box, expiresAt="2020-01-01T00:00:00Z")
    assert open_link(box, made["url"]).status == 404
    call(box, "shares.update", id=made["id"], expiresAt="2999-01-01T00:00:00Z")
    assert open_link(box, made["url"]).status == 200
    call(box, "shares.update", id=made["id"], expiresAt="2020-01-01T00:00:00Z")
    assert open_link(box, made["url"]).status == 404


def test_website_has_an_address_of_its_own_while_it_is_public(box: WholeBox) -> None:
    address = f"http://box.example/share/{box.sites['shop']}"
    assert open_link(box, address).status == 404
    call(box, "websites.togglePublic", id=box.sites["shop"], isPublic=True)
    assert visitors(seen(box, address)) == len(PEOPLE)
    call(box, "websites.togglePublic", id=box.sites["shop"], isPublic=False)
    assert open_link(box, address).status == 404


def test_unknown_link_is_not_found(box: WholeBox) -> None:
    for slug in ("x", "AAAAAAAAAAAAAAAAAAAAAA", "%00", "..%2fsites"):
        assert open_link(box, f"http://box.example/share/{slug}").status == 404


def test_link_is_secret_by_a_random_address(box: WholeBox) -> None:
    slugs = {share(box)["url"].rpartition("/")[2] for _ in range(3)}
    assert len(slugs) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", slug) for slug in slugs)


def test_segment_of_another_website_is_not_found(box: WholeBox) -> None:
    chosen = segment(box, "France")
    answer = box.post("/shares/create", {"websiteId": box.sites["blog"], "name": "x", "segmentId": chosen}, key="all")
    assert answer.status == 404


def enter(box: WholeBox, url: str, password: str) -> Answer:
    headers = {"content_type": "application/x-www-form-urlencoded", "origin": "http://localhost"}
    return box.ask("POST", urlsplit(url).path, headers=headers, body=f"password={password}".encode())


def test_password_opens_a_link_for_this_browser_until_it_changes(box: WholeBox) -> None:
    made = share(box, password="open sesame")
    assert "password" not in made
    assert made["hasPassword"] is True
    asked = seen(box, made["url"])
    assert "password-protected" in asked
    assert "tile-visitors" not in asked
    assert open_link(box, made["url"], "?range=today", "/parts/pages").status == 403
    wrong = enter(box, made["url"], "open")
    assert (wrong.status, "set-cookie" in wrong.headers) == (403, False)
    right = enter(box, made["url"], "open+sesame")
    assert (right.status, right.headers["location"]) == (303, urlsplit(made["url"]).path)
    cookie = right.headers["set-cookie"].partition(";")[0]
    page = box.get(f"{right.headers['location']}?range=today&wait=all", accept="text/html", cookie=cookie)
    assert visitors(page.body.decode()) == len(PEOPLE)
    other = share(box, password="open sesame")
    elsewhere = box.get(f"{urlsplit(other['url']).path}?wait=all", accept="text/html", cookie=cookie)
    assert "password-protected" in elsewhere.body.decode()
    call(box, "shares.update", id=made["id"], password="another one")
    again = box.get(f"{right.headers['location']}?wait=all", accept="text/html", cookie=cookie)
    assert "password-protected" in again.body.decode()


def test_page_of_an_opened_link_is_never_kept_for_those_without_its_password(box: WholeBox) -> None:
    made = share(box)
    assert "tile-visitors" in seen(box, made["url"], "?range=today")
    call(box, "shares.update", id=made["id"], password="open sesame")
    assert "tile-visitors" not in seen(box, made["url"], "?range=today")


def test_guesses_of_a_password_are_limited(box: WholeBox) -> None:
    made = share(box, password="open sesame")
    statuses = [enter(box, made["url"], f"guess-{number}").status for number in range(12)]
    assert 429 in statuses


def test_pages_made_for_one_stranger_are_limited_and_kept_ones_are_not(
    box: WholeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MADE_PER_MINUTE", 2)
    box.clock.advance(seconds=120)
    url = share(box)["url"]
    assert open_link(box, url, "?range=today").status == 200
    statuses = [open_link(box, url, f"?range=today&browser_name=x{number}").status for number in range(3)]
    assert statuses[-1] == 429
    assert open_link(box, url, "?range=today").status == 200
    assert open_link(box, url, "?range=today&wait=all").status == 429


@pytest.mark.parametrize("query", ["&tab=utm_term", "&tab=utm_content", "&utm_term=notes", "&utm_content=button"])
def test_campaign_terms_and_contents_are_not_shown_as_the_api_does_not(box: WholeBox, query: str) -> None:
    box.clock.advance(seconds=60)
    page = seen(box, share(box)["url"], f"?range=today&wait=all{query}")
    assert visitors(page) == len(PEOPLE)
    assert "<bdi>notes</bdi>" not in page
    assert "<bdi>button</bdi>" not in page


def test_map_of_a_filtered_link_shows_its_visits_only_also_when_a_country_is_opened(box: WholeBox) -> None:
    box.clock.advance(seconds=60)
    url = share(box, segmentId=segment(box, "Germany"))["url"]
    for query in ("&tab=map", "&tab=map&country=Germany"):
        page = seen(box, url, f"?range=today&wait=all{query}")
        assert "Germany" in page
        for other in ("Georgia", "United States"):
            assert not re.search(rf'<title>{other}|title="{other}|>{other}[:<,]', page), (query, other)
