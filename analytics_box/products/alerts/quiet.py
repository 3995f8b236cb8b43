"""Quiet hours, by the wall clock of their zone. Pure."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from analytics_box.products.alerts.alarm import DAYS, QuietHours
from analytics_box.products.alerts.occurrence import What
from analytics_box.query.ranges import zone

_ONE = timedelta(days=1)


def ends_at(quiet: QuietHours | None, what: What, now: int) -> int | None:
    """The end of the quiet hours that hold this back; None if it can be sent now. Instants are UTC ms.

    The recovery is sent to all who were notified of the outage. Hours that begin and end at one time are a whole day.
    """
    if quiet is None or what in quiet.through or (what == "recovered" and "down" in quiet.through):
        return None
    tz = zone(quiet.time_zone)
    today = datetime.fromtimestamp(now / 1000, tz).date()
    found = [
        end
        for day in (today - _ONE, today)
        if not quiet.days or DAYS[day.weekday()] in quiet.days
        for begin, end in (_hours(quiet, day, tz),)
        if begin <= now < end
    ]
    return max(found, default=None)


def _hours(quiet: QuietHours, day: date, tz: ZoneInfo) -> tuple[int, int]:
    """The quiet hours that begin on this day."""
    last = day if quiet.end > quiet.start else day + _ONE
    return _instant(day, quiet.start, tz), _instant(last, quiet.end, tz)


def _instant(day: date, clock: str, tz: ZoneInfo) -> int:
    return round(datetime.combine(day, time.fromisoformat(clock), tz).timestamp() * 1000)
