"""Start times and sources of visits to the demo's website: rhythm, growth, newsletters and one spike."""

import math
from itertools import accumulate
from random import Random
from typing import NamedTuple

from analytics_box.base.clock import DAY, HOUR, SECOND
from analytics_box.products.sample_data.audience import (
    HACKER_NEWS,
    NEWSLETTER,
    PLACES,
    SOURCES,
    SamplePlace,
    VisitSource,
)

DAYS = 90  # of history that a new demo has
FIRST_DAY_VISITS = 70
GROWTH = 1.15  # of the first day's visits that are won in the long run
GROWTH_DAYS = 55  # until about two thirds of it are reached
BY_WEEKDAY = (1.0, 1.06, 1.04, 1.0, 0.9, 0.56, 0.62)  # from Monday on
THURSDAY = 3
NEWSLETTER_HOUR = 8  # UTC


class Burst(NamedTuple):
    """Visits that come on top: from this hour (UTC) on, fading with this many hours."""

    visits: int
    hour: float
    fades: float


# The day on Hacker News, by the number of days since the first.
SPIKE = {70: Burst(460, 15, 3), 71: Burst(250, 0, 7), 72: Burst(70, 0, 12)}


class Member(NamedTuple):
    """A user with an account, who joins on a UTC day and comes back later. The website identifies most of them."""

    number: str
    joined: int
    loyalty: float
    is_known: bool
    place: SamplePlace
    source: VisitSource


class Arrival(NamedTuple):
    """The begin of a visit, in UTC ms."""

    time: int
    source: VisitSource
    place: SamplePlace


_PLACE_SHARES = tuple(accumulate(place.weight for place in PLACES))
_SOURCE_SHARES = tuple(accumulate(source.weight for source in SOURCES))


def arrivals(random: Random, day: int, first_day: int) -> list[Arrival]:
    """The visits that begin on this UTC day, in no order. Days are numbers as in clock.utc_day."""
    age = day - first_day
    grown = 1 + GROWTH * (1 - math.exp(-age / GROWTH_DAYS))
    weekday = (day + THURSDAY) % 7  # day 0 was a Thursday
    expected = FIRST_DAY_VISITS * grown * BY_WEEKDAY[weekday] * min(1.3, max(0.75, random.gauss(1, 0.09)))
    found = [_ordinary(random, day) for _ in range(round(expected))]
    if weekday == THURSDAY:
        number = age // 7 + 1
        source = NEWSLETTER._replace(query=f"{NEWSLETTER.query}&utm_campaign=weekly-{number}")
        found += _burst(random, day, Burst(round(24 * grown), NEWSLETTER_HOUR, 3), source)
    if age in SPIKE:
        found += _burst(random, day, SPIKE[age], HACKER_NEWS)
    return found


def _ordinary(random: Random, day: int) -> Arrival:
    place = random.choices(PLACES, cum_weights=_PLACE_SHARES)[0]
    hour = random.uniform(0, 24) if random.random() < 0.15 else random.gauss(place.busiest, 4) % 24
    source = random.choices(SOURCES, cum_weights=_SOURCE_SHARES)[0]
    return Arrival(day * DAY + int(hour * HOUR), source, place)


def _burst(random: Random, day: int, burst: Burst, source: VisitSource) -> list[Arrival]:
    """Visits that come fast and fade; those that would come after midnight come before."""
    left = 24 - burst.hour
    hours = [burst.hour + random.expovariate(1 / burst.fades) % left for _ in range(burst.visits)]
    places = random.choices(PLACES, cum_weights=_PLACE_SHARES, k=burst.visits)
    latest = (day + 1) * DAY - SECOND
    return [
        Arrival(min(latest, day * DAY + int(hour * HOUR)), source, place)
        for hour, place in zip(hours, places, strict=True)
    ]


JOIN_BY_DAY = (2, 3, 4, 2, 3)


def members(seed: str, day: int, first_day: int) -> list[Member]:
    """All who have joined until this UTC day. Each has chance of its own."""
    found = []
    for joined in range(first_day, day + 1):
        for number in range(JOIN_BY_DAY[joined % len(JOIN_BY_DAY)]):
            name = f"{joined - first_day}-{number}"
            random = Random(f"{seed}:member {name}")  # noqa: S311  believable, not secret
            place = random.choices(PLACES, cum_weights=_PLACE_SHARES)[0]
            source = random.choices(SOURCES, cum_weights=_SOURCE_SHARES)[0]
            found.append(Member(name, joined, random.uniform(0.2, 1.6), random.random() < 0.7, place, source))
    return found


def comes(random: Random, member: Member, day: int) -> bool:
    """Whether a member visits on this day: always on the first, then less and less, and less on weekends."""
    age = day - member.joined
    weekday = BY_WEEKDAY[(day + THURSDAY) % 7]
    return not age or random.random() < member.loyalty * weekday * (0.3 * math.exp(-age / 9) + 0.05)
