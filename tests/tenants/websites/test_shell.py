"""The frame around pages of websites, and the line to paste."""

from analytics_box.base.identity import SignedInPerson
from analytics_box.tenants.websites.rules import Website
from analytics_box.tenants.websites.shell import shell, snippet


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
        snippet(website(), "https://stats.example.com/script.js")
        == '<script src="https://stats.example.com/script.js" data-client-id="w1" defer></script>'
    )


def test_on_localhost_the_snippet_asks_to_be_counted_there() -> None:
    assert " data-track-localhost " in snippet(website(domain="localhost"), "http://localhost:8000/script.js")
    assert "localhost" not in snippet(website(domain="localhost.example.com"), "https://s.example/script.js")


def test_the_frame_offers_a_few_other_websites_but_not_its_own() -> None:
    websites = [website(number) for number in range(1, 20)]
    ada = SignedInPerson("user-1", "organization-1", "owner", "ada@example.com", "UTC")
    frame = shell(ada, "overview", website=websites[2], websites=websites)
    assert [place.name for place in frame.others] == ["Site 1", "Site 2", "Site 4", "Site 5", "Site 6", "Site 7"]
