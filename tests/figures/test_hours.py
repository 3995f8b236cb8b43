"""The hours of a week, as pages show what hour_of_week answers."""

from typing import Any

from analytics_box.figures.hours import week
from analytics_box.figures.shading import Shader, Shading
from analytics_box.web.page.dates import Formats

VISITORS, CONVERSIONS = Shader("visitors", "Visitors"), Shader("conversions", "Conversions")
PLAIN = Shading(VISITORS, (VISITORS,))


def rows(**counts: int) -> list[dict[str, Any]]:
    """168 rows; `d0h9=3` is 3 visitors on Sunday from 9 to 10."""
    return [
        {"day": day, "hour": hour, "pageviews": 0, "visitors": counts.get(f"d{day}h{hour}", 0)}
        for day in range(7)
        for hour in range(24)
    ]


def test_the_week_begins_on_sunday_as_all_weeks_of_the_box_do() -> None:
    made = week(rows(d1h9=10, d0h23=2), PLAIN)
    assert made is not None
    assert [day.short for day in made.days] == ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    assert {len(day.hours) for day in made.days} == {24}
    sunday, monday = made.days[0].hours[23], made.days[1].hours[9]
    assert (monday.level, monday.value, monday.text) == (5, "10", "Monday, 09:00 to 10:00: 10")
    assert (sunday.level, sunday.text) == (1, "Sunday, 23:00 to 00:00: 2")
    assert [(shade.level, shade.text) for shade in made.shades] == [
        (1, "2"),
        (2, "3"),
        (3, "4"),
        (4, "5–6"),
        (5, "7–10"),
    ]
    assert sum(hour.level > 0 for day in made.days for hour in day.hours) == 2


def test_hours_are_written_as_their_reader_has_chosen() -> None:
    made = week(rows(d1h9=10, d0h23=2, d0h0=1), PLAIN, Formats(time="h:mm a"))
    assert made is not None
    assert made.days[1].hours[9].text == "Monday, 9 am to 10 am: 10"
    assert made.days[0].hours[23].text == "Sunday, 11 pm to 12 am: 2"
    assert made.ticks[::6] == ("12 am", "6 am", "12 pm", "6 pm")


def test_the_busiest_hour_is_said_and_of_equal_ones_the_first_of_the_week() -> None:
    made = week(rows(d0h1=4, d2h5=4), PLAIN)
    assert made is not None
    assert made.busiest == "Most visitors: Sunday, 01:00 to 02:00: 4"


def test_a_week_without_anybody_is_none() -> None:
    assert week(rows(), PLAIN) is None
    assert week([], PLAIN) is None


def test_hours_can_show_conversions_of_a_goal() -> None:
    found = [row | {"conversions": int(row["visitors"] > 4)} for row in rows(d1h9=4, d2h5=5)]
    made = week(found, Shading(CONVERSIONS, (VISITORS, CONVERSIONS)))
    assert made is not None
    assert made.busiest == "Most conversions: Tuesday, 05:00 to 06:00: visitors: 5, conversions: 1"
    assert (made.days[1].hours[9].level, made.days[1].hours[9].value) == (0, "0")
    none = week([row | {"conversions": 0} for row in found], Shading(CONVERSIONS, (VISITORS, CONVERSIONS)))
    assert none is not None
    assert none.shades == ()
