"""The sources of the palette in one table: a function for each room that can be searched."""

from typing import Final

from analytics_box.app.docs.findable import manual
from analytics_box.figures.explorer.findable import questions
from analytics_box.products.flags.console.findable import flags
from analytics_box.products.goals.findable import goals
from analytics_box.products.links.listing.findable import links
from analytics_box.products.monitors.listing.findable import monitors
from analytics_box.products.segments.findable import segments
from analytics_box.products.status_pages.console.findable import status_pages
from analytics_box.tenants.websites.findable import websites
from analytics_box.web.palette.places import places
from analytics_box.web.palette.sources import Source

SOURCES: Final[tuple[Source, ...]] = (
    websites,
    goals,
    segments,
    questions,
    links,
    monitors,
    status_pages,
    flags,
    places,
    manual,
)
