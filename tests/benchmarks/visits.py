"""Visits of a website from all countries, seeded: who comes from which address with which browser, and what is read.

All that the box has to find out differs from visitor to visitor, as it does on the internet: a crowd from one address
with one browser would flatter every memory that the box has.
"""

import lzma
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import maxminddb
import msgspec

from analytics_box.web.recognition.agent import parse
from tests.benchmarks.generator import CAMPAIGNS, PATHS, REFERRERS, VALUES, Zipf

ADDRESSES = 20_000
RETURNING = 0.3  # of the visits come from an address that has been here before
SAYING_WHO = 0.2  # of the visitors send ids of their own; the others are cookieless
MOST_PAGES = 5  # of a visit
AT_ONCE = 64  # visits whose page views come by turns
EVENT_ID = "#" * 16  # what stands for the id of an event, which no two requests may have in common

_AGENTS = 2_000
_PEOPLE = Path(__file__).parents[1] / "web" / "recognition" / "corpus" / "device_detector_people.txt.xz"
_DIRECT, _SEARCHED, _TAGGED, _CLICKED = 0.45, 0.7, 0.1, 0.02  # shares of visits; those that search follow the direct


class Visitor(NamedTuple):
    """Somebody with a browser. An empty `anonymous_id` is said by nobody."""

    address: str
    agent: str
    language: str
    zone: str
    screen: str
    viewport: str
    anonymous_id: str


class View(NamedTuple):
    """A page view: whose it is, and its event as it is sent."""

    visitor: Visitor
    event: dict[str, Any]


def visitors(seed: int = 1) -> list[Visitor]:
    """One for each of the addresses."""
    random = Random(seed)
    agents, rank = _agents(random), Zipf(_AGENTS).rank
    ranks = {name: Zipf(len(VALUES[name])).rank for name in ("language", "time_zone", "screen", "viewport")}

    def one(address: str) -> Visitor:
        language, zone, screen, viewport = (VALUES[name][of(random.random())] for name, of in ranks.items())
        anonymous_id = f"anon_{random.getrandbits(128):032x}" if random.random() < SAYING_WHO else ""
        return Visitor(address, agents[rank(random.random())], language, zone, screen, viewport, anonymous_id)

    return [one(address) for address in _addresses(random)]


def _addresses(random: Random) -> list[str]:
    """Addresses out of the list of countries that the box has: one of each of these, the others of any network."""
    data = resources.files("analytics_box.web.recognition") / "data" / "countries.mmdb"
    by_country: dict[str, list[Any]] = {}
    for network, found in maxminddb.open_database(str(data)):
        by_country.setdefault(found["country_code"], []).append(network)
    networks = [random.choice(some) for some in by_country.values()]
    networks += random.sample([network for some in by_country.values() for network in some], ADDRESSES - len(networks))
    random.shuffle(networks)
    return [str(network[random.randrange(network.num_addresses)]) for network in networks]


def _agents(random: Random) -> list[str]:
    """User agents of people, the commonest first; those that the box takes for bots are left out."""
    with lzma.open(_PEOPLE, "rt", encoding="utf-8") as file:
        found = [line.rstrip("\n") for line in file if line.startswith("Mozilla/5.0 (") and line.isascii()]
    return [agent for agent in random.sample(found, 2 * _AGENTS) if not parse(agent).bot][:_AGENTS]


def views(everybody: list[Visitor], site: str, seed: int = 2) -> Iterator[View]:
    """Page views without end. Who has not been here comes in the order of the list, until all have."""
    random = Random(seed)
    under_way = [_visit(random, everybody[number], site) for number in range(AT_ONCE)]
    seen = AT_ONCE
    while True:
        for place, visit in enumerate(under_way):
            view = next(visit, None)
            if view is None:
                returns = seen == len(everybody) or random.random() < RETURNING
                visitor = everybody[random.randrange(seen) if returns else seen]
                seen += not returns
                under_way[place] = _visit(random, visitor, site)
                view = next(under_way[place])
            yield view


_NAMES = CAMPAIGNS[1:]
_PATH, _REFERRER, _NAME = Zipf(len(PATHS)), Zipf(len(REFERRERS)), Zipf(len(_NAMES))


def _visit(random: Random, visitor: Visitor, site: str) -> Iterator[View]:
    """The pages that somebody reads in one go."""
    session = f"sess_{random.getrandbits(128):032x}"
    referrer, tags = _came_from(random), _tags(random)
    for number in range(random.randint(1, MOST_PAGES)):
        page = f"https://example.com{PATHS[_PATH.rank(random.random())]}"
        event = {
            "eventId": EVENT_ID,
            "name": "screen_view",
            "websiteId": site,
            "path": page,
            "title": f"Page {page[-4:]}",
            "referrer": referrer,
            "language": visitor.language,
            "timezone": visitor.zone,
            "screen_resolution": visitor.screen,
            "viewport_size": visitor.viewport,
        }
        if visitor.anonymous_id:
            event |= {"anonymousId": visitor.anonymous_id, "sessionId": session}
        yield View(visitor, event if number else event | tags)
        referrer = page


def _came_from(random: Random) -> str:
    chance = random.random()
    if chance < _DIRECT:
        return "direct"
    return "https://www.google.com/" if chance < _SEARCHED else REFERRERS[_REFERRER.rank(random.random())]


def _tags(random: Random) -> dict[str, str]:
    chance = random.random()
    if chance < _CLICKED:
        return {"gclid": f"{random.getrandbits(128):032x}"}
    if chance > _TAGGED:
        return {}
    return {"utm_source": "newsletter", "utm_medium": "email", "utm_campaign": _NAMES[_NAME.rank(random.random())]}


def request(visitor: Visitor, events: object, path: str, key: str = "") -> bytes:
    """A visitor's request, by a proxy that says which address it came from. With a key a server sends it."""
    body = msgspec.json.encode(events)
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"X-Forwarded-For: {visitor.address}",
        f"User-Agent: {visitor.agent}",
        "Accept: */*",
        f"Accept-Language: {visitor.language},en;q=0.5",
        "Accept-Encoding: gzip, deflate, br, zstd",
        "Content-Type: application/json",
        *((f"X-Api-Key: {key}",) if key else ("Origin: https://example.com", "Referer: https://example.com/")),
        f"Content-Length: {len(body)}",
        "",
        "",
    )
    return "\r\n".join(lines).encode() + body
