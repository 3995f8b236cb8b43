"""Browsers and systems (wire 1.5)."""

from analytics_box.ingest.facts import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.types import Output, QueryType
from analytics_box.query.filters import COMMON


def _standard(name: str, dimension: str, title: str, what: str) -> QueryType:
    """A type with the standard row (wire 1.0)."""
    return QueryType(
        name=name,
        family="Devices",
        title=title,
        description=f"The {what}s of the range by their visitors",
        outputs=(
            Output("name", "string", f"Name of the {what}"),
            Output("pageviews", "number", "Page views"),
            Output("visitors", "number", "Distinct visitors"),
            Output("percentage", "number", "Visitors as a share of the sum over all rows", "percent"),
        ),
        events=("pageviews", "visitors"),
        kinds=(PAGE_VIEW, CUSTOM),
        dimension=dimension,
        share_of="visitors",
        order="visitors",
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="pie",
    )


TYPES = (
    _standard("browser_name", "browser", "Browsers", "browser"),
    _standard("os_name", "system", "Operating systems", "operating system"),
)
