"""The last seven days of many websites at once, as lists of them show them: three questions, however many there are."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base.errors import BoxError
from analytics_box.query import ranges
from analytics_box.query.plan import BUCKET, QueryPlan, runs_of
from analytics_box.query.run import QueryRunner


class WebsiteDay(Struct, frozen=True):
    """A day of a website, as YYYY-MM-DD in the zone that was asked for."""

    date: str
    visitors: float = 0
    pageviews: float = 0


class Totals(Struct, frozen=True):
    """The totals of some days."""

    visitors: float = 0
    pageviews: float = 0


class WebsiteWeek(Struct, frozen=True):
    """Seven days of a website, oldest first, and what they have in all."""

    totals: Totals
    days: tuple[WebsiteDay, ...]


class Weeks(Struct, frozen=True):
    """This week of websites and the one before, by the numbers of their sites; all websites are in both.

    The week before ends seven days ago to the minute, as this one ends now. `since` is when it begins (UTC ms).
    """

    now: dict[int, Totals]
    before: dict[int, Totals]
    since: int


AT_ONCE: Final = 200  # websites whose days are asked for together
_MEASURES: Final = ("pageviews", "visitors")


async def weeks(queries: QueryRunner, sites: Sequence[int], zone: ZoneInfo, now: int) -> dict[int, WebsiteWeek] | None:
    """The week of each of these site numbers; None if it could not be had in time."""
    window = ranges.window(ranges.of_preset("last_7d", now, zone), zone)
    try:
        totals = await _totals(queries, sites, window.start, window.end)
    except BoxError:
        return None
    days = await series(queries, sites, zone, now)
    return None if days is None else {site: WebsiteWeek(totals[site], days[site]) for site in sites}


async def compare_weeks(queries: QueryRunner, sites: Sequence[int], zone: ZoneInfo, now: int) -> Weeks | None:
    """This week and the one before; None if they could not be had in time."""
    days = ranges.of_preset("last_7d", now, zone)
    window, earlier = ranges.window(days, zone), ranges.window(days.previous(), zone)
    wall = datetime.fromtimestamp(now / 1000, zone)
    until = round((wall - timedelta(days=7)).timestamp() * 1000)  # the same time of day, whatever the clocks did
    try:
        found = await _totals(queries, sites, window.start, window.end)
        before = await _totals(queries, sites, earlier.start, until)
    except BoxError:
        return None
    return Weeks(found, before, earlier.start)


async def series(
    queries: QueryRunner, sites: Sequence[int], zone: ZoneInfo, now: int
) -> dict[int, tuple[WebsiteDay, ...]] | None:
    """The seven days of each of these sites, oldest first; None if they could not be had in time."""
    window = ranges.window(ranges.of_preset("last_7d", now, zone), zone, "day")
    found: defaultdict[tuple[int, int], Totals] = defaultdict(Totals)
    for first in range(0, len(sites), AT_ONCE):
        plan = QueryPlan(
            "events",
            tuple(sites[first : first + AT_ONCE]),
            window.start,
            window.end,
            measures=_MEASURES,
            group=("site", BUCKET),
            runs=runs_of(window),
        )
        try:
            rows = await queries.rows(plan)
        except BoxError:
            return None
        for row in rows:
            found[row["site"], row[BUCKET]] = Totals(row["visitors"], row["pageviews"])
    return {
        site: tuple(_day(bucket.label, found[site, at]) for at, bucket in enumerate(window.buckets)) for site in sites
    }


async def _totals(queries: QueryRunner, sites: Sequence[int], start: int, end: int) -> dict[int, Totals]:
    """The totals of these sites in [start, end). Raises BoxError."""
    found: dict[int, Totals] = dict.fromkeys(sites, Totals())
    if sites and end > start:
        plan = QueryPlan("events", tuple(sites), start, end, measures=_MEASURES, group=("site",))
        for row in await queries.rows(plan):
            found[row["site"]] = Totals(row["visitors"], row["pageviews"])
    return found


def _day(label: str, totals: Totals) -> WebsiteDay:
    return WebsiteDay(label[:10], totals.visitors, totals.pageviews)
