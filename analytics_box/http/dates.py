"""Instants as a person wants to read them: in their time zone and their formats."""

from datetime import datetime
from zoneinfo import ZoneInfo

from analytics_box.identity import DateFormat, Person, TimeFormat
from analytics_box.texts import Ranges


def moment(instant: int, person: Person) -> str:
    """An instant in UTC ms, such as "20 Nov 2026, 14:05"."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(person.time_zone))
    return f"{day_text(local, person.date_format)}, {time_text(local, person.time_format)}"


def day_text(when: datetime, form: DateFormat) -> str:
    """The day of a local time."""
    month = Ranges.months[when.month - 1]
    match form:
        case "D MMM YYYY":
            return f"{when.day} {month} {when.year}"
        case "MMM D, YYYY":
            return f"{month} {when.day}, {when.year}"
        case "DD.MM.YYYY":
            return f"{when:%d.%m.%Y}"
        case "DD/MM/YYYY":
            return f"{when:%d/%m/%Y}"
        case "MM/DD/YYYY":
            return f"{when:%m/%d/%Y}"
        case "YYYY-MM-DD":
            return f"{when:%Y-%m-%d}"


def time_text(when: datetime, form: TimeFormat) -> str:
    """The time of day of a local time."""
    if form == "HH:mm":
        return f"{when:%H:%M}"
    return f"{when.hour % 12 or 12}:{when:%M} {'am' if when.hour < 12 else 'pm'}"
