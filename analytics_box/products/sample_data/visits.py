"""Events of a visit to the demo's website, as a tracker would send them."""

import math
from collections.abc import Iterator, Mapping
from itertools import accumulate
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from analytics_box.base.clock import HOUR, SECOND
from analytics_box.ingest.enrich import EventSender
from analytics_box.ingest.payload import EventPayload as Said
from analytics_box.ingest.payload import Incoming
from analytics_box.products.sample_data import measured, payments
from analytics_box.products.sample_data.arrivals import Arrival
from analytics_box.products.sample_data.audience import DIRECT, MACHINES, SampleMachine, SamplePlace, VisitSource
from analytics_box.products.sample_data.site import DOMAIN, GOES_ON, MISSING, NEXT, PAGES, READING, SamplePage, Section
from analytics_box.web.recognition import agent, countries

MOST_PAGES = 15  # in one visit
LONGEST_READING = 20 * 60  # seconds on one page
LEAVE_ARRIVES = 0.93  # leave beacons get lost when a phone goes to sleep
COMES_AGAIN = 0.06  # later on the same day
LINK_IS_BROKEN = 0.008
CITY_KNOWN = 0.86
COUNTRY_KNOWN = 0.9  # of those whose city is not
VERSION = "2.3.1"  # that can be downloaded

_MACHINE_SHARES = tuple(accumulate(machine.weight for machine in MACHINES))
_SEARCHES = ("sync", "export pdf", "import notion", "shortcuts", "self hosting", "backup", "dark mode")


class SampleEvent(NamedTuple):
    """An event on its way: when it arrives (UTC ms), what it says, and who sends it."""

    time: int
    incoming: Incoming
    sender: EventSender


class SampleSpan(NamedTuple):
    """A measurement on its way: a row of `table` with what it has of its own (facts.SPANS)."""

    time: int
    said: Said
    table: str
    own: tuple[int | float | str | None, ...]
    sender: EventSender


Going = SampleEvent | SampleSpan


class Reader(NamedTuple):
    """A visitor. All randomness of a visit comes from `random`; `identity` are the fields of events that name it."""

    random: Random
    sender: EventSender
    machine: SampleMachine
    place: SamplePlace
    identity: Mapping[str, Any] = MappingProxyType({})


def visit(random: Random, arrival: Arrival) -> Iterator[Going]:
    """The events of a visit in the order of time, and those of a second one later that day, if there is one."""
    reader = new_reader(random, arrival.place)
    yield from read_pages(reader, arrival.time, arrival.source)
    if random.random() < COMES_AGAIN:
        yield from read_pages(reader, arrival.time + random.randint(HOUR, 5 * HOUR), DIRECT)


def new_reader(random: Random, place: SamplePlace, identity: Mapping[str, Any] = MappingProxyType({})) -> Reader:
    """A visitor with a machine and a home."""
    machine = random.choices(MACHINES, cum_weights=_MACHINE_SHARES)[0]
    region, city = _home(random, place)
    sender = EventSender(
        network=".".join(str(random.randint(1, 223)) for _ in range(4)),
        user_agent=machine.user_agent,
        agent=agent.parse(machine.user_agent),
        language=place.language,
        bot="",
        by_key=False,
        country=countries.name_of(place.country) if city or random.random() < COUNTRY_KNOWN else "",
        region=region,
        city=city,
    )
    return Reader(random, sender, machine, place, identity)


def _home(random: Random, place: SamplePlace) -> tuple[str, str]:
    """The region and the city of a visitor; both empty if unknown."""
    if not place.cities or random.random() >= CITY_KNOWN:
        return "", ""
    return random.choices(place.cities, weights=[1 / rank for rank in range(1, len(place.cities) + 1)])[0]


