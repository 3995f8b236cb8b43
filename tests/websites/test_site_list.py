"""The cards of websites and the line to paste."""

from analytics_box.identity import Person
from analytics_box.websites.rules import Website
from analytics_box.websites.shell import shell, snippet
from analytics_box.websites.site_list import site_card, sparkline


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


def test_a_sparkline_starts_at_zero_and_its_last_step_is_apart() -> None:
    drawn = sparkline([0, 10, 5])
    assert drawn["line"] == "M0.0 41.0 L140.0 3.0"
    assert drawn["tail"] == "M140.0 3.0 L280.0 22.0"


def test_a_week_of_nothing_has_no_sparkline() -> None:
    assert sparkline([0] * 7) == {"line": "", "tail": "", "area": ""}
    assert sparkline([]) == {"line": "", "tail": "", "area": ""}


def test_one_visitor_is_not_visitors() -> None:
    assert site_card(website(), per_day=[1], visitors=1, online=0).unit == "visitor"
    assert site_card(website(), per_day=[2], visitors=2, online=0).unit == "visitors"


def test_a_number_that_could_not_be_had_is_not_zero() -> None:
    assert site_card(website(), per_day=(), visitors=None, online=0).visitors == "–"


def test_the_frame_offers_a_few_other_websites_but_not_its_own() -> None:
    websites = [website(number) for number in range(1, 20)]
    ada = Person("user-1", "organization-1", "owner", "ada@example.com", "UTC")
    frame = shell(ada, "overview", website=websites[2], websites=websites)
    assert [place.name for place in frame.others] == ["Site 1", "Site 2", "Site 4", "Site 5", "Site 6", "Site 7"]
