"""Incidents and maintenances by month, in the zone of the page. Pure."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.products.status_pages.seen import IncidentSeen, PageSeen

_ADDRESS: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_PART: Final = re.compile(r"[1-9][0-9]{0,4}")
MOST: Final = 50  # incidents and maintenances on a page


class Month(Struct, frozen=True, order=True):
    """A month of the calendar."""

    year: int
    number: int

    @property
    def address(self) -> str:
        """The month as in a path: 2026-11."""
        return f"{self.year:04}-{self.number:02}"

    def moved(self, months: int) -> "Month":
        """The month this number of months later, or earlier if negative."""
        year, number = divmod(self.year * 12 + self.number - 1 + months, 12)
        return Month(year, number + 1)

    def start(self, zone: str) -> int:
        """The beginning of the month in a time zone, in UTC ms."""
        return int(datetime(self.year, self.number, 1, tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def month_of(instant: int, zone: str) -> Month:
    """The month of an instant in UTC ms."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(zone))
    return Month(local.year, local.month)


def parse_month(address: str, seen: PageSeen, now: int) -> Month | None:
    """The month of an address, or this month without one; None for what is none, and for one in which the page was
    not there. Maintenances may be planned for a month that is to come."""
    this = month_of(now, seen.zone)
    if not address:
        return this
    found = _ADDRESS.fullmatch(address)
    if found is None or not int(found[1]):
        return None
    month = Month(int(found[1]), int(found[2]))
    return month if first(seen) <= month <= last(seen, now) else None


def part(number: str) -> int:
    """The number of the requested part of a long list, from 1; 0 for an invalid one."""
    return int(number) if _PART.fullmatch(number) else 0


def first(seen: PageSeen) -> Month:
    """The month of the first thing that may stand on the page."""
    return month_of(min([seen.created_at, *(one.started_at for one in _all(seen))]), seen.zone)


def last(seen: PageSeen, now: int) -> Month:
    """The month of the last thing that stands on the page, at least this month."""
    return month_of(max([now, *(one.started_at for one in _all(seen))]), seen.zone)


def within(found: Iterable[IncidentSeen], month: Month, zone: str) -> list[IncidentSeen]:
    """The incidents that began in the month, newest first."""
    start, end = month.start(zone), month.moved(1).start(zone)
    return newest_first(one for one in found if start <= one.started_at < end)


def newest_first(found: Iterable[IncidentSeen]) -> list[IncidentSeen]:
    """By when they began."""
    return sorted(found, key=lambda one: (-one.started_at, -one.created_at, one.id))


def _all(seen: PageSeen) -> tuple[IncidentSeen, ...]:
    return (*seen.incidents, *seen.maintenances)
