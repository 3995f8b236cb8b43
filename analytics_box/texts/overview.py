"""One website's overview: figures, ranges and panels."""

from collections.abc import Mapping
from typing import ClassVar


class Overview:
    """One website's overview."""

    title = "{site} · Overview"
    online = "{count} online now"
    online_help = "Visitors with an event in the last 5 minutes"
    not_live = "not live, trying again"
    range = "Time range"
    days = "Days"
    weeks_and_months = "Weeks and months"
    own_dates = "Own dates"
    first_day = "First day"
    last_day = "Last day"
    apply = "Show"
    zone = "Times in {zone}"
    use_zone = "Use {zone}, this browser's zone"
    compare = "Compare"
    compare_help = "Compare with the previous period"
    figures = "Figures"
    before = "from {value}"
    before_whole = "Day before: {value}"
    unchanged = "no change"
    higher = "up"
    lower = "down"
    unfinished_day = "today so far"
    unfinished_hour = "this hour so far"
    unfinished = "so far"
    date = "Date"
    previous_column = "Previous"
    as_table = "View as table"
    as_chart = "View as chart"
    chart_label = "{metric}, {range}"
    chart_help = "Use the arrow keys to move along the chart"
    table_label = "{metric} as a table"
    more = "Show more"
    fewer = "Show fewer"
    loading = "Loading {panel}"
    load = "Load this panel"
    failed = "This panel could not be loaded."
    retry = "Try again"


class Metrics:
    """Names of the figures, by their name in the query's answer."""

    names: ClassVar[Mapping[str, str]] = {
        "visitors": "Visitors",
        "pageviews": "Page views",
        "sessions": "Sessions",
        "bounce_rate": "Bounce rate",
        "median_session_duration": "Median duration",
    }


class Ranges:
    """The presets of spec 2.8, and how a range of own dates is called."""

    names: ClassVar[Mapping[str, str]] = {
        "today": "Today",
        "yesterday": "Yesterday",
        "last_7d": "Last 7 days",
        "last_14d": "Last 14 days",
        "last_30d": "Last 30 days",
        "last_90d": "Last 90 days",
        "this_week": "This week",
        "last_week": "Last week",
        "this_month": "This month",
        "last_month": "Last month",
        "this_year": "This year",
    }
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    weekdays = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Panels:
    """The lists below the chart: tab, what is counted, and what an empty one says."""

    tabs: ClassVar[Mapping[str, str]] = {
        "pages": "Top pages",
        "sources": "Sources",
        "browsers": "Browsers",
        "systems": "Systems",
        "events": "Custom events",
    }
    counted: ClassVar[Mapping[str, str]] = {
        "pages": "Visitors",
        "sources": "Visitors",
        "browsers": "Visitors",
        "systems": "Visitors",
        "events": "Events",
    }
    empty: ClassVar[Mapping[str, str]] = {
        "pages": "No page was viewed in this range.",
        "sources": "No visit in this range, so no source either.",
        "browsers": "No browser was seen in this range.",
        "systems": "No system was seen in this range.",
        "events": "No custom event in this range. Send one from your page with {call}.",
    }
    event_call = 'databuddy.track("signup")'
    unknown = "Unknown"
