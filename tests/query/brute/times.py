"""Local hours and days of the week, straight from the zone."""

from datetime import datetime
from functools import partial

from tests.query.brute.facts import EXIT, Answer, Facts, Question, Row
from tests.query.brute.filters import passes
from tests.query.brute.measures import views, visitors


def of_time(name: str, facts: Facts, asked: Question) -> list[Row]:
    """hour_of_day and day_of_week: local time, straight from the zone."""
    groups: dict[int, list[Row]] = {place: [] for place in range(24 if name == "hour_of_day" else 7)}
    for row in facts["events"]:
        if row["kind"] != EXIT and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters):
            local = datetime.fromtimestamp(row["time"] / 1000, asked.tz)
            place = local.hour if name == "hour_of_day" else local.isoweekday() % 7
            groups[place].append(row)
    label = "hour" if name == "hour_of_day" else "day"
    return [
        {label: place, "pageviews": views(rows), "visitors": visitors(rows)} for place, rows in sorted(groups.items())
    ]


def of_week(facts: Facts, asked: Question) -> list[Row]:
    """hour_of_week: each hour of each day, Sunday first."""
    hours: dict[tuple[int, int], list[Row]] = {(day, hour): [] for day in range(7) for hour in range(24)}
    for row in facts["events"]:
        if row["kind"] != EXIT and not row["bot"] and asked.has(row["time"]) and passes(row, asked.filters):
            local = datetime.fromtimestamp(row["time"] / 1000, asked.tz)
            hours[local.isoweekday() % 7, local.hour].append(row)
    return [
        {"day": day, "hour": hour, "pageviews": views(rows), "visitors": visitors(rows)}
        for (day, hour), rows in hours.items()
    ]


ANSWERS: dict[str, Answer] = {
    **{name: partial(of_time, name) for name in ("hour_of_day", "day_of_week")},
    "hour_of_week": of_week,
}
