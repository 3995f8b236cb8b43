"""Places (wire 1.6)."""

from functools import lru_cache

from analytics_box.base.facts.event import CUSTOM, PAGE_VIEW
from analytics_box.query.catalog.tables import BY_VISITORS, SHARE, VIEWS, VISITORS
from analytics_box.query.catalog.types import QueryType, ScanRequest, column
from analytics_box.query.catalog.values import SortableValue, field, text_or_unknown
from analytics_box.query.filters import COMMON
from analytics_box.query.plan import DerivedKey
from analytics_box.web.recognition import countries


def country_code() -> SortableValue:
    """The ISO 3166 code of a country; empty for an unknown one."""
    return SortableValue(lambda row: _codes().get(row["country"], ""), DerivedKey("coded", ("country",), _codes))


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    return {name: code for code, name in countries.names().items()}


PLACE_CODES = (
    column("country_code", "string", "ISO 3166 code of the country, empty if unknown", country_code()),
    column("country_name", "string", "English name of the country", field("country")),
)
_COUNTRY = column("country", "string", "English name of the country")


def _place(name: str, title: str, what: str, *, within: bool) -> QueryType:
    return QueryType(
        name=name,
        family="Geo",
        title=title,
        description=f"{title} of the range, by visitors",
        columns=(
            column("name", "string", f"Name of the {what}", text_or_unknown(name)),
            *((_COUNTRY,) if within else ()),
            VIEWS,
            VISITORS,
            SHARE,
            *PLACE_CODES,
        ),
        asks=(
            ScanRequest(
                "events",
                ("pageviews", "visitors"),
                (name, "country") if within else (name,),
                kinds=(PAGE_VIEW, CUSTOM),
                share_of="visitors",
                order=BY_VISITORS,
            ),
        ),
        filters=COMMON,
        customizable=True,
        public=True,
        visualization="bar",
    )


TYPES = (
    _place("country", "Countries", "country", within=False),
    _place("region", "Regions", "region", within=True),
    _place("city", "Cities", "city", within=True),
)
