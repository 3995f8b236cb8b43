"""The periods of a report, and when each is due. Pure; all days are local to the report's time zone."""

from datetime import date, datetime, time, timedelta
from typing import Final

from msgspec import Struct

from analytics_box.products.alerts.alert_rule import DAYS
from analytics_box.products.reports.report import Report
from analytics_box.query import ranges
from analytics_box.query.ranges import DayRange

_DAY: Final = timedelta(days=1)
# Days between two reports.
_LONGEST: Final = 32


class DuePeriod(Struct, frozen=True):
    """The days that a report is about, and when it is due (UTC ms)."""

    days: DayRange
    at: int


def is_sent_on(report: Report, day: date) -> bool:
    """Whether a report is sent on this day."""
    match report.frequency:
        case "daily":
            return True
        case "monthly":
            return day.day == 1
    return DAYS[day.weekday()] in report.weekdays


def due_at(report: Report, day: date) -> int:
    """The instant at which a report is due on a day, in UTC ms. An hour that the clocks skip is the one after it, one
    that they repeat is the first of both."""
    local = datetime.combine(day, time(report.hour), ranges.zone(report.time_zone))
    return round(local.timestamp() * 1000)


def period_before(report: Report, day: date) -> DayRange:
    """The period that ends before this day, which begins where the one before ended."""
    first = day - _DAY
    while not is_sent_on(report, first):
        first -= _DAY
    return DayRange(first, day - _DAY)


def latest(report: Report, now: int) -> DuePeriod:
    """The newest period that is due. `now` is UTC ms."""
    day = ranges.today(now, ranges.zone(report.time_zone))
    while not (is_sent_on(report, day) and due_at(report, day) <= now):
        day -= _DAY
    return DuePeriod(period_before(report, day), due_at(report, day))


def is_due(report: Report, period: DuePeriod, now: int) -> bool:
    """Whether an active report is to send this period, unless it has. A time in the future that a wrong clock has left
    in `active_since` does not silence it."""
    return report.is_active and (period.at >= report.active_since or report.active_since > now)


def next_at(report: Report, now: int) -> int:
    """The instant of the next report, in UTC ms."""
    today = ranges.today(now, ranges.zone(report.time_zone))
    days = (today + number * _DAY for number in range(_LONGEST + 1))
    return next(at for day in days if is_sent_on(report, day) and (at := due_at(report, day)) > now)
