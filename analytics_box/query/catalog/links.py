"""Clicks on short links (wire 1.12). Clicks are people's; bots, previews and prefetches are apart."""

from msgspec.structs import replace

from analytics_box.base.facts.clicks import CLICK, KINDS
from analytics_box.query.catalog.geo import PLACE_CODES
from analytics_box.query.catalog.traffic import PARTS
from analytics_box.query.catalog.types import OutputColumn, QueryType, ScanRequest, Shape, Visualization, column
from analytics_box.query.catalog.values import (
    SortableValue,
    device,
    field,
    instant,
    ratio,
    seconds,
    share,
    text_of_code,
    text_or_unknown,
)
from analytics_box.query.catalog.week import every_hour_of_the_week
from analytics_box.query.plan import DAY_OF_WEEK, HOUR_OF_DAY, PlanOrder

_FILTERS = (
    *("referrer", "country", "region", "city", "device_type", "browser_name"),
    *("os_name", "language", "variant", "rule"),  # beyond the wire
)
_CLICKS = column("clicks", "number", "Clicks of people", field("clicks"))
_VISITORS = column("visitors", "number", "Distinct visitors, by the day", field("visitors"))
_SHARE = column("percentage", "number", "Share of all clicks", share("clicks"), unit="percent")
_BY_CLICKS = (PlanOrder("clicks"),)
_MEASURES = ("clicks", "visitors")
_DATE = column("date", "date", "The day, or the hour")


def _type(
    name: str,
    title: str,
    description: str,
    columns: tuple[OutputColumn, ...],
    *asks: ScanRequest,
    limit: int = 100,
    series: bool = False,
    shape: Shape | None = None,
    visualization: Visualization = "table",
) -> QueryType:
    return QueryType(
        name=name,
        family="LinkShortener",
        title=title,
        description=description,
        columns=columns,
        asks=asks,
        filters=_FILTERS,
        series=series,
        shape=shape,
        default_limit=limit,
        visualization=visualization,
        subject="link",
    )


def _clicks(
    measures: tuple[str, ...] = _MEASURES, group: tuple[str, ...] = (), kinds: tuple[int, ...] = (CLICK,)
) -> ScanRequest:
    """A scan of the clicks."""
    if not group:
        return ScanRequest("link_clicks", measures, kinds=kinds)
    return ScanRequest("link_clicks", measures, group, kinds=kinds, share_of="clicks", order=_BY_CLICKS)


def _top(
    name: str,
    title: str,
    what: str,
    dimension: str,
    *,
    value: SortableValue | None = None,
    more: tuple[OutputColumn, ...] = (),
    group: tuple[str, ...] = (),
    limit: int = 10,
) -> QueryType:
    """A query type with the most frequent values of a dimension among the clicks."""
    return _type(
        name,
        title,
        f"The {title.lower()} of a link's clicks",
        (column("name", "string", what, value or text_or_unknown(dimension)), *more, _CLICKS, _VISITORS, _SHARE),
        _clicks(group=(dimension, *group)),
        limit=limit,
        visualization="bar",
    )


def _by_day(name: str, title: str, what: str, measure: str) -> QueryType:
    """A query type with the number of distinct values by day or hour."""
    return _type(
        name,
        title,
        f"{what} of a link's clicks by day or hour",
        (_DATE, column("value", "number", what, field(measure))),
        _clicks((measure,)),
        series=True,
        visualization="timeseries",
    )


_KIND = text_of_code("kind", KINDS)
_VARIANT, _RULE = field("variant"), field("rule")
_COUNTRY = column(
    "country", "string", "English name of the country, Unknown where it is not known", text_or_unknown("country")
)

