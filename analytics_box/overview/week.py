"""The last seven days of websites, as lists of them show them."""

import asyncio
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from analytics_box.dashboard.asking import Asking, Unanswered
from analytics_box.overview.board import WEBSITE
from analytics_box.query import ranges
from analytics_box.query.run import Queries

AT_ONCE = 4


class Day(Struct, frozen=True):
    """A row of `summary_metrics`."""

    date: str
    visitors: float = 0
    pageviews: float = 0


class Totals(Struct, frozen=True):
    """The row of `summary_totals`."""

    visitors: float = 0
    pageviews: float = 0


class Week(Struct, frozen=True):
    """Seven days of a website, oldest first, and what they have in all."""

    totals: Totals
    days: tuple[Day, ...]


async def weeks(queries: Queries, sites: Sequence[int], zone: ZoneInfo, now: int) -> dict[int, Week | None]:
    """The week of each of these site numbers; None where it could not be had in time."""
    days = ranges.of_preset("last_7d", now, zone)
    slots = asyncio.Semaphore(AT_ONCE)

    async def week(site: int) -> Week | None:
        async with slots:
            try:
                totals, rows = await Asking(queries, site, WEBSITE, days, zone, now).rows(
                    ("summary_totals", "summary_metrics")
                )
            except Unanswered:
                return None
        return Week(msgspec.convert(totals[0], Totals), msgspec.convert(rows, tuple[Day, ...]))

    return dict(zip(sites, await asyncio.gather(*map(week, sites)), strict=True))
