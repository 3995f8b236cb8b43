"""Looking at websites over RPC (wire 10.3): rows, small charts, and whether events arrive. Keys need read:data."""

import asyncio

from analytics_box import errors
from analytics_box.http.call import Call
from analytics_box.query import ranges
from analytics_box.query.presence import Presence
from analytics_box.query.run import Queries
from analytics_box.websites.asking import Asking, Unanswered, ask_week
from analytics_box.websites.directory import Directory
from analytics_box.websites.messages import ById, ByWebsite, OfOrganization, TrackingState, WithCharts
from analytics_box.websites.mini_chart import MiniChart, mini_chart
from analytics_box.websites.reach import UNKNOWN, all_own, is_own, own
from analytics_box.websites.rules import Website
from analytics_box.websites.shown import PublicWebsite, WebsiteShown, reduced, shown

CHARTS_AT_ONCE = 4


async def list_websites(call: Call, given: OfOrganization) -> list[WebsiteShown]:
    """websites.list: the organization's websites that the caller may read, oldest first."""
    return [shown(website, call.now) for website in all_own(call, given.organizationId)]


async def list_with_charts(call: Call, given: OfOrganization) -> WithCharts:
    """websites.listWithCharts: the same with the page views of the last seven days and who is there now."""
    found = all_own(call, given.organizationId)
    sites = tuple(website.site for website in found)
    online = await call.parts[Presence].online(sites, call.now)
    begun = await call.parts[Presence].begun(sites)
    person = call.identity.person
    zone = ranges.zone(person.time_zone if person is not None else "UTC")
    days = ranges.of_preset("last_7d", call.now, zone)
    slots = asyncio.Semaphore(CHARTS_AT_ONCE)

    async def chart(website: Website) -> MiniChart:
        async with slots:
            totals, per_day = await ask_week(Asking(call.parts[Queries], website.site, days, zone, call.now))
        return mini_chart(website.id, totals.pageviews, per_day, has_data=website.site in begun)

    try:
        charts = await asyncio.gather(*(chart(website) for website in found))
    except Unanswered as failed:
        raise errors.Unavailable("The charts could not be computed in time; ask again in a moment") from failed
    return WithCharts(
        websites=[shown(website, call.now) for website in found],
        chartData={chart.id: chart for chart in charts},
        activeUsers={website.id: online[website.site] for website in found},
    )


async def get_by_id(call: Call, given: ById) -> WebsiteShown | PublicWebsite:
    """websites.getById: the row for those who may read it, the reduced row of a public one for everybody else.

    Raises AuthRequired for strangers, else NotFound.
    """
    website = call.parts[Directory].find(given.id)
    if website is not None and is_own(call, website):
        return shown(website, call.now)
    if website is not None and website.is_public:
        return reduced(website)
    if call.identity.anonymous:
        raise errors.AuthRequired("Authentication required")
    raise errors.NotFound(UNKNOWN)


async def get_public_summary(call: Call, given: ById) -> PublicWebsite:
    """websites.getPublicSummary: the reduced row of a public website. Raises NotFound for any other."""
    website = call.parts[Directory].find(given.id)
    if website is None or not website.is_public:
        raise errors.NotFound(UNKNOWN)
    return reduced(website)


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
