"""Website figures over RPC (wire 10.3): small charts, and whether events arrive. Keys need read:data."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from analytics_box.base import errors, figures
from analytics_box.base.translation import _
from analytics_box.products.overview.weeks import WebsiteDay, weeks
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import OrganizationInput
from analytics_box.tenants.websites.messages import ByWebsite, WebsiteAnswer, website_answer
from analytics_box.tenants.websites.reach import all_own, own
from analytics_box.web.call import Call


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


class TrackingState(Struct, frozen=True):
    """Output of websites.isTrackingSetup."""

    tracking_setup: bool
    integration_type: str | None
    has_events: bool
    recent_events: bool
    status_message: str
    tracking_issue: str | None


class WithCharts(Struct, frozen=True):
    """Output of websites.listWithCharts: charts and current visitors by website id."""

    websites: list[WebsiteAnswer]
    chartData: dict[str, MiniChart]
    activeUsers: dict[str, int]


async def list_with_charts(call: Call, given: OrganizationInput) -> WithCharts:
    """websites.listWithCharts: list websites with page views of the last seven days and current visitors."""
    websites = all_own(call, given.organizationId)
    sites = tuple(website.site for website in websites)
    online = await call.parts[Presence].online(sites, call.now)
    begun = await call.parts[Presence].begun(sites)
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    found = await weeks(call.parts[QueryRunner], sites, zone, call.now)
    if found is None:
        raise errors.Unavailable(_("The charts took too long. Try again in a moment"))
    charts = {}
    for website in websites:
        week = found[website.site]
        has_data = website.site in begun
        charts[website.id] = mini_chart(website.id, week.totals.pageviews, week.days, has_data=has_data)
    return WithCharts(
        websites=[website_answer(website, call.now) for website in websites],
        chartData=charts,
        activeUsers={website.id: online[website.site] for website in websites},
    )


async def is_tracking_setup(call: Call, given: ByWebsite) -> TrackingState:
    """websites.isTrackingSetup: return whether events arrive. Raises NotFound."""
    website = own(call, given.websiteId)
    begun = website.site in await call.parts[Presence].begun((website.site,))
    recent = (await call.parts[Presence].online((website.site,), call.now))[website.site] > 0
    return TrackingState(
        tracking_setup=begun,
        integration_type="script" if begun else None,
        has_events=begun,
        recent_events=recent,
        status_message="Events arrive" if begun else "No event has arrived yet",
        tracking_issue=None if begun else "Paste the snippet into your pages",
    )
