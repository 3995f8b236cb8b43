"""Clicks on a short link: of people, programs and browsers that only look ahead."""

from typing import Any

from analytics_box.base.facts.event import BOT, CLICK, HEAD, PREFETCH, PREVIEW
from analytics_box.products.links.clicks.rows import LinkClick


def click(link: int, time: int, **more: Any) -> LinkClick:
    """A click of a person in Berlin with Firefox, who came from a search; `more` says what is different."""
    plain = LinkClick(
        link=link,
        time=time,
        kind=CLICK,
        visitor=71,
        landing=0,
        landing_visitor=0,
        variant="",
        rule="",
        referrer="https://www.google.com/",
        source="Google",
        country="Germany",
        region="Berlin",
        city="Berlin",
        browser="Firefox",
        system="Linux",
        device="desktop",
        language="de-DE",
        agent="",
    )
    return plain._replace(**more)


def clicks_of_all_kinds(link: int, now: int, *, landing: int, visitor: int, before: int = 210_000) -> list[LinkClick]:
    """One of each kind in the last minutes; the first is followed by a visit of that visitor."""
    return [
        click(link, now - before, landing=landing, landing_visitor=visitor),
        click(
            link, now - 50_000, visitor=72, country="France", region="Paris", city="Paris", referrer="", source="Direct"
        ),
        click(link, now - 40_000, visitor=72, variant="b", device="mobile", browser="Safari", system="iOS"),
        click(link, now - 30_000, visitor=73, rule="iosUrl", language="en"),
        click(link, now - 20_000, kind=BOT, agent="Googlebot"),
        click(link, now - 20_000, kind=PREVIEW, agent="Slackbot"),
        click(link, now - 10_000, kind=PREFETCH),
        click(link, now - 10_000, kind=HEAD),
    ]
