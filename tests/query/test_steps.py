"""A week or month of a series is what a question about these days alone answers, in both engines."""

from datetime import UTC, date, datetime, timedelta
from typing import Literal

from tests.cases import each
from tests.query.stories import tell
from tests.query.world import World

NUMBERS = ("pageviews", "visitors", "sessions", "total_events")


@each("steps", ["week", "month"])
def test_a_point_is_what_its_days_are_alone(world: World, steps: Literal["week", "month"]) -> None:
    story = tell(world, 71)
    middle = datetime.fromtimestamp(story.around / 1000, UTC).date()
    first, last = middle - timedelta(days=30), middle + timedelta(days=12)
    scope = story.scope(2, owner=False)

    def asked(name: str, since: date, until: date) -> dict[str, object]:
        dates = {"startDate": since.isoformat(), "endDate": until.isoformat()}
        return {"parameters": [name], "timeZone": story.zone, "granularity": "daily", "limit": 1_000, **dates}

    (series,) = world.entries(asked("summary_metrics", first, last), scope, steps=steps)
    starts = [date.fromisoformat(row["date"]) for row in series.data]
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    assert starts == [day for day in days if day == first or (day.weekday() == 6 if steps == "week" else day.day == 1)]
    for row, since, following in zip(series.data, starts, [*starts[1:], last + timedelta(days=1)], strict=True):
        (whole,) = world.entries(asked("summary_totals", since, following - timedelta(days=1)), scope)
        assert {name: row[name] for name in NUMBERS} == {name: whole.data[0][name] for name in NUMBERS}
    assert any(row["pageviews"] for row in series.data)
