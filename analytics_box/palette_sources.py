"""What the palette finds, on one screen: a function for each room that has something to go to."""

from typing import Final

from analytics_box.docs.findable import manual
from analytics_box.flags.console.findable import flags
from analytics_box.goals.findable import goals
from analytics_box.links.listing.findable import links
from analytics_box.monitors.listing.findable import monitors
from analytics_box.palette.places import places
from analytics_box.palette.sources import Source
from analytics_box.query_pages.findable import questions
from analytics_box.segments.findable import segments
from analytics_box.status_pages.console.findable import status_pages
from analytics_box.websites.findable import websites

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