TYPES = (
    _type(
        "link_total_clicks",
        "Clicks",
        "The clicks of people on a link in the range",
        (
            column("total", "number", "Clicks of people", field("clicks")),
            _VISITORS,
            column("first_clicked", "datetime", "The first click of the range, UTC", instant("first")),
            column("last_clicked", "datetime", "The last one, UTC", instant("last")),
        ),
        _clicks((*_MEASURES, "first", "last")),
        visualization="metric",
    ),
    _type(
        "link_clicks_by_day",
        "Clicks by day",
        "The clicks of people on a link by day or hour",
        (_DATE, _CLICKS, _VISITORS),
        _clicks(),
        series=True,
        visualization="timeseries",
    ),
    _by_day("link_referrers_by_day", "Referrers by day", "Different websites and apps", "referrers"),
    _by_day("link_countries_by_day", "Countries by day", "Different countries", "countries"),
    _top(
        "link_top_referrers", "Referrers", "Name of the source, or Direct", "source", value=field("source"), more=PARTS
    ),
    _top("link_top_countries", "Countries", "Name of the country", "country", more=(_COUNTRY, *PLACE_CODES)),
    _top(
        "link_top_regions",
        "Regions",
        "Name of the region",
        "region",
        more=(_COUNTRY, *PLACE_CODES),
        group=("country",),
    ),
    _top("link_top_cities", "Cities", "Name of the city", "city", more=(_COUNTRY, *PLACE_CODES), group=("country",)),
    _top("link_top_devices", "Devices", "desktop, mobile or tablet", "device", value=device(), limit=100),
    _top("link_top_browsers", "Browsers", "Name of the browser", "browser"),
    # Beyond the wire
    _top("link_top_systems", "Systems", "Name of the operating system", "system"),
    _top("link_top_languages", "Languages", "Language, as xx or xx-YY", "language"),
    _top(
        "link_variants",
        "Variants",
        "Name of the variant of a test; empty without",
        "variant",
        value=_VARIANT,
        limit=100,
    ),
    _top(
        "link_rules", "Rules", "Name of the rule, iosUrl or androidUrl; empty without", "rule", value=_RULE, limit=100
    ),
    _type(
        "link_hour_of_week",
        "Hours of the week",
        "At which local hours of which days of the week people click a link, over the whole range. 168 rows, so ask for"
        " that many",
        (
            column("day", "number", "0 is Sunday, 6 Saturday", field(DAY_OF_WEEK)),
            column("hour", "number", "0 to 23, in the request's time zone", field(HOUR_OF_DAY)),
            _CLICKS,
            _VISITORS,
        ),
        ScanRequest("link_clicks", _MEASURES, (DAY_OF_WEEK, HOUR_OF_DAY), kinds=(CLICK,)),
        shape=every_hour_of_the_week(*_MEASURES),
        limit=168,
    ),
    _type(
        "link_kinds",
        "Clicks and others",
        "Everything that followed a link: clicks of people, and apart from them bots, previews, prefetches and HEAD",
        (column("name", "string", "click, bot, preview, prefetch or head", _KIND), _CLICKS, _SHARE),
        _clicks(("clicks",), ("kind",), ()),
        visualization="bar",
    ),
    _type(
        "link_top_bots",
        "Bots",
        "The bots that requested a link, previews among them",
        (
            column("name", "string", "What the bot calls itself", text_or_unknown("agent")),
            column("kind", "string", "bot or preview", _KIND),
            column("clicks", "number", "How often it came", field("clicks")),
            column("last_seen", "datetime", "When it was last there, UTC", instant("last")),
        ),
        ScanRequest("link_clicks", ("clicks", "last"), ("agent", "kind"), kinds=(2, 3), order=_BY_CLICKS),
        limit=10,
    ),
    _type(
        "link_landings",
        "Visits that followed",
        "Sessions on the box's own websites whose visitor had clicked the link in the five minutes before a page view."
        " Visitors who are counted by an id of their own are not recognised",
        (
            column("clicks", "number", "Clicks of people", field("clicks")),
            column("sessions", "number", "Sessions that followed"),
            column("pageviews", "number", "Their page views"),
            column("bounce_rate", "number", "Bounces among them", ratio("bounces", "sessions"), unit="percent"),
            column(
                "median_session_duration", "number", "Median of their durations", seconds("median_duration"), unit="s"
            ),
        ),
        _clicks(("clicks",)),
        ScanRequest("landings", ("sessions", "pageviews", "bounces", "median_duration")),
        visualization="metric",
    ),
)


def of_kind(query_type: QueryType, kind: int) -> QueryType:
    """A query type about visits of another kind, wherever it is about the clicks of people."""
    asks = tuple(replace(ask, kinds=(kind,)) if ask.kinds == (CLICK,) else ask for ask in query_type.asks)
    return replace(query_type, asks=asks)
