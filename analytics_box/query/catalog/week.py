"""Rows for each hour of each day of the week, Sunday first. Pure."""

from collections.abc import Sequence

from analytics_box.query.catalog.types import Record, Shape
from analytics_box.query.plan import DAY_OF_WEEK, HOUR_OF_DAY
from analytics_box.query.ranges import TimeWindow


def every_hour_of_the_week(*measures: str) -> Shape:
    """All 168 of them, also those in which nothing happened (semantics 4)."""
    none = dict.fromkeys(measures, 0)

    def shape(rows: Sequence[list[Record]], _window: TimeWindow) -> list[Record]:
        found = {(row[DAY_OF_WEEK], row[HOUR_OF_DAY]): row for row in rows[0]}
        return [
            {**found.get((day, hour), none), DAY_OF_WEEK: day, HOUR_OF_DAY: hour}
            for day in range(7)
            for hour in range(24)
        ]

    return shape