def read_pages(reader: Reader, time: int, source: VisitSource) -> Iterator[Going]:
    """The events of one visit."""
    random = reader.random
    page = source.page or _page_of(random, source.landings)
    address = f"https://{DOMAIN}{page.path}" + (f"?{source.query}" if source.query else "")
    referrer = source.referrer
    for _ in range(MOST_PAGES):
        goes_on = random.random() < GOES_ON[page.section]
        seconds = _seconds_on(random, page, goes_on=goes_on)
        yield _send(
            reader, time, "screen_view", address, title=page.title, referrer=referrer, properties=page.properties
        )
        for name, properties in _deeds(reader, page):
            moment = time + random.randint(1, max(1, seconds * 1000 - 1))
            yield _send(reader, moment, name, address, properties=properties)
            if "plan" in properties:
                dollars = reader.place.country == "US"
                paid = payments.of_plan(Random(moment), properties["plan"], moment, dollars=dollars)  # noqa: S311
                for at, own in paid:
                    yield SampleSpan(at, Said(path=address, **reader.identity), "transactions", own, reader.sender)
        for after, table, own in measured.of_page(random, reader.machine, page, time, seconds):
            yield SampleSpan(time + after, Said(path=address, **reader.identity), table, own, reader.sender)
        time += seconds * SECOND
        if random.random() < LEAVE_ARRIVES:
            engaged = round(seconds * random.uniform(0.55, 1))
            yield _send(reader, time, "page_exit", address, time_on_page=engaged, scroll_depth=_scroll(random, engaged))
        if not goes_on:
            return
        if random.random() < LINK_IS_BROKEN:
            time += random.randint(200, 1_500)
            missing = f"https://{DOMAIN}{random.choice(MISSING)}"
            yield _send(reader, time, "screen_view", missing, title="Page not found", referrer=address)
            found = {"referrer": address.partition("?")[0]}
            yield _send(reader, time, "not_found", missing, properties=found, interactive=False)
            time += random.randint(2, 9) * SECOND
        time += random.randint(200, 1_500)
        referrer = address
        page = _page_of(random, NEXT[page.section])
        address = f"https://{DOMAIN}{page.path}"


def _page_of(random: Random, sections: dict[Section, float]) -> SamplePage:
    section = random.choices(list(sections), weights=list(sections.values()))[0]
    pages = PAGES[section]
    return random.choices(pages, weights=[1 / rank for rank in range(1, len(pages) + 1)])[0]


def _seconds_on(random: Random, page: SamplePage, *, goes_on: bool) -> int:
    """Time on a page: log-normal around its median, less for those who leave at once."""
    median = READING[page.section] * (1 if goes_on or random.random() < 0.4 else 0.2)
    return max(2, min(LONGEST_READING, round(random.lognormvariate(math.log(median), 0.8))))


def _scroll(random: Random, engaged: int) -> int:
    """Percent of the page that came into view; who stays longer sees more."""
    most = min(100, 35 + engaged)
    return round(max(12, most * random.betavariate(3, 1.4)))


def _deeds(reader: Reader, page: SamplePage) -> Iterator[tuple[str, dict[str, Any]]]:
    """The custom events that happen on a page, with their properties."""
    random, platform = reader.random, reader.machine.downloads
    chance = random.random()
    if page.section == "signup" and chance < 0.4:
        plan = random.choices(("free", "pro", "team"), weights=(74, 21, 5))[0]
        yield "signup", {"plan": plan, "method": random.choice(("email", "email", "github"))}
    elif page.section == "download" and platform and chance < 0.62:
        yield "download", {"platform": platform, "version": VERSION}
    elif page.path == "/pricing" and chance < 0.24:
        yield "plan_selected", {"plan": random.choice(("pro", "pro", "team")), "yearly": random.random() < 0.6}
    elif page.section == "docs" and chance < 0.07:
        yield "site_search", {"term": random.choice(_SEARCHES)}
    elif page.section == "blog" and chance < 0.04:
        yield "newsletter_subscribed", {"place": random.choice(("footer", "inline"))}
    elif page.section == "home" and chance < 0.08:
        yield "video_played", {"video": "tour", "percent": random.choice((25, 50, 75, 100))}


def _send(reader: Reader, time: int, name: str, address: str, **fields: Any) -> SampleEvent:
    incoming = Incoming(
        name=name,
        path=address,
        language=reader.place.language,
        timezone=reader.place.time_zone,
        viewport_size=reader.machine.viewport,
        screen_resolution=reader.machine.screen,
        **reader.identity,
        **fields,
    )
    return SampleEvent(time, incoming, reader.sender)
