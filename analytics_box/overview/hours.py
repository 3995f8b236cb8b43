"""When visitors come: each hour of each day of the week, darker the more there were. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from analytics_box.dashboard.board import Place, Rows
from analytics_box.dashboard.scale import Scale, Shade, scale
from analytics_box.http.page.dates import hour_text
from analytics_box.identity import TimeFormat
from analytics_box.texts import Compact, Ranges, figures

DAYS, HOURS = 7, 24
TYPES, ROWS = ("hour_of_week",), DAYS * HOURS
_SUNDAY_FIRST: Final = (6, 0, 1, 2, 3, 4, 5)  # the places of the days among their names (semantics 6)


class Hour(Struct, frozen=True):
    """An hour of a day. `text` says the day, the hour and the number."""

    level: int
    value: str
    text: str


class Day(Struct, frozen=True):
    """A day of the week, in short and in full, with its 24 hours."""

    short: str
    name: str
    hours: tuple[Hour, ...]


class Week(Struct, frozen=True):
    """The days from Sunday on. `busiest` says which hour had the most visitors."""

    days: tuple[Day, ...]
    busiest: str
    ticks: tuple[str, ...]
    shades: tuple[Shade, ...]


def week(rows: Rows, form: TimeFormat = "HH:mm") -> Week | None:
    """The hours of `hour_of_week`; None where there was nobody."""
    counts = {(row["day"], row["hour"]): int(row["visitors"]) for row in rows}
    shaded = scale(tuple(counts.values()))
    if shaded is None:
        return None
    busiest = min(at for at, count in counts.items() if count == shaded.most)
    return Week(
        days=tuple(
            Day(
                Ranges.weekdays[_SUNDAY_FIRST[day]],
                Ranges.days[_SUNDAY_FIRST[day]],
                tuple(_hour(day, hour, counts.get((day, hour), 0), shaded, form) for hour in range(HOURS)),
            )
            for day in range(DAYS)
        ),
        busiest=Compact.busiest.format(hour=_hour(*busiest, shaded.most, shaded, form).text),
        ticks=tuple(f"{hour:02}" if form == "HH:mm" else hour_text(hour, form) for hour in range(HOURS)),
        shades=shaded.shades,
    )


def _hour(day: int, hour: int, count: int, shaded: Scale, form: TimeFormat) -> Hour:
    value = figures.count(count)
    words = Compact.hour.format(
        day=Ranges.days[_SUNDAY_FIRST[day]],
        start=hour_text(hour, form),
        end=hour_text(hour + 1, form),
        visitors=value,
    )
    return Hour(shaded.level(count), value, words)


def content(answers: Sequence[Rows], place: Place) -> Week | tuple[()]:
    """What the panel shows of the answers to TYPES."""
    return week(answers[0], place.formats.time) or ()
