"""Clicks: outgoing links, elements with data-track, links to files."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.tracker.collector import Collector
from tests.tracker.one_page import on_one_page
from tests.tracker.visits import hide

pytestmark = pytest.mark.browser

STAY = "<script>addEventListener('click', (event) => event.preventDefault())</script>"


@dataclass(frozen=True)
class Link:
    """What is clicked, and the href that is told of it, if any."""

    why: str
    html: str
    href: str | None


LINKS = (
    Link("another host", "<a id=it href='http://elsewhere.example/a?b=c#d'>Go</a>", "http://elsewhere.example/a?b=c#d"),
    Link(
        "a child of the link", "<a href='https://elsewhere.example/'><b id=it>Go</b></a>", "https://elsewhere.example/"
    ),
    Link("another port", "<a id=it href='http://site.example:1/'>Go</a>", "http://site.example:1/"),
    Link("the own site", "<a id=it href='/here'>Go</a>", None),
    Link("the own site with the root's dot", "<a id=it href='http://site.example.:{port}/'>Go</a>", None),
    Link(
        "in a drawing",
        "<svg><a href='https://elsewhere.example/'><text id=it>Go</text></a></svg>"
        "<script>const click = new MouseEvent('click', { bubbles: true, cancelable: true });"
        "it.click = () => it.dispatchEvent(click)</script>",
        "https://elsewhere.example/",
    ),
    Link("mail", "<a id=it href='mailto:a@elsewhere.example'>Go</a>", None),
    Link("a script", "<a id=it href='javascript:void 0'>Go</a>", None),
    Link("no link", "<button id=it>Go</button>", None),
    Link(
        "inside a component",
        "<x-box id=it></x-box><script>it.attachShadow({ mode: 'open' }).innerHTML ="
        " '<a href=\"https://elsewhere.example/\">Go</a>'; it.click = () => it.shadowRoot.firstChild.click()</script>",
        "https://elsewhere.example/",
    ),
)


@on_one_page("case", LINKS, ids=lambda case: case.why)
def test_clicks_on_links_that_lead_away_are_told(page: Page, collector: Collector, case: Link) -> None:
    address = collector.publish(
        "/", tag="data-track-outgoing-links", body=case.html.replace("{port}", str(collector.port)) + STAY
    )
    page.goto(address)
    collector.wait_for("screen_view")  # the part is there
    page.evaluate("document.getElementById('it').click(); databuddy.track('last'); databuddy.flush()")
    collector.wait_for("last")
    links = [event for event in collector.events() if event.get("type") == "outgoing_link"]
    assert [link["href"] for link in links] == [href for href in (case.href,) if href]
    for link in links:
        assert (link["text"], link["path"]) == ("Go", address)
        assert "name" not in link


@dataclass(frozen=True)
class Named:
    """A link without text, and the name that it gets."""

    link: str
    text: str


NAMED = (
    Named("<img alt='Our shop'>", "Our shop"),
    Named("<span><img alt=''><img alt='Second'></span>", "Second"),
    Named("<svg aria-label=GitHub></svg>", "GitHub"),
    Named("<svg><title>Drawn</title></svg>", "Drawn"),
    Named(" Text <img alt='A picture'>", "Text"),
    Named("<img>", "Titled"),
)


@on_one_page("case", NAMED, ids=lambda case: case.link)
def test_link_that_is_a_picture_is_told_by_its_name(page: Page, collector: Collector, case: Named) -> None:
    body = f"<a id=it title=Titled href='https://elsewhere.example/a.zip'>{case.link}</a>{STAY}"
    page.goto(collector.publish("/", tag="data-track-outgoing-links data-track-downloads", body=body))
    collector.wait_for("screen_view")
    page.evaluate("document.getElementById('it').click(); databuddy.track('last'); databuddy.flush()")
    collector.wait_for("last")
    [link] = [event for event in collector.events() if event.get("type") == "outgoing_link"]
    [file] = collector.events("file_download")
    assert (link["text"], file["properties"]["text"]) == (case.text, case.text)


def test_middle_click_on_a_link_is_a_click_and_no_other_button_is(page: Page, collector: Collector) -> None:
    tag = "data-track-outgoing-links data-track-downloads data-track-attributes"
    body = "<a href='http://other.example:1/a.zip' data-track=marked>Go</a><button data-track=pressed>Press</button>"
    page.goto(collector.publish("/", tag=tag, body=body))
    collector.wait_for("screen_view")
    page.click("a", button="right")
    page.click("button", button="middle")
    page.click("a", button="middle")
    page.evaluate("databuddy.track('last'); databuddy.flush()")
    collector.wait_for("last")
    told = [event.get("type") or event["name"] for event in collector.events()]
    assert sorted(told) == ["file_download", "last", "marked", "outgoing_link", "screen_view"]


def test_links_are_not_told_unless_asked(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", body=f"<a href='http://elsewhere.example/'>Go</a>{STAY}"))
    page.click("a")
    hide(page)
    collector.wait_for("page_exit")
    assert all("type" not in event for event in collector.events())


@pytest.mark.chromium("whole")
def test_a_followed_link_is_told_though_the_page_is_gone(page: Page, collector: Collector) -> None:
    page.goto(collector.publish("/", tag="data-track-outgoing-links", body="<a href='http://other.example:1/'>Go</a>"))
    collector.wait_for("screen_view")  # the part is there
    page.click("a")
    collector.wait(lambda: any(event.get("type") == "outgoing_link" for event in collector.events()), "the link")


@dataclass(frozen=True)
class Marked:
    """What is clicked with these options, and the events that come of it, by name."""

    why: str
    tag: str
    html: str
    events: dict[str, dict[str, Any]]


MARKED = (
    Marked(
        "attributes are properties",
        "data-track-attributes",
        "<button id=it data-track=signup data-plan=pro data-from-page='top bar'>Go</button>",
        {"signup": {"plan": "pro", "fromPage": "top bar"}},
    ),
    Marked(
        "a child is clicked",
        "data-track-attributes",
        "<div data-track=outer><p data-track=inner><i id=it>Go</i></p></div>",
        {"inner": {}},
    ),
    Marked("not asked for", "data-track-downloads", "<button id=it data-track=signup>Go</button>", {}),
    Marked("without a name", "data-track-attributes", "<button id=it data-track>Go</button>", {}),
    Marked(
        "a file",
        "data-track-downloads",
        "<a id=it href='/files/Report.PDF?token=secret#2'> The report </a>",
        {"file_download": {"href": "/files/Report.PDF", "text": "The report", "extension": "pdf"}},
    ),
    Marked(
        "a file by its attribute",
        "data-track-downloads",
        "<a download id=it href='/export?all'>All</a>",
        {"file_download": {"href": "/export", "text": "All"}},
    ),
    Marked("a page", "data-track-downloads", "<a id=it href='/pdf'>On</a>", {}),
    Marked("a file, not asked for", "data-track-attributes", "<a id=it href='/a.zip'>On</a>", {}),
)


@on_one_page("case", MARKED, ids=lambda case: case.why)
def test_marked_elements_and_files_are_events(page: Page, collector: Collector, case: Marked) -> None:
    page.goto(collector.publish("/", tag=case.tag, body=case.html + STAY))
    page.evaluate("document.getElementById('it').click(); databuddy.track('last'); databuddy.flush()")
    collector.wait_for("last")
    found = {event["name"]: event.get("properties", {}) for event in collector.events()}
    for properties in found.values():
        if "href" in properties:
            properties["href"] = properties["href"].removeprefix(collector.site)
    assert {name: found[name] for name in found if name not in ("screen_view", "last")} == case.events
