"""Where visitors come from (wire 1.4)."""

from analytics_box.ingest.facts import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import Output, QueryType
from analytics_box.query.filters import COMMON

TYPES = (
    QueryType(
        name="traffic_sources",
        family="Traffic",
        title="Sources",
        description="Where the sessions of the range came from, by their visitors",
        outputs=(
            Output("name", "string", "Name of the source, its host where it has none, or Direct"),
            Output("pageviews", "number", "Page views"),
            Output("visitors", "number", "Distinct visitors"),
            Output("percentage", "number", "Visitors as a share of the sum over all rows", "percent"),
            Output("referrer", "string", "Address of the source, empty for Direct"),
            Output("domain", "string", "Host of the source, empty for Direct"),
            Output("source", "string", "The same as name"),
            Output("referrer_type", "string", "direct, search, social, email, ai or unknown"),
        ),
        events=("pageviews", "visitors"),
        kinds=(PAGE_VIEW, CUSTOM),
        dimension="source",
        share_of="visitors",
        order="visitors",
        filters=COMMON,
        public=True,
    ),
)
