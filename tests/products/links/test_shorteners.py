"""Exports of other link shorteners, by their own names: every slug is kept, or its row says why it cannot be."""

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each
from tests.inprocess import Answer
from tests.products.links.world import ANDROID, DOMAIN, IPHONE, PageWorld, World

FILES = Path(__file__).with_name("shorteners")
FORWARDED = {"domain": DOMAIN}


@pytest.fixture
def world(world: World) -> World:
    world.link_domain()
    return world


def imported(world: World, name: str, **given: Any) -> Answer:
    content = (FILES / name).read_text("utf-8")
    answer = world.call("links.import", content=content, format=name.rpartition(".")[2], **given)
    assert answer.status == 200, answer.body
    return answer


def links(world: World) -> dict[str, dict[str, Any]]:
    """All links by their address."""
    found = world.call("links.list").json
    return {f"{link['domain'] or 'box'}/{link['slug']}": link for link in found}


def failed(answer: Answer) -> list[tuple[int, str, str]]:
    return [
        (row["row"], row.get("field", ""), row["error"]) for row in answer.json["rows"] if row["status"] == "failed"
    ]


@each(
    ("name", "given", "addresses", "wrong", "ignored"),
    [
        ("bitly.csv", {}, {"go/3xA9kQz": "winter?page=2", "go/Jobs": "jobs"}, [], []),
        ("bitly.json", {}, {"go/3yLm2Pq": "menu.pdf", "go/menu": "menu.pdf"}, [(2, "domain")], []),
        (
            "bitly.json",
            FORWARDED,
            {"go/3yLm2Pq": "menu.pdf", "go/menu": "menu.pdf", "go/3zNo4Rs": "privacy"},
            [],
            [],
        ),
        ("dub.csv", {}, {"go/spring": "spring", "go/help": "help"}, [], []),
        ("dub.json", {}, {"go/app": "app", "go/test": "a"}, [(3, "slug"), (4, "")], ["comments"]),
        ("kutt.json", {}, {"go/Tea-1": "tea"}, [(2, "password"), (3, "")], []),
        ("shlink.csv", {}, {"go/map": "map", "go/faq": "faq"}, [], []),
        ("shlink.json", {}, {"go/beta": "beta", "go/deep": "deep"}, [(2, "maxClicks")], ["hasRedirectRules"]),
        ("yourls.csv", {}, {"box/wiki": "wiki"}, [(2, "slug")], []),
        ("yourls.csv", FORWARDED, {"go/wiki": "wiki"}, [(2, "slug")], []),
        ("yourls_plugin.csv", {"domain": ""}, {"box/ozh": "ozh", "box/news": "news"}, [], []),
        ("yourls.json", {}, {"go/1f3": "first", "go/2f4": "second"}, [], []),
    ],
)
def test_export_of_another_shortener_keeps_every_slug_or_says_why_not(
    name: str,
    given: dict[str, str],
    addresses: dict[str, str],
    wrong: list[tuple[int, str]],
    ignored: list[str],
    world: World,
) -> None:
    for link in world.call("links.list").json:
        world.call("links.delete", id=link["id"])
    dry = imported(world, name, dryRun=True, **given)
    answer = imported(world, name, **given)
    found = {address.replace(DOMAIN, "go"): link["targetUrl"] for address, link in links(world).items()}
    assert found == {address: f"https://example.com/{path}" for address, path in addresses.items()}
    assert [(row, field) for row, field, _ in failed(answer)] == wrong
    assert failed(dry) == failed(answer)
    assert answer.json["ignoredColumns"] == ignored
    again = imported(world, name, **given)
    passwords = int(name == "dub.json")  # which are hashed again
    assert (again.json["created"], again.json["updated"]) == (0, passwords)


def test_link_of_dub_keeps_what_it_does(world: World) -> None:
    imported(world, "dub.json")
    app, test = (links(world)[f"{DOMAIN}/{slug}"] for slug in ("app", "test"))
    assert (app["name"], app["externalId"], app["tags"]) == ("Get the app", "crm-7", ["mobile"])
    assert (app["expiresAt"], app["expiredRedirectUrl"]) == ("2027-12-31T22:00:00.000Z", "https://example.com/over")
    assert (app["ogTitle"], app["ogDescription"], app["ogImageUrl"]) == (
        "Get the app",
        "For phones",
        "https://example.com/card.png",
    )
    assert app["utm"] == {"source": "box"}
    assert (app["iosUrl"], app["androidUrl"]) == (
        "https://apps.apple.com/app/id1",
        "https://play.google.com/store/apps/details?id=a",
    )
    assert [(rule["name"], rule["targetUrl"]) for rule in app["rules"]] == [
        ("DE, AT", "https://example.com/de"),
        ("FR", "https://example.com/fr"),
    ]
    assert world.follow("app", host=DOMAIN).status == 200  # which asks for the password
    assert (test["name"], test["ogTitle"], test["ogImageUrl"]) == ("A title of the page", None, None)
    assert [(each["targetUrl"], each["weight"]) for each in test["variants"]] == [
        ("https://example.com/a", 70),
        ("https://example.com/b", 30),
    ]


