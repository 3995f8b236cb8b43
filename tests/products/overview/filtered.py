"""A website with four visitors, and what its overview shows of them under filters."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.inprocess import BROWSER, WholeBox, whole_box

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    " Version/18.6 Mobile/15E148 Safari/604.1"
)
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"
)


class Someone(NamedTuple):
    """A visitor: who, from where, with what, and how they came."""

    name: str
    pages: tuple[str, ...]
    user_agent: str
    headers: dict[str, str]
    said: dict[str, Any]


PEOPLE = (
    Someone(
        "Anna",
        ("/", "/pricing"),
        BROWSER,
        {"x_country": "DE", "x_region": "Bavaria", "x_city": "Munich", "accept_language": "de-DE"},
        {"referrer": "https://www.google.com/", "viewport_size": "1280x720"},
    ),
    Someone(
        "Bob",
        ("/docs", "/"),
        IPHONE,
        {"x_country": "US", "x_region": "Georgia", "x_city": "Atlanta", "accept_language": "en-US"},
        {
            "utm_source": "newsletter",
            "utm_medium": "email",
            "utm_campaign": "spring & summer",
            "utm_term": "notes",
            "utm_content": "button",
            "viewport_size": "393x659",
        },
    ),
    Someone("Cleo", ("/",), CHROME, {"accept_language": "fr-FR"}, {"viewport_size": "1280x720"}),
    Someone(
        "Dato",
        ("/docs",),
        CHROME,
        {"x_country": "GE", "x_region": "Georgia", "x_city": "Tbilisi", "accept_language": "ka-GE"},
        {"referrer": "https://chatgpt.com/"},
    ),
)


@contextmanager
def box_of_visitors(folder: Path) -> Iterator[WholeBox]:
    """A website with four visitors, of whom each also did something else."""
    geo = {"geo_country_header": "x-country", "geo_region_header": "x-region", "geo_city_header": "x-city"}
    with whole_box(
        folder / "data", adjust=lambda given: replace(given, trusted_proxies=("203.0.113.7/32",), **geo)
    ) as inside:
        for number, someone in enumerate(PEOPLE):
            visit(inside, someone, number)
        yield inside


def visit(box: WholeBox, someone: Someone, number: int) -> None:
    client = f"client_id={box.sites['shop']}"
    headers = {"user_agent": someone.user_agent, "x_forwarded_for": f"198.51.100.{number + 1}", **someone.headers}
    address = f"https://shop.example{someone.pages[-1]}"
    who = {"anonymousId": someone.name, "path": address}

    def send(target: str, content: object) -> None:
        answer = box.post(target, content, key=None, **headers)
        assert answer.status in {200, 204}, answer.body

    for number_of_page, path in enumerate(someone.pages):
        page = {"path": f"https://shop.example{path}", **someone.said}
        more = {} if number_of_page else {"properties": {"plan": someone.name}}
        send(f"/?{client}", {"name": "screen_view", **who, **page, **more})
        box.clock.advance(seconds=20)
    send(f"/?{client}", {"name": f"greeted by {someone.name}", **who})
    given = {"flag": "new", "variant": "ab"[number % 2]}
    send(f"/?{client}", {"name": "$flag_evaluated", "properties": given, **who})
    send(f"/?{client}", {"type": "outgoing_link", "href": f"https://{someone.name.lower()}.example/", **who})
    send(f"/errors?{client}", [{"message": f"{someone.name} failed", **who}])
    send(f"/vitals?{client}", [{"metricName": "LCP", "metricValue": 1000 * (number + 1), **who}])


class Row(NamedTuple):
    label: str
    href: str
    current: bool
    value: int


def seen(box: WholeBox, target: str) -> str:
    answer = box.get(target, cookie=box.cookie, accept="text/html")
    assert answer.status == 200
    return answer.body.decode()


def overview(box: WholeBox, query: str = "") -> str:
    return seen(box, f"/sites/{box.sites['shop']}?range=today&wait=all{query}")


def panel(page: str, name: str) -> str:
    found = re.search(rf'<section[^>]* id="panel-{name}".*?</section>', page, re.DOTALL)
    assert found is not None, name
    return found.group()


def rows(page: str, name: str) -> list[Row]:
    """The rows of a panel that can be clicked."""
    found = []
    for link in re.findall(r'<a class="bar-link".*?</a>', panel(page, name), re.DOTALL):
        href = re.search(r'href="([^"]+)"', link)
        label = re.search(r"<bdi>(.*?)</bdi>", link)
        value = re.search(r'bar-value">([\d,]+)', link)
        assert href is not None
        assert label is not None
        assert value is not None
        found.append(Row(unescape(label[1]), unescape(href[1]), 'aria-current="true"' in link, int(value[1])))
    return found


def visitors(page: str) -> int:
    found = re.search(r'id="tile-visitors".*?tile-value number">([\d,]+)', page, re.DOTALL)
    assert found is not None
    return int(found[1])
