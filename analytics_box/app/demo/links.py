"""The demo's short links, and who followed them: some of the visits that came from elsewhere came over a link.

Clicks are drawn from the visits themselves, so that a link's figures and those of the website tell the same story.
"""

import hashlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from analytics_box.base.acting import By
from analytics_box.base.clock import DAY, SECOND
from analytics_box.base.facts.event import (
    BOT,
    CLICK,
    HEAD,
    PAGE_VIEW,
    PREFETCH,
    PREVIEW,
    Event,
    Fact,
    describe_attributes,
)
from analytics_box.base.facts.tables import ATTRIBUTES
from analytics_box.base.store.db import Connection
from analytics_box.base.store.strings import Strings
from analytics_box.products.links import rows
from analytics_box.products.links.clicks import rows as click_rows
from analytics_box.products.links.clicks.rows import LinkClick
from analytics_box.products.links.editing import change
from analytics_box.products.links.folders import change as folders
from analytics_box.products.links.link import ShortLink, Utm
from analytics_box.products.links.rows import LinkSelection
from analytics_box.products.links.targeting.rules import TargetCondition, TargetRule, TargetVariant
from analytics_box.products.sample_data.site import DOMAIN
from analytics_box.resource.fields import Values
from analytics_box.web.recognition.known_sources import DIRECT

_SITE = f"https://{DOMAIN}"
_FOLDER = "Campaigns"
_SHARE = 0.16  # of the visits that come from elsewhere
_PROGRAMS = (
    (BOT, "Googlebot"),
    (BOT, "bingbot"),
    (PREVIEW, "Slackbot"),
    (PREVIEW, "Twitterbot"),
    (HEAD, ""),
    (PREFETCH, ""),
)
_PHONES = (TargetCondition("device", "equals", "mobile"),)


class PlannedLink(NamedTuple):
    """A link of the demo, how much of the clicks it gets, and whether it is in the folder."""

    weight: float
    values: Values
    in_folder: bool = False


LINKS = (
    PlannedLink(
        34,
        {
            "name": "September newsletter",
            "slug": "news",
            "target_url": f"{_SITE}/blog/inkwell-2",
            "utm": Utm(source="newsletter", medium="email", campaign="september"),
            "tags": ("newsletter", "september"),
        },
        in_folder=True,
    ),
    PlannedLink(
        24,
        {
            "name": "Podcast: which page sells better",
            "slug": "podcast",
            "target_url": f"{_SITE}/pricing",
            "variants": (TargetVariant("pricing", f"{_SITE}/pricing", 2), TargetVariant("home", f"{_SITE}/", 1)),
            "tags": ("podcast",),
        },
        in_folder=True,
    ),
    PlannedLink(
        18,
        {
            "name": "Profile on social networks",
            "slug": "bio",
            "target_url": f"{_SITE}/",
            "tags": ("social",),
        },
    ),
    PlannedLink(
        14,
        {
            "name": "Download, by device",
            "slug": "get",
            "target_url": f"{_SITE}/download",
            "rules": (TargetRule("Phones", f"{_SITE}/docs/install", _PHONES),),
            "og_title": "Get Inkwell",
            "og_description": "Notes that stay yours, on every device.",
        },
    ),
    PlannedLink(
        7,
        {
            "name": "QR code on the conference badge",
            "slug": "conf-26",
            "target_url": f"{_SITE}/docs/getting-started",
            "max_clicks": 5_000,
            "tags": ("print",),
        },
        in_folder=True,
    ),
    PlannedLink(
        3,
        {
            "name": "Press kit",
            "slug": "press",
            "target_url": "https://press.inkwell.example/kit",
            "tags": ("press",),
        },
    ),
)


def make(db: Connection, organization_id: str, now: int) -> list[ShortLink]:
    """The links of the demo, made at its first start."""
    by, selection = By("demo", now), LinkSelection(organization_id, sort="oldest")
    if not rows.count(db, selection):
        folder = folders.create(db, organization_id, by, _FOLDER)
        for planned in LINKS:
            place = {"folder_id": folder.id} if planned.in_folder else {}
            change.create(db, organization_id, by, {**planned.values, **place})
    return rows.links(db, selection)[: len(LINKS)]


def append(db: Connection, links: Sequence[ShortLink], happened: Sequence[Fact], seed: str) -> None:
    """Write the clicks that go with these events of the website."""
    found = sorted(clicks(links, happened, seed), key=lambda click: click.time)
    if found:
        click_rows.append(db, strings=Strings(), clicks=found, orphans={})


def clicks(links: Sequence[ShortLink], happened: Sequence[Fact], seed: str) -> Iterator[LinkClick]:
    """The clicks that go with these events of the website."""
    if not links:
        return
    weights = [planned.weight for planned in LINKS][: len(links)]
    seen: set[int] = set()
    for fact in happened:
        if not isinstance(fact, Event) or fact.kind != PAGE_VIEW or fact.bot or fact.visitor in seen:
            continue
        seen.add(fact.visitor)
        named = dict(zip(ATTRIBUTES, describe_attributes(fact), strict=True))
        random = Random(f"{seed}:{fact.visitor}:{fact.time // DAY}")  # noqa: S311  believable, not secret
        if named["source"] == DIRECT or random.random() > _SHARE:
            continue
        link = random.choices(links, weights)[0]
        yield _click(link, fact, named, random)
        if random.random() < 0.3:
            kind, agent = random.choice(_PROGRAMS)
            yield _click(link, fact, named, random)._replace(
                kind=kind, agent=agent, landing=0, landing_visitor=0, variant="", rule=""
            )


def _click(link: ShortLink, fact: Event, named: dict[str, str], random: Random) -> LinkClick:
    variant = random.choices(link.variants, [one.weight for one in link.variants])[0].name if link.variants else ""
    own = link.target_domain == DOMAIN
    return LinkClick(
        link=link.number,
        time=fact.time - random.randint(1, 3) * SECOND,
        kind=CLICK,
        visitor=int.from_bytes(
            hashlib.blake2b(f"{link.number}:{fact.visitor}".encode(), digest_size=7).digest(), "big"
        ),
        landing=fact.site if own else 0,
        landing_visitor=fact.visitor if own else 0,
        variant=variant,
        rule="Phones" if link.rules and named["device"] == "mobile" else "",
        referrer=named["referrer"],
        source=named["source"],
        country=named["country"],
        region=named["region"],
        city=named["city"],
        browser=named["browser"],
        system=named["system"],
        device=named["device"],
        language=named["language"],
        agent="",
    )
