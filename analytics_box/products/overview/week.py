"""A week of a website, and weeks of many. Pure."""

from msgspec import Struct


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
