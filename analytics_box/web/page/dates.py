"""Instants as a person wants to read them: in their time zone and their formats."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from analytics_box.base import figures
from analytics_box.base.clock import MINUTE
from analytics_box.base.identity import DateFormat, SignedInPerson, TimeFormat, WeekStart
from analytics_box.base.translation import _, ngettext

MONTHS = (
    _("Jan"),
    _("Feb"),
    _("Mar"),
    _("Apr"),
    _("May"),
    _("Jun"),
    _("Jul"),
    _("Aug"),
    _("Sep"),
    _("Oct"),
    _("Nov"),
    _("Dec"),
)
WEEKDAYS = (_("Mon"), _("Tue"), _("Wed"), _("Thu"), _("Fri"), _("Sat"), _("Sun"))


class Formats(Struct, frozen=True):
    """A person's formats of days and times of day, and the day on which weeks begin."""

    date: DateFormat = "D MMM YYYY"
    time: TimeFormat = "HH:mm"
    week_start: WeekStart = "sunday"

    @property
    def week(self) -> tuple[int, ...]:
        """The days of a week in their order, as date.weekday counts them: 0 is Monday."""
        days = tuple(range(7))
        return days if self.week_start == "monday" else (6, *days[:6])


USUAL = Formats()


def formats_of(person: SignedInPerson) -> Formats:
    """The formats that a person has chosen."""
    return Formats(person.date_format, person.time_format, person.week_start)


def moment(instant: int, person: SignedInPerson) -> str:
    """An instant in UTC ms, such as "20 Nov 2026, 14:05"."""
    local = datetime.fromtimestamp(instant / 1000, ZoneInfo(person.time_zone))
    return f"{day_text(local, person.date_format)}, {time_text(local, person.time_format)}"


def ago(instant: int, now: int) -> str:
    """The time between two instants in UTC ms in its largest unit, such as "4 min ago"."""
    minutes = (now - instant) // MINUTE
    if minutes < 1:
        return _("Just now")
    if minutes < 60:
        return _("{count} min ago").format(count=minutes)
    if minutes < 24 * 60:
        return _("{count} h ago").format(count=minutes // 60)
    days = minutes // (24 * 60)
    return ngettext("1 day ago", "{count} days ago", days).format(count=figures.count(days))


def exact(text: str, person: SignedInPerson) -> str:
    """An instant as answers have it, in UTC text, to the second, such as "20 Nov 2026, 14:05:59"."""
    local = datetime.fromisoformat(text[:19]).replace(tzinfo=UTC).astimezone(ZoneInfo(person.time_zone))
    return f"{day_text(local, person.date_format)}, {second_text(local, person.time_format)}"


def brief(instant: int, now: int, person: SignedInPerson) -> str:
    """An instant in UTC ms without its day if that is today, such as "14:05", else as `moment` shows it."""
    zone = ZoneInfo(person.time_zone)
    local = datetime.fromtimestamp(instant / 1000, zone)
    if local.date() != datetime.fromtimestamp(now / 1000, zone).date():
        return moment(instant, person)
    return time_text(local, person.time_format)


def day(instant: int, person: SignedInPerson) -> str:
    """The day of an instant in UTC ms, such as "20 Nov 2026"."""
    return day_text(datetime.fromtimestamp(instant / 1000, ZoneInfo(person.time_zone)), person.date_format)


def day_text(when: date, form: DateFormat) -> str:
    """A local day, or that of a local time."""
    month = MONTHS[when.month - 1]
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


def short_day_text(when: date, form: DateFormat) -> str:
    """A day without its year, where that is plain."""
    month = MONTHS[when.month - 1]
    match form:
        case "D MMM YYYY":
            return f"{when.day} {month}"
        case "MMM D, YYYY":
            return f"{month} {when.day}"
        case "DD.MM.YYYY":
            return f"{when:%d.%m.}"
        case "DD/MM/YYYY":
            return f"{when:%d/%m}"
        case "MM/DD/YYYY":
            return f"{when:%m/%d}"
        case "YYYY-MM-DD":
            return f"{when:%m-%d}"


def month_text(when: date, form: DateFormat) -> str:
    """A month of a year."""
    match form:
        case "D MMM YYYY" | "MMM D, YYYY":
            return f"{MONTHS[when.month - 1]} {when.year}"
        case "DD.MM.YYYY":
            return f"{when:%m.%Y}"
        case "DD/MM/YYYY" | "MM/DD/YYYY":
            return f"{when:%m/%Y}"
        case "YYYY-MM-DD":
            return f"{when:%Y-%m}"


def time_text(when: datetime, form: TimeFormat) -> str:
    """The time of day of a local time, such as "14:05" or "2:05 pm"."""
    return f"{when:%H:%M}" if form == "HH:mm" else _of_twelve(when.hour, f":{when:%M}")


def second_text(when: datetime, form: TimeFormat) -> str:
    """The time of day of a local time, to the second."""
    return f"{when:%H:%M:%S}" if form == "HH:mm" else _of_twelve(when.hour, f":{when:%M:%S}")


def hour_text(hour: int, form: TimeFormat) -> str:
    """A full hour, 0 to 24, such as "14:00" or "2 pm"."""
    return f"{hour % 24:02}:00" if form == "HH:mm" else _of_twelve(hour % 24)


def _of_twelve(hour: int, rest: str = "") -> str:
    return f"{hour % 12 or 12}{rest} {'am' if hour < 12 else 'pm'}"
