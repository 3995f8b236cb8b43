"""The small chart of a website in a list (wire 10.3, listWithCharts)."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from analytics_box.base.texts import figures
from analytics_box.products.overview.week import WebsiteDay


class DayViews(Struct, frozen=True):
    """The page views of a day, which is YYYY-MM-DD in the caller's zone."""

    date: str
    value: int


class Trend(Struct, frozen=True):
    """The later half of the days against the earlier one, in whole percent."""

    type: Literal["up", "down", "neutral"]
    value: int


class MiniChart(Struct, frozen=True):
    """Page views per day, oldest first. `trend` is null where there is nothing to compare with."""

    id: str
    data: list[DayViews]
    totalViews: int
    trend: Trend | None
    hasAnyData: bool


def mini_chart(website_id: str, total: float, rows: Sequence[WebsiteDay], *, has_data: bool) -> MiniChart:
    """The chart of one website. `total` is the number of page views in all its days."""
    points = [DayViews(row.date, round(row.pageviews)) for row in rows]
    return MiniChart(website_id, points, round(total), trend([point.value for point in points]), has_data)


def trend(values: Sequence[int]) -> Trend | None:
    """The later half compared with the earlier; the middle one of an odd number of days counts for neither."""
    half = len(values) // 2
    before, after = sum(values[:half]), sum(values[len(values) - half :])
    if before == 0:
        return None
    change = figures.whole((after - before) / before * 100)
    return Trend("up" if change > 0 else "down" if change < 0 else "neutral", abs(change))
