"""Clicks on short links (wire 1.12). Clicks are people's; bots, previews and prefetches are apart."""

from msgspec.structs import replace

from analytics_box.base.facts.event import CLICK, KINDS
from analytics_box.query.catalog.geo import PLACE_CODES
from analytics_box.query.catalog.tables import every_hour_of_the_week
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
from analytics_box.query.plan import DAY_OF_WEEK, HOUR_OF_DAY, PlanOrder

_FILTERS = (
    *("referrer", "country", "region", "city", "device_type", "browser_name"),
    *("os_name", "language", "variant", "rule"),  # beyond the wire
)
_CLICKS = column("clicks", "number", "Human clicks", field("clicks"))
_VISITORS = column("visitors", "number", "Distinct visitors per UTC day, summed", field("visitors"))
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
_COUNTRY = column("country", "string", "English name of the country, or Unknown", text_or_unknown("country"))

TYPES = (
    _type(
        "link_total_clicks",
        "Clicks",
        "Human clicks on a link in the range",
        (
            column("total", "number", "Human clicks", field("clicks")),
            _VISITORS,
            column("first_clicked", "datetime", "First click in the range, UTC", instant("first")),
            column("last_clicked", "datetime", "Last click in the range, UTC", instant("last")),
        ),
        _clicks((*_MEASURES, "first", "last")),
        visualization="metric",
    ),
    _type(
        "link_clicks_by_day",
        "Clicks by day",
        "Human clicks on a link by day or hour",
        (_DATE, _CLICKS, _VISITORS),
        _clicks(),
        series=True,
        visualization="timeseries",
    ),
    _by_day("link_referrers_by_day", "Referrers by day", "Distinct websites and apps", "referrers"),
    _by_day("link_countries_by_day", "Countries by day", "Distinct countries", "countries"),
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
        "Name of the A/B variant; empty without a test",
        "variant",
        value=_VARIANT,
        limit=100,
    ),
    _top(
        "link_rules",
        "Rules",
        "Name of the rule, iosUrl or androidUrl; empty if none matched",
        "rule",
        value=_RULE,
        limit=100,
    ),
    _type(
        "link_hour_of_week",
        "Hours of the week",
        "Clicks by local hour and day of the week, over the whole range. Has 168 rows, so set the limit",
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
        "All requests of a link: human clicks, bots, previews, prefetches and HEAD requests",
        (column("name", "string", "click, bot, preview, prefetch or head", _KIND), _CLICKS, _SHARE),
        _clicks(("clicks",), ("kind",), ()),
        visualization="bar",
    ),
    _type(
        "link_top_bots",
        "Bots",
        "Bots that requested a link, including previews",
        (
            column("name", "string", "Name of the bot", text_or_unknown("agent")),
            column("kind", "string", "bot or preview", _KIND),
            column("clicks", "number", "Number of requests", field("clicks")),
            column("last_seen", "datetime", "Last request, UTC", instant("last")),
        ),
        ScanRequest("link_clicks", ("clicks", "last"), ("agent", "kind"), kinds=(2, 3), order=_BY_CLICKS),
        limit=10,
    ),
    _type(
        "link_landings",
        "Visits that followed",
        "Sessions on websites of this server whose visitor clicked the link up to five minutes before a page "
        "view. Visitors with custom ids are not matched",
        (
            column("clicks", "number", "Human clicks", field("clicks")),
            column("sessions", "number", "Sessions that followed"),
            column("pageviews", "number", "Page views of these sessions"),
            column(
                "bounce_rate", "number", "Bounce rate of these sessions", ratio("bounces", "sessions"), unit="percent"
            ),
            column(
                "median_session_duration",
                "number",
                "Median duration of these sessions",
                seconds("median_duration"),
                unit="s",
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
