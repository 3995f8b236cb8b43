"""Website figures over RPC (wire 10.3): small charts, and whether events arrive. Keys need read:data."""

from msgspec import Struct

from analytics_box.base import errors
from analytics_box.products.overview.mini_chart import MiniChart, mini_chart
from analytics_box.products.overview.weeks import weeks
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import QueryRunner
from analytics_box.tenants.tenancy.messages import OrganizationInput
from analytics_box.tenants.websites.messages import ByWebsite
from analytics_box.tenants.websites.reach import all_own, own
from analytics_box.tenants.websites.shown import WebsiteAnswer, website_answer
from analytics_box.web.call import Call


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
    """websites.listWithCharts: the websites with the page views of the last seven days and who is there now."""
    websites = all_own(call, given.organizationId)
    sites = tuple(website.site for website in websites)
    online = await call.parts[Presence].online(sites, call.now)
    begun = await call.parts[Presence].begun(sites)
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    found = await weeks(call.parts[QueryRunner], sites, zone, call.now)
    if found is None:
        raise errors.Unavailable("The charts could not be computed in time; ask again in a moment")
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
    """websites.isTrackingSetup: whether events arrive. Raises NotFound."""
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
