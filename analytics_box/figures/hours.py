"""Activity by hour of the week, darker the more there was. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from analytics_box.base.identity import TimeFormat
from analytics_box.base.translation import _
from analytics_box.figures.board import PanelPlace, Rows
from analytics_box.figures.scale import ScaleShade
from analytics_box.figures.shading import Shading, number
from analytics_box.query.catalog.types import Record
from analytics_box.web.page.dates import USUAL, WEEKDAYS, Formats, hour_text

_DAYS = (_("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday"), _("Saturday"), _("Sunday"))


DAYS, HOURS = 7, 24
ROWS = DAYS * HOURS


class WeekHour(Struct, frozen=True):
    """An hour of a day. `text` says the day, the hour and the number."""

    level: int
    value: str
    text: str


class WeekDay(Struct, frozen=True):
    """A day of the week, in short and in full, with its 24 hours."""

    short: str
    name: str
    hours: tuple[WeekHour, ...]


class HoursOfWeek(Struct, frozen=True):
    """The days in the order of the user's weeks. `busiest` says which hour had the most of what `shading` shows."""

    days: tuple[WeekDay, ...]
    busiest: str
    ticks: tuple[str, ...]
    shades: tuple[ScaleShade, ...]
    shading: Shading


def week(rows: Rows, shading: Shading, formats: Formats = USUAL) -> HoursOfWeek | None:
    """The hours of `hour_of_week` or `link_hour_of_week`; None if there was nothing."""
    form = formats.time
    by_hour = {key_of(row): row for row in rows}
    if not any(row[shading.said[0].field] for row in rows):
        return None
    scale = shading.scale(rows)
    most = min(by_hour, key=lambda at: (-shading.value(by_hour[at]), at))

    def hour(at: tuple[int, int]) -> WeekHour:
        row = by_hour[at]
        value = number(row[shading.shown.field], shading.shown.unit)
        return WeekHour(scale.level(shading.value(row)) if scale is not None else 0, value, _text(row, shading, form))

    return HoursOfWeek(
        days=tuple(
            WeekDay(
                WEEKDAYS[day],
                _DAYS[day],
                tuple(hour(((day + 1) % DAYS, at)) for at in range(HOURS)),  # rows count from Sunday (semantics 6)
            )
            for day in formats.week
        ),
        busiest=(_("The highest: {hour}") if shading.shown.unit == "percent" else _("Most {what}: {hour}")).format(
            what=shading.shown.label.lower(), hour=hour(most).text
        ),
        ticks=tuple(f"{at:02}" if form == "HH:mm" else hour_text(at, form) for at in range(HOURS)),
        shades=scale.shades if scale is not None else (),
        shading=shading,
    )


def key_of(row: Record) -> tuple[int, int]:
    """The day and the hour of a row."""
    return row["day"], row["hour"]


def _text(row: Record, shading: Shading, form: TimeFormat) -> str:
    """The text about an hour; a count is shown without a label."""
    return _("{day}, {start} to {end}: {said}").format(
        day=_DAYS[row["day"] - 1],
        start=hour_text(row["hour"], form),
        end=hour_text(row["hour"] + 1, form),
        said=shading.words(row) if shading.choices else number(row[shading.said[0].field], "count"),
    )


def content(answers: Sequence[Rows], place: PanelPlace) -> HoursOfWeek | tuple[()]:
    """The content of the panel for the answer to such a type."""
    return week(answers[0], place.shading, place.formats) or ()
