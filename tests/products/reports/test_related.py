"""The sections about short links, errors and flags."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics_box.base.clock import DAY
from tests.products.reports.world import World, world_in

BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world_in(tmp_path) as world:
        yield world


def pass_week(here: World) -> None:
    here.box.clock.advance(seconds=7 * DAY / 1000)


def tables(here: World, *sections: str) -> list[dict[str, Any]]:
    """The tables of a report on the latest week."""
    made = here.report(sections=[*sections])
    found: list[dict[str, Any]] = here.call("reports.preview", id=made["id"])["report"]["tables"]
    here.call("reports.delete", id=made["id"])
    return found


def lines(table: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(row["name"], row["value"], row["change"].replace("\N{NO-BREAK SPACE}", " ")) for row in table["rows"]]


def link_to(here: World, target: str, slug: str) -> None:
    organization = here.box.organization_id
    here.call("links.create", organizationId=organization, name=f"Name of {slug}", targetUrl=target, slug=slug)


def follow(here: World, slug: str, times: int) -> None:
    for number in range(times):
        address = f"198.51.100.{number + 1}"
        answer = here.box.get(f"/l/{slug}", user_agent=BROWSER, x_forwarded_for=address)
        assert answer.status == 302, answer.status


def send_error(here: World, message: str, who: str = "someone") -> None:
    origin = "https://shop.example"
    error = {"anonymousId": who, "path": f"{origin}/cart", "timestamp": here.box.clock.now(), "message": message}
    client = f"client_id={here.box.sites['shop']}"
    view = {"name": "screen_view", "path": f"{origin}/cart", "anonymousId": who}
    assert here.box.post(f"/?{client}", view, origin=origin, user_agent=BROWSER).status == 200
    error |= {"stack": f"TypeError: {message}", "errorType": "TypeError"}
    assert here.box.post(f"/errors?{client}", [error], origin=origin, user_agent=BROWSER).status == 200


def test_revenue_has_a_row_for_each_currency_with_the_week_before(here: World) -> None:
    def pay(amount: str, currency: str) -> None:
        paid = {"websiteId": here.box.sites["shop"], "anonymousId": "ann", "name": "purchase"}
        properties = {"revenue": amount, "currency": currency}
        assert here.box.post("/track", {**paid, "properties": properties}, key="all").status == 200

    pay("10", "EUR")
    pass_week(here)
    pay("15.50", "EUR")
    pay("2000", "JPY")
    pass_week(here)
    (table,) = tables(here, "revenue")
    assert lines(table) == [("JPY", "¥2,000", "new"), ("EUR", "€15.50", "↑ 55.0 %")]


def test_links_are_those_that_led_to_the_website_with_the_clicks_of_both_weeks(here: World) -> None:
    link_to(here, "https://shop.example/sale", "sale")
    link_to(here, "https://shop.example/new", "new")
    link_to(here, "https://elsewhere.example/", "away")
    follow(here, "sale", 2)
    pass_week(here)
    for slug, times in (("sale", 3), ("new", 1), ("away", 4)):
        follow(here, slug, times)
    pass_week(here)
    (table,) = tables(here, "links")
    assert lines(table) == [("Name of sale", "3", "↑ 50.0 %"), ("Name of new", "1", "new")]


def test_errors_of_the_week_are_the_new_ones_and_those_that_came_back(here: World) -> None:
    send_error(here, "Old one fails")
    send_error(here, "Resolved one fails")
    pass_week(here)
    website = here.box.sites["shop"]
    query = {"parameters": ["error_fingerprints"], "preset": "last_30d"}
    rows = here.box.query("shop", query).json["data"][0]["data"]
    (resolved,) = [row["fingerprint"] for row in rows if row["name"].startswith("Resolved")]
    here.call("errorGroups.update", websiteId=website, fingerprint=resolved, state="resolved")
    for message in ("Old one fails", "Resolved one fails", "New <b>one</b> fails"):
        here.box.clock.advance(seconds=60)
        send_error(here, message)
    pass_week(here)
    (table,) = tables(here, "errors")
    assert sorted(lines(table)) == [("New <b>one</b> fails", "1", "new"), ("Resolved one fails", "1", "back")]


def test_flags_are_listed_with_their_change_and_its_author(here: World) -> None:
    website = here.box.sites["shop"]
    flag = here.call("flags.create", websiteId=website, key="new-checkout", name="New checkout", defaultValue=False)
    pass_week(here)
    (table,) = tables(here, "flags")
    assert [(name.partition(" (")[0], day) for name, day, _change in lines(table)] == [("new-checkout: Created", "Wed")]
    here.call("flags.update", id=flag["id"], rolloutPercentage=10)
    whole = {"organizationId": here.box.organization_id, "key": "everywhere", "name": "Everywhere"}
    here.call("flags.create", **whole, defaultValue=True)
    pass_week(here)
    own, of_organization = tables(here, "flags")
    ((name, day, _change),) = lines(own)
    assert name.startswith("new-checkout: ")
    assert "10" in name
    assert "(First key)" in name, "the key that changed it"
    assert day == "Wed"
    assert [name.partition(" (")[0] for name, _day, _change in lines(of_organization)] == ["everywhere: Created"]
    assert of_organization["of_organization"]
    assert not own["of_organization"]