def test_phone_in_a_country_with_a_target_goes_where_dub_sent_it(world: World) -> None:
    content = (
        '[{"domain": "go.example.org", "key": "geo", "url": "https://example.com/", "ios": "https://example.com/ios",'
        ' "geo": {"DE": "https://example.com/de"}}]'
    )
    assert world.call("links.import", content=content, format="json").json["created"] == 1
    link_id = links(world)[f"{DOMAIN}/geo"]["id"]

    def chosen(system: str, country: str) -> str:
        given = {"id": link_id, "system": system, "country": country}
        return str(world.call("links.preview", **given).json["url"])

    assert chosen("iOS", "DE") == "https://example.com/ios"
    assert chosen("Windows", "DE") == "https://example.com/de"
    assert chosen("Windows", "FR") == "https://example.com/"


def test_link_of_shlink_keeps_its_limits_tags_and_devices(world: World) -> None:
    imported(world, "shlink.json")
    imported(world, "shlink.csv")
    found = links(world)
    beta, deep = found[f"{DOMAIN}/beta"], found[f"{DOMAIN}/deep"]
    assert (beta["maxClicks"], beta["expiresAt"]) == (60, "2027-06-30T10:00:00.000Z")
    assert (beta["tags"], beta["queryForwarding"]) == (["team"], "override")
    assert found[f"{DOMAIN}/map"]["tags"] == ["office", "print"]
    assert world.follow("deep", host=DOMAIN, user_agent=IPHONE).headers["location"] == "https://example.com/ios"
    assert world.follow("deep", host=DOMAIN, user_agent=ANDROID).headers["location"] == "https://example.com/deep"
    assert world.follow("deep", host=DOMAIN).headers["location"] == "https://example.com/desktop"
    assert deep["name"] == "By device"


@each(
    ("content", "field", "says"),
    [
        ("short_url,long_url\nhttps://bit.ly/abc,https://example.com/\n", "domain", "bit.ly is not one of your link"),
        ("slug,domain,url\nabc,DEFAULT,https://example.com/\n", "", ""),
        ("slug,domain,url\nabc,https://GO.example.org/,https://example.com/\n", "", ""),
        ("short link,url\nhttps://go.example.org/,https://example.com/\n", "shortUrl", "This is not a short link"),
        ("short link,url\nhttps://go.example.org/a/b,https://example.com/\n", "slug", "Enter a slug of 3 to 50"),
        ("short link,url\nhttps://go.example.org/ab,https://example.com/\n", "slug", "Enter a slug of 3 to 50"),
        ("bitlink,long_url\nnothing,https://example.com/\n", "shortUrl", "This is not a short link"),
        ("keyword,url,clicks\nx/y,https://example.com/,1\n", "slug", "Enter a slug of 3 to 50"),
    ],
)
def test_row_whose_address_would_change_is_an_error(content: str, field: str, says: str, world: World) -> None:
    for link in world.call("links.list").json:
        world.call("links.delete", id=link["id"])
    answer = world.call("links.import", content=content)
    assert answer.status == 200, answer.body
    if field:
        ((_, where, why),) = failed(answer)
        assert (where, says in why) == (field, True)
        assert links(world) == {}
    else:
        assert answer.json["created"] == 1


def test_domain_for_links_of_other_domains_has_to_be_the_organization_s(world: World) -> None:
    content = (FILES / "bitly.csv").read_text("utf-8")
    answer = world.call("links.import", content=content, domain="their.example")
    assert (answer.status, answer.json["code"]) == (400, "BAD_REQUEST")


@each("heading", ["Short URL path", "Shortened link", "My slug", "URL aliases", "short_code_2"])
def test_sheet_with_short_addresses_under_an_unknown_name_is_refused(heading: str, world: World) -> None:
    answer = world.call("links.import", content=f"{heading},url\nabc,https://example.com/\n")
    assert (answer.status, f"The column {heading} seems to contain short URLs" in answer.json["error"]) == (400, True)
    known = world.call(
        "links.import", content=f"slug,{heading},url\n{heading.replace(' ', '-')},abc,https://example.com/\n"
    )
    assert (known.json["created"], known.json["ignoredColumns"]) == (1, [heading])


@each(
    ("content", "says"),
    [
        ('{"links": 1}', "a list of objects"),
        ('{"links": {"pages": 1}}', "a list of objects"),
        ('{"stats": []}', "a list of objects"),
        ('{"links": []}', "file contains no links"),
        ('{"links": [{}', "not valid JSON from"),
        ('{"links" [{}]}', "not valid JSON from"),
        ("{links: [{}]}", "not valid JSON from"),
        ('{"links": [{}]} more', "not valid JSON from"),
        ('{"links": [{}],}', "not valid JSON from"),
        ("{" + ",".join(f'"a{number}": 1' for number in range(2_000)) + "}", "a list of objects"),
        ('{"data": ' * 5 + "[{}]" + "}" * 5, "a list of objects"),
    ],
)
def test_answer_of_a_service_without_links_says_so(content: str, says: str, world: World) -> None:
    answer = world.call("links.import", content=content, format="json")
    assert (answer.status, says in answer.json["error"]) == (400, True)


def test_page_offers_another_domain_for_links_whose_domain_is_not_there(pages: PageWorld) -> None:
    path = pages.imported((FILES / "bitly.csv").read_text("utf-8"))
    page = pages.over(path)
    assert "go.example.org is not one of your link domains" in page
    assert "Links on other domains" in page
    assert "Import" not in page.partition("Links on other domains")[0].partition("<main")[2].partition("<button")[2]
    assert pages.sent(path, {"domain": ""}).status == 303
    page = pages.over(path)
    assert "Import 2 links<" in page
    assert pages.sent(path, {}).status == 303
    pages.over(path)
    assert pages.follow("Jobs").headers["location"] == "https://example.com/jobs"
