"""The frame around pages of websites, and the line to paste."""

from analytics_box.app.parts import web_dir
from analytics_box.base.identity import SignedInPerson
from analytics_box.tenants.websites.directory import Directory
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import OPTIONS, WebsiteNavigation, shell, snippet
from analytics_box.web.page.shell import Shell, frame


def website(number: int = 1, domain: str = "example.com") -> Website:
    return Website(
        id=f"w{number}",
        organization_id="o1",
        site=number,
        name=f"Site {number}",
        domain=domain,
        is_public=False,
        status="ACTIVE",
        created_at=0,
    )


def test_the_snippet_names_the_website() -> None:
    assert (
        snippet(website(), "https://stats.example.com/script.js").text
        == '<script src="https://stats.example.com/script.js" data-client-id="w1"'
        " data-track-outgoing-links data-track-downloads data-track-not-found defer></script>"
    )


def test_on_localhost_the_snippet_asks_to_be_counted_there() -> None:
    assert " data-track-localhost " in snippet(website(domain="localhost"), "http://localhost:8000/script.js").text
    assert "localhost" not in snippet(website(domain="localhost.example.com"), "https://s.example/script.js").text


def test_every_option_of_the_snippet_is_known_to_the_tracker_and_hidden_when_not_selected() -> None:
    styles = (web_dir() / "static" / "snippet.css").read_text(encoding="utf-8")
    known = (web_dir() / "tracker" / "README.md").read_text(encoding="utf-8")
    for option in OPTIONS:
        assert f"#track-{option.id}:not(:checked)) .for-{option.id}" in styles
        assert f"`{option.attribute}`" in known


def test_the_frame_offers_a_few_other_websites_but_not_its_own() -> None:
    websites = [website(number) for number in range(1, 20)]
    ada = SignedInPerson("user-1", "organization-1", "owner", "ada@example.com", "UTC")
    page = shell(ada, "overview", website=websites[2], websites=websites)
    assert [place.name for place in page.others] == [f"Site {number}" for number in range(1, 14) if number != 3]


def test_pages_of_the_organization_keep_the_website_that_the_user_looked_at_last() -> None:
    websites = [website(number) for number in range(1, 4)]
    ada = SignedInPerson("user-1", "o1", "owner", "ada@example.com", "UTC")
    bob = SignedInPerson("user-2", "o1", "viewer", "bob@example.com", "UTC")
    navigation = WebsiteNavigation(Directory(websites))
    assert shown(navigation.complete_frame(frame(ada, "links"))) == "Site 1"
    navigation.complete_frame(shell(ada, "overview", website=websites[2], websites=websites))
    assert shown(navigation.complete_frame(frame(ada, "links"))) == "Site 3"
    assert shown(navigation.complete_frame(frame(bob, "links"))) == "Site 1"
    stranger = SignedInPerson("user-3", "o2", "owner", "eve@example.com", "UTC")
    assert navigation.complete_frame(frame(stranger, "links")).website is None


def shown(frame: Shell) -> str:
    assert frame.website is not None
    assert frame.of_website[0].href == frame.website.href
    return frame.website.name
