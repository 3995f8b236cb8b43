"""Pages (wire 1.3)."""

from analytics_box.ingest.facts import PAGE_VIEW
from analytics_box.query.catalog.types import Output, QueryType
from analytics_box.query.filters import COMMON

TYPES = (
    QueryType(
        name="top_pages",
        family="Pages",
        title="Top pages",
        description="The pages of the range by their visitors",
        outputs=(
            Output("path", "string", "Path of the page"),
            Output("name", "string", "The same as path"),
            Output("pageviews", "number", "Views of the page"),
            Output("visitors", "number", "Distinct visitors of the page"),
            Output("percentage", "number", "Visitors as a share of the sum over all pages", "percent"),
        ),
        events=("pageviews", "visitors"),
        kinds=(PAGE_VIEW,),
        dimension="path",
        share_of="visitors",
        order="visitors",
        filters=COMMON,
        customizable=True,
        public=True,
    ),
)
